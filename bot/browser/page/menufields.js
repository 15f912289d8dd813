// The fields of a spot's menu: bets and raises, when all-in is offered, most raises; once more for the other player where that one's differ.

import { el, field } from "./dom.js";
import { listOf, menuSizes, textsOf } from "./sizes.js";

const SIZES = { sizes: ["bets", "raises"], in_position: ["bets_in_position", "raises_in_position"], donk: ["donk"] };
const SHARES = { all_in_spr: null, all_in_share: undefined, stack_share: undefined };  // what an empty field says; undefined leaves the key out

const WORDS = {
  bets: "Bets, % of the pot", raises: "Raises, % of the pot", bets_in_position: "Bets in position", raises_in_position: "Raises in position",
  donk: "Bets into the raiser", all_in_spr: "All-in where so many pots are left", all_in_share: "All-in for a bet of this share of what is left",
  stack_share: "Most of the whole stack in a bet", raise_cap: "Most raises a street",
};  // by the field's name

// Return {first, more, show(menu), value()}: fields of the bets and raises, and `more` from an element with all others. `value` fails with
// an Error that names the field that is wrong.
export function menuFields() {
  const own = oneMenu("");
  const other = oneMenu("other_");
  const whose = el("select", { "data-testid": "position", "data-key": "menu", on: { change: choose } }, el("option", { value: "", text: "both players" }),
    ["the player out of position", "the player in position"].map((text, at) => el("option", { value: at, text })));
  const others = el("div", { hidden: true, role: "group", "aria-label": "The other player's menu" },
    el("p", { class: "muted", text: "The other player's menu:" }), el("div", { class: "form-grid" }, other.first, other.more));
  const more = el("details", { class: "whole" }, el("summary", { "data-testid": "more-bets", text: "More about the bets: in position, into the raiser (donk bets), all-in, most raises, another menu for one player" }),
    el("p", { class: "muted" }, "Bets are % of the pot, 2.5x, min, all-in, none, or e: all-in by equal bets, 2e by two. Write flop, turn and river before those of one street, and / before those of a later raise: flop 33; turn 50 / 100."),
    el("div", { class: "form-grid" }, own.more, field("All this is the menu of", whose)), others);

  // The other player's menu begins as the first one's.
  function choose() {
    if (others.hidden) other.show({ ...own.value(), opponents: null, position: null });
    others.hidden = whose.value === "";
  }
  function show(menu) {
    own.show(menu);
    other.show(menu.opponents ?? {});
    whose.value = menu.opponents ? menu.position ?? "" : "";
    others.hidden = whose.value === "";
  }
  function value() {
    const alone = whose.value === "";
    return { ...own.value(), opponents: alone ? null : other.value(), position: alone ? null : Number(whose.value) };
  }
  return { first: own.first, more, show, value };
}

function oneMenu(prefix) {
  const input = (name, placeholder) => el("input", { name: prefix + name, "data-testid": prefix + name, "data-key": "menu", autocomplete: "off", placeholder });
  const inputs = {
    bets: input("bets", "33, 75; or flop 33; turn 75"), raises: input("raises", "as the bets"),
    bets_in_position: input("bets_in_position", "as out of position"), raises_in_position: input("raises_in_position", "as the bets"),
    donk: input("donk", "as the bets"), all_in_spr: input("all_in_spr", "always; 1.5, or never"), all_in_share: input("all_in_share", "0.6"),
    stack_share: input("stack_share", "1"), raise_cap: input("raise_cap", "none; 3, or 4, 3, 2, 2"),
  };
  const fields = Object.entries(inputs).map(([name, control]) => field(WORDS[name], control));
  const called = (name) => `${prefix && "The other player's menu, "}${WORDS[name]}`;
  let shown = {};  // the menu that filled the fields
  let texts = {};  // the bets that it was written as

  function show(menu) {
    shown = menu;
    texts = Object.fromEntries(Object.entries(SIZES).map(([key, names]) => [key, names.map((name, at) => (inputs[name].value = Object.values(textsOf(menu[key]))[at]))]));
    for (const name of Object.keys(SHARES)) inputs[name].value = menu[name] ?? "";
    inputs.raise_cap.value = [menu.raise_cap ?? []].flat().join(", ");
  }

  // Return the menu: what is not written otherwise stays as it was.
  function value() {
    const caps = listOf(inputs.raise_cap.value);
    const fit = (name, fits, remedy) => listOf(inputs[name].value).forEach((word) => { if (!fits(word)) throw new Error(`${called(name)}: ${word} does not fit; write ${remedy}.`); });
    fit("raise_cap", (cap) => Number.isInteger(cap) && cap >= 0, "a whole number, or one for each street: 4, 3, 2, 2");
    for (const name of Object.keys(SHARES)) fit(name, (share) => Number.isFinite(share) && share >= 0 || name === "all_in_spr" && share === "never", `a number from 0 on${name === "all_in_spr" ? ", or never" : ""}`);
    const menu = { ...shown, raise_cap: caps.length > 1 ? caps : caps[0] ?? null };
    for (const [name, empty] of Object.entries(SHARES)) menu[name] = listOf(inputs[name].value)[0] ?? empty;
    for (const [key, names] of Object.entries(SIZES)) {
      const now = names.map((name) => inputs[name].value);
      if (now.some((text, at) => text !== texts[key][at])) menu[key] = menuSizes(now[0], now[1] ?? "", names.map(called)) ?? (key === "sizes" ? [[[]]] : null);
    }
    return menu;
  }
  return { first: fields.slice(0, 2), more: fields.slice(2), show, value };
}
