// Playing cards as SVG, in four colours, with names that can be read aloud.

import { el } from "./dom.js";

const RANKS = { T: "10" };
const RANK_NAMES = { 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine", T: "ten",
  J: "jack", Q: "queen", K: "king", A: "ace" };
const SUIT_NAMES = { c: "clubs", d: "diamonds", h: "hearts", s: "spades" };
const SIGNS = { c: "♣", d: "♦", h: "♥", s: "♠" };
const SUITS = {  // outlines in a box of 24 × 24
  c: "M12 2a4.6 4.6 0 0 0-3.7 7.3A4.7 4.7 0 1 0 11 15.6C10.8 18 10 20 8.4 22h7.2C14 20 13.2 18 13 15.6A4.7 4.7 0 1 0 15.7 9.3 4.6 4.6 0 0 0 12 2z",
  d: "M12 1.5 20 12 12 22.5 4 12z",
  h: "M12 22C5 16 2 12.6 2 8.3 2 5 4.5 3 7.1 3 9.3 3 11 4.2 12 6c1-1.8 2.7-3 4.9-3C19.5 3 22 5 22 8.3 22 12.6 19 16 12 22z",
  s: "M12 2C6.5 7 3 10 3 13.700A4.3 4.3 0 0 0 7.3 18c1.5 0 2.8-.6 3.7-1.6-.2 2-.9 3.9-2.4 5.600h6.800c-1.5-1.7-2.2-3.6-2.4-5.6.9 1 2.2 1.6 3.7 1.600a4.3 4.3 0 0 0 4.3-4.300C21 10 17.5 7 12 2z",
};

export function cardName(card) {
  return `${RANK_NAMES[card[0]]} of ${SUIT_NAMES[card[1]]}`;
}

// Return the picture of a card such as "As", or of a card's back for null.
export function cardPicture(card) {
  if (!card) {
    return el("svg", { class: "card back", viewBox: "0 0 50 70", role: "img", "aria-label": "a hidden card" },
      el("rect", { x: 1, y: 1, width: 48, height: 68, rx: 6, class: "edge" }),
      el("rect", { x: 5, y: 5, width: 40, height: 60, rx: 4, class: "pattern" }));
  }
  const [rank, suit] = card;
  return el("svg", { class: `card suit-${suit}`, viewBox: "0 0 50 70", role: "img", "aria-label": cardName(card), "data-card": card },
    el("rect", { x: 1, y: 1, width: 48, height: 68, rx: 6, class: "face" }),
    el("text", { x: 25, y: 33, "text-anchor": "middle", class: "rank", text: RANKS[rank] ?? rank }),
    el("path", { d: SUITS[suit], transform: "translate(12.5 38) scale(1.05)", class: "pip" }));
}

// Return cards as text in their suits' colours, to stand in a sentence; null for none.
export function cardWords(cards) {
  if (!cards.length) return null;
  return el("span", { class: "cards", "aria-label": cards.map(cardName).join(", "), role: "img" },
    cards.map((card) => el("span", { class: `suit-${card[1]}`, text: `${RANKS[card[0]] ?? card[0]}${SIGNS[card[1]]} ` })));
}

// Fill an element with cards; `hidden` is the number of backs shown where there are none. Only new cards are
// drawn, so that a live region announces these alone.
export function showCards(element, cards, hidden = 0) {
  const wanted = cards.length ? cards : Array(hidden).fill(null);
  const now = wanted.map((card) => card ?? "??");
  const before = element.dataset.cards?.match(/../g) ?? [];
  let same = 0;
  while (same < before.length && before[same] === now[same]) same += 1;
  element.dataset.cards = now.join("");
  [...element.children].slice(same).forEach((child) => child.remove());
  element.append(...wanted.slice(same).map(cardPicture));
}
