// The editor of a range: a grid of 169 cells that weights are painted on, the suits of one cell, kept ranges, and notations.
// It keeps nothing of the range itself: what is painted becomes items at the end of the text, and the server reads the text.

import { alertLine, el, field, fill } from "./dom.js";
import { fixed, suited, walk } from "./grid.js";
import { ask } from "./socket.js";

const RANKS = "AKQJT98765432";
const SUITS = "shdc";
const SIDE = RANKS.length;
const NAMES = [...RANKS].flatMap((a, row) => [...RANKS].map((b, column) => (row === column ? a + b : row < column ? `${a}${b}s` : `${b}${a}o`)));
const RIM = 0.12;  // of a cell's side: who drags along a diagonal touches the rims of cells beside it
const WEIGHTS = [100, 75, 50, 25, 0];
const NOTATIONS = { limpet: "Limpet", pio: "PioSOLVER", equilab: "Equilab", "gto+": "GTO+" };

const shelves = new Map();  // functions that show the names of kept ranges, by their editor's element

// Return the hands of a cell, as the server names them.
function handsOf(name) {
  const [a, b, kind] = name;
  return [...SUITS].flatMap((s, i) => [...SUITS].filter((t, j) => (kind === "s" ? i === j : kind === "o" ? i !== j : i < j)).map((t) => a + s + b + t));
}

