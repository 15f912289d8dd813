// The form of a spot to solve: a field for each key of a spot's file.

import { el, field, fill } from "./dom.js";
import { lockFields } from "./locks.js";
import { boardPicker } from "./picker.js";
import { rangeField } from "./rangefield.js";
import { listOf, menuSizes, textsOf } from "./sizes.js";

const NUMBERS = ["pot", "big_blind", "chip", "target", "seconds", "iterations", "threads"];
const WORDS = ["algorithm", "storage", "merge", "note", "parameters"];
const SIZES = { sizes: ["bets", "raises"], in_position: ["bets_in_position", "raises_in_position"] };

// Return {element, show(spot), spot(), ready(), choose(choices), lock(lock)}. `show` fills the fields; `spot` returns what they say, for the
// server; `ready` returns a promise that fails while a range may mean two things; `choose` takes the words of the choices by key;
// `first` stands before the fields.
export function spotForm(first) {
  let shown = { menu: {} };  // the spot that filled the fields
  let texts = {};            // the bets that its menu was written as
  const control = (name, more = {}) => el("input", { name, "data-testid": name, "data-key": name, autocomplete: "off", ...more });
  const number = (name, placeholder) => control(name, { inputmode: "decimal", placeholder });
  const select = (name) => el("select", { "data-testid": name, "data-key": name });
  const ofMenu = (name, placeholder) => control(name, { "data-key": "menu", placeholder });
  const board = control("board", { placeholder: "KsTh7s", required: true });
  const ranges = [rangeField({ words: "Range out of position", testid: "first", board: () => board.value }),
    rangeField({ words: "Range in position", testid: "second", board: () => board.value })];
  const inputs = {
    board, pot: number("pot"), stack: control("stack", { placeholder: "20, or 20, 30" }),
    bets: ofMenu("bets", "33, 75; or flop 33; turn 75"), raises: ofMenu("raises", "as the bets"),
    bets_in_position: ofMenu("bets_in_position", "as out of position"), raises_in_position: ofMenu("raises_in_position", "as the bets"),
    all_in_spr: ofMenu("all_in_spr", "always; 1.5, or never"), all_in_share: ofMenu("all_in_share", "0.6"),
    stack_share: ofMenu("stack_share", "1"), raise_cap: ofMenu("raise_cap", "none; 3, or 4, 3, 2, 2"),
    rake: control("rake", { placeholder: "none; 5, or 5, 3" }),
    target: number("target", "0.5"), seconds: number("seconds", "no limit"), iterations: number("iterations", "1000"), threads: number("threads", "all cores"),
    big_blind: number("big_blind", "1"), chip: number("chip", "a hundredth of it"), parameters: control("parameters", { placeholder: "usual; alpha: 1.5, beta: 0" }),
    note: control("note"), algorithm: select("algorithm"), storage: select("storage"), merge: select("merge"),
    distance: el("select", { "data-testid": "distance", "data-key": "groups" }), identity: el("select", { "data-testid": "identity", "data-key": "groups" }),
    per_round: el("input", { type: "checkbox", checked: true, "data-testid": "per_round", "data-key": "groups" }),
  };
  const locks = lockFields();
  const opponents = el("p", { class: "muted", hidden: true, text: "The opponents' menu of the spot's file stays as it is there." });
  const bets = el("details", { class: "whole" }, el("summary", { "data-testid": "more-bets", text: "More about the bets: in position, all-in, most raises" }),
    el("p", { class: "muted" }, "Bets are % of the pot, 2.5x, min, all-in, none, or e: all-in by equal bets, 2e by two. Write flop, turn and river before those of one street, and / before those of a later raise: flop 33; turn 50 / 100."),
    el("div", { class: "form-grid" }, field("Bets in position", inputs.bets_in_position), field("Raises in position", inputs.raises_in_position),
      field("All-in where so many pots are left", inputs.all_in_spr), field("All-in for a bet of this share of what is left", inputs.all_in_share), field("Most of the whole stack in a bet", inputs.stack_share),
      field("Most raises a street", inputs.raise_cap)), opponents);
  const more = el("details", { class: "whole" }, el("summary", { "data-testid": "more-of-spot", text: "More: money, algorithm, memory, hands in groups, note" }),
    el("div", { class: "form-grid" }, field("Big blind", inputs.big_blind), field("Smallest chip", inputs.chip), field("Parameters", inputs.parameters), field("Storage", inputs.storage),
      field("Next cards that are one", inputs.merge), field("Hands alike by", inputs.distance), field("…told apart by", inputs.identity),
      el("label", { class: "tick" }, inputs.per_round, " Grouped anew on each street"), el("div", { class: "broad" }, field("Note", inputs.note))));
  const element = el("div", { class: "form-grid" }, first, field("Board", board), field("Pot", inputs.pot), field("Stacks behind", inputs.stack),
    el("details", { class: "whole" }, el("summary", { "data-testid": "pick-board", text: "Pick the board by clicks" }), boardPicker(board)),
    el("div", { class: "whole range-fields", "data-key": "ranges" }, ranges.map((range) => range.element)),
    field("Bets, % of the pot", inputs.bets), field("Raises, % of the pot", inputs.raises), field("Rake, % of each pot and the most", inputs.rake),
    field("Stop at exploitability, % of the pot", inputs.target), field("Stop after seconds", inputs.seconds),
    field("Stop after iterations", inputs.iterations), field("Algorithm", inputs.algorithm), field("Threads", inputs.threads), bets, more, locks.element);
  board.addEventListener("input", () => ranges.forEach((range) => range.refresh()));
  inputs.algorithm.addEventListener("change", () => { inputs.parameters.value = ""; });

  function choose(choices) {
    for (const [name, words] of Object.entries(choices)) fill(inputs[name], words.map((word) => el("option", { value: word, text: word })));
    inputs.distance.prepend(el("option", { value: "", text: "nothing: all are told apart" }));
  }

  function show(spot) {
    shown = spot;
    const { menu, groups } = spot;
    texts = Object.fromEntries(Object.entries(SIZES).map(([key, names]) => [key, Object.values(textsOf(menu[key])).map((text, at) => (inputs[names[at]].value = text))]));
    for (const name of [...NUMBERS, ...WORDS, "board"]) inputs[name].value = spot[name] ?? "";
    inputs.stack.value = [spot.stack].flat().join(", ");
    ranges.forEach((range, at) => { range.input.value = spot.ranges[at]; });
    inputs.rake.value = spot.rake ? [spot.rake.percent, spot.rake.cap].filter((part) => part != null).join(", ") : "";
    for (const name of ["all_in_spr", "all_in_share", "stack_share"]) inputs[name].value = menu[name] ?? "";
    inputs.raise_cap.value = [menu.raise_cap ?? []].flat().join(", ");
    opponents.hidden = !menu.opponents;
    inputs.distance.value = groups?.distance ?? "";
    inputs.identity.value = groups?.identity ?? "hierarchical";
    inputs.per_round.checked = groups?.per_round ?? true;
    locks.show(spot.locks);
    board.dispatchEvent(new Event("input"));
  }

  // Return a value of a field: null where it is empty, else a number where it is one.
  function valueOf(name) {
    const text = inputs[name].value.trim();
    return text === "" ? null : Number.isNaN(Number(text)) ? text : Number(text);
  }
  function oneOrList(name) {
    const list = listOf(inputs[name].value);
    return list.length > 1 ? list : list[0] ?? null;
  }

  function spot() {
    const said = { board: board.value.replaceAll(" ", ""), stack: oneOrList("stack"), ranges: ranges.map((range) => range.input.value), menu: menuOf(), locks: locks.value() };
    for (const name of NUMBERS) said[name] = valueOf(name) ?? undefined;
    for (const name of WORDS) said[name] = inputs[name].value;
    const [percent, cap] = listOf(inputs.rake.value);
    if (percent !== undefined) said.rake = { percent, cap };
    if (inputs.distance.value) said.groups = { distance: inputs.distance.value, identity: inputs.identity.value, per_round: inputs.per_round.checked };
    return said;
  }

  // Return the menu: what is not written otherwise stays as it was.
  function menuOf() {
    const menu = { ...shown.menu, all_in_spr: valueOf("all_in_spr"), all_in_share: valueOf("all_in_share") ?? undefined, stack_share: valueOf("stack_share") ?? undefined, raise_cap: oneOrList("raise_cap") };
    for (const [key, names] of Object.entries(SIZES)) {
      const now = names.map((name) => inputs[name].value);
      if (now.some((text, at) => text !== texts[key][at])) menu[key] = menuSizes(now[0], now[1]) ?? (key === "sizes" ? [[[]]] : null);
    }
    return menu;
  }
  return { element, show, spot, choose, lock: locks.add, ready: () => Promise.all(ranges.map((range) => range.ready())) };
}
