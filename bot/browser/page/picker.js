// A picker of cards: a button for each card of a deck, and one that takes any.

import { el } from "./dom.js";

const SUITS = "shdc";

export const DECK = [..."cdhs"].flatMap((suit) => [..."23456789TJQKA"].map((rank) => rank + suit));

// Return {element, show(cards)}. `deck` are the cards in ascending order, `taken` those that cannot be had, and `most` how
// many may be picked. `changed(cards)` is called with the picked ones, in the order of the clicks; `any(picked)` says how
// many cards there are to be once `Any cards` is pressed.
export function cardPicker({ legend, deck, most, any, changed, taken = [], testid = "card", anyWords = "Any cards" }) {
  let picked = [];
  const say = el("p", { role: "status" });
  const buttons = new Map(deck.map((card) => [card, el("button", { type: "button", class: `pick suit-${card[1]}`, disabled: taken.includes(card),
    "data-testid": `${testid}-${card}`, "aria-pressed": "false", text: card, on: { click: () => toggle(card) } })]));

  function show(cards) {
    picked = cards;
    for (const [card, button] of buttons) {
      button.setAttribute("aria-pressed", String(picked.includes(card)));
      button.disabled = taken.includes(card) || (picked.length >= most && !picked.includes(card));
    }
    say.textContent = picked.length ? `Chosen: ${picked.join(" ")}` : "";
  }
  function toggle(card) {
    show(picked.includes(card) ? picked.filter((other) => other !== card) : [...picked, card]);
    changed(picked);
  }
  function random() {
    const left = deck.filter((card) => !taken.includes(card) && !picked.includes(card));
    const drawn = [...picked];
    for (const wanted = any(picked); drawn.length < wanted;) drawn.push(...left.splice(Math.floor(Math.random() * left.length), 1));
    show(drawn);
    changed(picked);
  }
  const element = el("fieldset", { class: "picker panel" }, el("legend", { text: legend }),
    [...SUITS].map((suit) => el("div", { class: "card-row" }, deck.filter((card) => card[1] === suit).reverse().map((card) => buttons.get(card)))),
    el("p", {}, el("button", { type: "button", "data-testid": `random-${testid}s`, on: { click: random } }, anyWords)), say);
  return { element, show };
}

// Return the cards of a text such as "Ks Th7s", null unless they are at most five different ones.
export function boardCards(text) {
  const cards = text.replaceAll(" ", "").match(/../g) ?? [];
  const known = cards.every((card) => DECK.includes(card)) && cards.join("").length === text.replaceAll(" ", "").length;
  return known && cards.length <= 5 && new Set(cards).size === cards.length ? cards : null;
}

// Return a board's picker, which fills a text field and is filled by it.
export function boardPicker(input) {
  const changed = (cards) => {
    input.value = cards.join("");
    input.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const picker = cardPicker({ legend: "Choose the board", deck: DECK, most: 5, changed, testid: "board",
    any: (picked) => (picked.length < 3 ? 3 : Math.min(picked.length + 1, 5)), anyWords: "Any card more" });
  input.addEventListener("input", () => picker.show(boardCards(input.value) ?? []));
  return picker.element;
}