// Return {element, show(view), opened()}. `write(text, notation)` is called with a new text; `text()` returns the text and
// `board()` the cards of the board as they are. `show` takes the server's view of the text, null for text that is wrong.
export function rangeEditor({ words, testid, write, text, board }) {
  let view = null;
  let chosen = 100;      // weight to paint with, in %
  let stroke = null;     // {weight, cells, last} while the pointer is down
  let listed = -1;       // cell whose suits are listed
  const undone = [];     // earlier texts
  const { wrong, told } = alertLine();

  // --- the grid

  const cells = NAMES.map((name, index) => el("button", { type: "button", class: "cell", tabindex: index ? -1 : 0, "data-name": name },
    el("span", { class: "name", text: name }), el("span", { class: "ev" })));
  const grid = el("div", { class: "cells paint", role: "group", "data-testid": `cells-${testid}`,
    "aria-label": `${words}: arrow keys move, space paints, shift with an arrow paints on, s lists the suits` }, cells);

  function draw(index, weight, uneven) {
    const cell = cells[index];
    const percents = Math.round(100 * weight);
    cell.style.setProperty("--height", `${weight > 0 ? Math.max(100 * weight, 8) : 0}%`);
    cell.classList.toggle("uneven", uneven);
    cell.classList.toggle("nobody", weight === 0);
    cell.lastChild.textContent = weight > 0 && weight < 1 ? (percents || "<1") : "";
    cell.setAttribute("aria-label", `${NAMES[index]}: ${uneven ? "by suits, " : ""}${percents} %`);
  }
  // Return the weights of a cell's hands that miss the board.
  function weights(index) {
    const dead = board();
    const held = view.hands;
    return handsOf(NAMES[index]).filter((hand) => !dead.includes(hand.slice(0, 2)) && !dead.includes(hand.slice(2))).map((hand) => held.get(hand) ?? 0);
  }
  const isAll = (index, weight) => weights(index).every((other) => Math.abs(other - weight) < 1e-4);
  const usable = () => view !== null && view.unit !== null;

  function begin(index) {
    if (!usable()) return;
    stroke = { weight: isAll(index, chosen / 100) ? 0 : chosen, cells: new Set(), last: null };
    add(index);
  }
  function add(index) {
    if (!stroke || stroke.cells.has(index)) return;
    stroke.cells.add(index);
    draw(index, stroke.weight / 100, false);
  }
  function finish() {
    if (!stroke) return;
    const { cells: painted, weight } = stroke;
    stroke = null;
    list([...painted].at(-1));
    paint([...painted].map((index) => NAMES[index]), weight);
  }
  // Append items to the text.
  function paint(items, weight) {
    change([plainText(), ...items.map((item) => `${item}:${weight / 100}`)].filter((part) => part.trim()).join(","));
  }
  // Return the text, whose weights are what their signs say.
  function plainText() {
    return view?.unit === "percent" ? view.text : text();
  }
  async function change(next, notation) {
    wrong.textContent = "";
    undone.push(plainText());
    undo.disabled = false;
    return write(next, notation);
  }

  // Return the row and the column under the pointer, as numbers with a fraction.
  function spot(event) {
    const box = grid.getBoundingClientRect();
    return [(event.clientY - box.top) / box.height * SIDE, (event.clientX - box.left) / box.width * SIDE];
  }
  function cellAt(place) {
    const [row, column] = place;
    return row >= 0 && row < SIDE && column >= 0 && column < SIDE ? SIDE * Math.floor(row) + Math.floor(column) : -1;
  }
  grid.addEventListener("pointerdown", (event) => {
    const index = cellAt(spot(event));
    if (event.button || index < 0 || stroke) return;
    if (event.shiftKey || event.altKey || suitsOnly.getAttribute("aria-pressed") === "true") return list(index);
    begin(index);
    if (stroke) stroke.last = spot(event);
    grid.setPointerCapture(event.pointerId);
  });
  grid.addEventListener("pointermove", (event) => {
    if (!stroke?.last) return;
    const [from, to] = [stroke.last, spot(event)];
    const steps = Math.ceil(8 * Math.max(Math.abs(to[0] - from[0]), Math.abs(to[1] - from[1]))) || 1;
    for (let step = 1; step <= steps; step += 1) {  // a fast pointer jumps over cells
      const passed = [0, 1].map((axis) => from[axis] + (to[axis] - from[axis]) * step / steps);
      const inside = passed.every((place) => Math.abs(place - Math.floor(place) - 0.5) < 0.5 - RIM);
      if (inside && cellAt(passed) >= 0) add(cellAt(passed));
    }
    stroke.last = to;
  });
  for (const event of ["pointerup", "pointercancel"]) grid.addEventListener(event, finish);
  grid.addEventListener("click", (event) => {  // of the keyboard, or of what reads the screen
    if (event.detail === 0 && cells.includes(event.target)) { begin(cells.indexOf(event.target)); finish(); }
  });
  grid.addEventListener("keydown", (event) => {
    const at = cells.indexOf(event.target);
    if (event.key.toLowerCase() === "s" && !event.ctrlKey && !event.metaKey && at >= 0) {
      event.preventDefault();
      list(at);
      suits.querySelector("button")?.focus();
      return;
    }
    walk(event, cells);
    const to = cells.indexOf(document.activeElement);
    if (!event.shiftKey || to === at || !usable()) return;
    stroke = { weight: chosen, cells: new Set(), last: null };
    add(to);
    finish();
  });

  // --- the suits of one cell

  const suits = el("div", { class: "suits", role: "group", "data-testid": `suits-${testid}` });
  const suitsOnly = el("button", { type: "button", "aria-pressed": "false", "data-testid": "suits-only", title: "Then a tap lists a cell's hands and paints nothing; shift and a click do so too.",
    on: { click: () => suitsOnly.setAttribute("aria-pressed", String(suitsOnly.getAttribute("aria-pressed") !== "true")) } }, "Suits");

  function list(index) {
    if (listed >= 0) cells[listed].classList.remove("marked");
    listed = index;
    cells[index].classList.add("marked");
    fill(suits, el("p", {}, el("b", { text: NAMES[index] }), " hand by hand:"), el("div", { class: "suit-hands" }, handsOf(NAMES[index]).map((hand) => el("button", { type: "button", class: "suit-hand", "data-hand": hand,
      on: { click: () => {
        if (!usable()) return;
        const weight = view.hands.get(hand) ?? 0;
        paint([hand], Math.abs(weight - chosen / 100) < 1e-4 ? 0 : chosen);
      } } }, suited(hand), el("span", { class: "share" })))));
    drawSuits();
  }
  function drawSuits() {
    if (!view) return;
    const dead = board();
    for (const button of suits.querySelectorAll("[data-hand]")) {
      const hand = button.dataset.hand;
      const weight = view.hands.get(hand) ?? 0;
      button.disabled = dead.includes(hand.slice(0, 2)) || dead.includes(hand.slice(2));
      button.style.setProperty("--height", `${100 * weight}%`);
      button.lastChild.textContent = button.disabled ? "–" : `${fixed(100 * weight, weight * 100 % 1 ? 1 : 0)} %`;
    }
  }

  // --- the weight to paint with

  const own = el("input", { type: "range", min: 0, max: 100, step: 1, value: 100, "data-testid": "own-weight", "aria-label": "Weight to paint with, in percent", on: { input: () => choose(Number(own.value)) } });
  const shown = el("output", {});
  const brushes = WEIGHTS.map((weight) => el("button", { type: "button", "data-testid": `weight-${weight}`, class: "brush", style: { "--height": `${weight}%` }, on: { click: () => choose(weight) } }, el("span", { text: `${weight} %` })));
  function choose(weight) {
    chosen = weight;
    own.value = weight;
    shown.textContent = `${weight} %`;
    brushes.forEach((brush, at) => brush.setAttribute("aria-pressed", String(WEIGHTS[at] === weight)));
  }
  choose(100);

  // --- whole ranges: the best hands, kept ones, notations

  const button = (words, id, click) => el("button", { type: "button", "data-testid": id, on: { click } }, words);
  const undo = button("Undo", "undo", async () => {
    const before = undone.pop();
    undo.disabled = !undone.length;
    if (before !== undefined) await write(before);
  });
  undo.disabled = true;
  const best = el("input", { value: 20, class: "few", inputmode: "decimal", "data-testid": "best", "aria-label": "Percent of the hands" });
  const whole = el("div", { class: "row" }, undo, button("No hands", "none", () => change("random:0")), button("All hands", "all", () => change("random")),
    el("span", {}, button("The best", "take-best", () => change(`${best.value.trim()}%`)), " ", best, " %"));

  const saved = el("select", { "data-testid": "saved", on: { change: () => { name.value = saved.value; named(); } } });
  const name = el("input", { maxlength: 60, "data-testid": "range-name", on: { input: named } });
  const save = button("Save", "save", () => told(ask({ kind: "range.save", name: name.value.trim(), text: plainText() }).then(spread)));
  const openIt = button("Open", "open-range", () => told(ask({ kind: "range.open", name: saved.value }).then((text) => change(text))));
  const forget = button("Forget", "forget", () => told(ask({ kind: "range.forget", name: saved.value }).then(spread)));
  function named() {
    const known = name.value.trim() && [...saved.options].some((option) => option.value === name.value.trim());
    save.textContent = known ? "Replace" : "Save";
    save.disabled = !name.value.trim() || !usable();
  }
  function names(all) {
    const before = saved.value;
    fill(saved, all.length ? all.map((one) => el("option", { value: one, text: one })) : el("option", { value: "", text: "none so far" }));
    if (all.includes(name.value.trim())) saved.value = name.value.trim();
    else if (all.includes(before)) saved.value = before;
    openIt.disabled = forget.disabled = saved.disabled = !all.length;
    named();
  }
  function spread(all) {
    for (const [shelf, show] of shelves) {
      if (shelf.isConnected) show(all);
      else shelves.delete(shelf);
    }
  }

  const notations = el("div", { class: "row", role: "group", "aria-label": "Notation of the text" }, el("span", { text: "Write the text for" }),
    Object.entries(NOTATIONS).map(([notation, program]) => button(program, `to-${notation}`, async () => {
      if (!await change(plainText(), notation)) return;
      const field = element.closest(".range-field").querySelector("textarea");
      field.focus();
      field.select();
      await navigator.clipboard?.writeText(field.value).catch(() => {});  // else the person copies it
    })));

  const element = el("div", { class: "range-editor", "data-testid": `editor-${testid}`, on: { keydown: (event) => {
    if (event.key !== "Enter" || event.target.tagName !== "INPUT") return;
    event.preventDefault();  // the form is not sent
    if (event.target === name) save.click();
    if (event.target === best) element.querySelector("[data-testid=take-best]").click();
  } } },
  el("div", { class: "brushes", role: "group", "aria-label": "Weight to paint with" }, brushes, el("span", { class: "own-weight" }, own, shown), suitsOnly),
  el("div", { class: "range-grid" }, grid, suits), whole,
  el("div", { class: "row" }, field("Kept ranges", saved), openIt, forget, field("Name", name), save), notations, wrong);

  function show(next) {
    view = next && { ...next, hands: new Map(next.grid.combos.names.map((hand, at) => [hand, next.grid.combos.weight[at]])) };
    grid.setAttribute("aria-disabled", String(!usable()));
    named();
    if (!view || stroke) return;
    NAMES.forEach((_, index) => {
      const all = weights(index);
      draw(index, view.grid.cells.weight[index], all.some((weight) => Math.abs(weight - all[0]) > 1e-4));
    });
    drawSuits();
  }
  async function opened() {
    shelves.set(element, names);
    await told(ask({ kind: "range.list" }).then(names));
  }
  list(0);
  return { element, show, opened };
}
