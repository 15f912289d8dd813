// The form of a spot to solve: a field for each key of a spot's file.

import { el, field, fill } from "./dom.js";
import { lockFields } from "./locks.js";
import { menuFields } from "./menufields.js";
import { boardPicker } from "./picker.js";
import { rangeField } from "./rangefield.js";
import { listOf } from "./sizes.js";

const NUMBERS = ["pot", "big_blind", "chip", "target", "seconds", "iterations", "threads"];
const WORDS = ["algorithm", "storage", "merge", "note", "parameters"];

// Return {element, show(spot), spot(), ready(), choose(choices), lock(lock)}. `show` fills the fields; `spot` returns what they say, for the
// server; `ready` returns a promise that fails while a range may mean two things; `choose` takes the words of the choices by key;
// `first` stands before the fields.
export function spotForm(first) {
  const control = (name, more = {}) => el("input", { name, "data-testid": name, "data-key": name, autocomplete: "off", ...more });
  const number = (name, placeholder) => control(name, { inputmode: "decimal", placeholder });
  const select = (name) => el("select", { "data-testid": name, "data-key": name });
  const board = control("board", { placeholder: "KsTh7s", required: true });
  const ranges = [rangeField({ words: "Range out of position", testid: "first", board: () => board.value }),
    rangeField({ words: "Range in position", testid: "second", board: () => board.value })];
  const inputs = {
    board, pot: number("pot"), stack: control("stack", { placeholder: "20, or 20, 30" }),
    rake: control("rake", { placeholder: "none; 5, or 5, 3" }),
    target: number("target", "0.5"), seconds: number("seconds", "no limit"), iterations: number("iterations", "1000"), threads: number("threads", "all cores"),
    big_blind: number("big_blind", "1"), chip: number("chip", "a hundredth of it"), parameters: control("parameters", { placeholder: "usual; alpha: 1.5, beta: 0" }),
    note: control("note"), algorithm: select("algorithm"), storage: select("storage"), merge: select("merge"),
    distance: el("select", { "data-testid": "distance", "data-key": "groups" }), identity: el("select", { "data-testid": "identity", "data-key": "groups" }),
    per_round: el("input", { type: "checkbox", checked: true, "data-testid": "per_round", "data-key": "groups" }),
  };
  const locks = lockFields();
  const menu = menuFields();
  const more = el("details", { class: "whole" }, el("summary", { "data-testid": "more-of-spot", text: "More: money, algorithm, memory, hands in groups, note" }),
    el("div", { class: "form-grid" }, field("Big blind", inputs.big_blind), field("Smallest chip", inputs.chip), field("Parameters", inputs.parameters), field("Storage", inputs.storage),
      field("Next cards that are one", inputs.merge), field("Hands alike by", inputs.distance), field("…told apart by", inputs.identity),
      el("label", { class: "tick" }, inputs.per_round, " Grouped anew on each street"), el("div", { class: "broad" }, field("Note", inputs.note))));
  const element = el("div", { class: "form-grid" }, first, field("Board", board), field("Pot", inputs.pot), field("Stacks behind", inputs.stack),
    el("details", { class: "whole" }, el("summary", { "data-testid": "pick-board", text: "Pick the board by clicks" }), boardPicker(board)),
    el("div", { class: "whole range-fields", "data-key": "ranges" }, ranges.map((range) => range.element)),
    menu.first, field("Rake, % of each pot and the most", inputs.rake),
    field("Stop at exploitability, % of the pot", inputs.target), field("Stop after seconds", inputs.seconds),
    field("Stop after iterations", inputs.iterations), field("Algorithm", inputs.algorithm), field("Threads", inputs.threads), menu.more, more, locks.element);
  board.addEventListener("input", () => ranges.forEach((range) => range.refresh()));
  inputs.algorithm.addEventListener("change", () => { inputs.parameters.value = ""; });

  function choose(choices) {
    for (const [name, words] of Object.entries(choices)) fill(inputs[name], words.map((word) => el("option", { value: word, text: word })));
    inputs.distance.prepend(el("option", { value: "", text: "nothing: exact" }));
  }

  function show(spot) {
    const { groups } = spot;
    menu.show(spot.menu);
    for (const name of [...NUMBERS, ...WORDS, "board"]) inputs[name].value = spot[name] ?? "";
    inputs.stack.value = [spot.stack].flat().join(", ");
    ranges.forEach((range, at) => { range.input.value = spot.ranges[at]; });
    inputs.rake.value = spot.rake ? [spot.rake.percent, spot.rake.cap].filter((part) => part != null).join(", ") : "";
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
  function spot() {
    const stacks = listOf(inputs.stack.value);
    const said = { board: board.value.replaceAll(" ", ""), stack: stacks.length > 1 ? stacks : stacks[0] ?? null, ranges: ranges.map((range) => range.input.value), menu: menu.value(), locks: locks.value() };
    for (const name of NUMBERS) said[name] = valueOf(name) ?? undefined;
    for (const name of WORDS) said[name] = inputs[name].value;
    const [percent, cap] = listOf(inputs.rake.value);
    if (percent !== undefined) said.rake = { percent, cap };
    if (inputs.distance.value) said.groups = { distance: inputs.distance.value, identity: inputs.identity.value, per_round: inputs.per_round.checked };
    return said;
  }

  return { element, show, spot, choose, lock: locks.add, ready: () => Promise.all(ranges.map((range) => range.ready())) };
}
