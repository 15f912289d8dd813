// Reports on a solved spot: what each next card does, and the graph of equity and EV over both ranges.

import { lineChart } from "./chart.js";
import { el, fill } from "./dom.js";
import { fixed, legend, percent, stripes, suited, walk } from "./grid.js";
import { ask } from "./socket.js";

const RANKS = "AKQJT98765432";
const SUITS = "shdc";

let shown = 0;           // the view of the next cards chosen last
let graphOpen = false;   // whether the graph stays open from decision to decision

// Return the report on the cards that may fall next at `node`. `quick` says whether to make it unasked; `told(promise)`
// shows what went wrong.
export function cardReport({ node, names, go, told, quick }) {
  const body = el("div", {});
  const make = async () => {
    fill(body, el("p", { class: "muted", text: "Looking at every card …" }));
    const report = await told(ask({ kind: "solve.cards", line: node.line }));
    fill(body, report ? cardGrid(report, names, (card) => go(node.line, card)) : null);
  };
  if (quick) make();
  else fill(body, el("button", { "data-testid": "report-cards", on: { click: make } }, "Report on every card (about one iteration)"));
  return el("section", { class: "card-report" }, el("h2", { text: `What each ${node.street} card does` }), body);
}

// Return a grid of suits by ranks with a choice of what it shows; `choose(card)` is called with the one clicked.
function cardGrid(report, names, choose) {
  const actor = report.position;
  const both = (of) => names.map((name, at) => [`${of} ${name.toLowerCase()}`, at]);
  const views = [{ name: `Strategy ${names[actor].toLowerCase()}` },
    ...both("EV").map(([name, at]) => ({ name, value: (card) => card.share[at], text: (value) => fixed(value, value < 99.95 ? 1 : 0) })),
    ...both("Equity").map(([name, at]) => ({ name, value: (card) => card.equity[at], text: (value) => fixed(100 * value, 0) }))];
  const dealt = new Map(report.cards.map((card) => [card.card, card]));
  const detail = el("p", { class: "card-detail", role: "status" });
  const cells = [...SUITS].flatMap((suit) => [...RANKS].map((rank) => cardCell(rank + suit, dealt.get(rank + suit), report, choose)));
  const say = (event) => {
    const card = dealt.get(event.target.dataset?.name);
    if (card) fill(detail, ...sentence(card, report, names));
  };
  const board = el("div", { class: "cells cards", role: "group", "aria-label": "Next cards: use the arrow keys", "data-testid": "next-cards",
    on: { pointerover: say, focusin: say, keydown: (event) => walk(event, cells) } }, cells);
  const buttons = views.map((view, at) => el("button", { type: "button", "data-testid": `cards-view-${at}`, text: view.name, on: { click: () => draw(at) } }));
  function draw(at) {
    shown = at;
    buttons.forEach((button, other) => button.setAttribute("aria-pressed", String(other === at)));
    paint(cells, dealt, report, views[at]);
  }
  cells[0].tabIndex = 0;
  draw(shown);
  fill(detail, el("span", { class: "muted", text: "Point at a card, or walk there with the arrow keys, for its numbers; a click goes on with it." }));
  const means = names.map((name, at) => `${name} ${value(report.share[at], 2)} bb, equity ${report.equity[at] === null ? "–" : percent(report.equity[at])}`);
  return [el("div", { class: "row views", role: "group", "aria-label": "What the cards show" }, buttons), legend({ actions: report.actions }), board, detail,
    el("p", { "data-testid": "cards-mean", text: `Over all cards: ${means.join("; ")}.` })];
}

function value(number, digits) {
  return number === null ? "–" : fixed(number, digits);
}

function cardCell(name, card, report, choose) {
  const words = card ? `${name}: ${report.actions.map((action, a) => `${action.label} ${percent(card.frequencies[a], 0)}`).join(", ")}` : `${name}: on the board`;
  return el("button", { type: "button", class: "cell", tabindex: -1, "aria-disabled": card ? null : "true", "data-name": name,
    "aria-label": words, on: { click: () => { if (card) choose(name); } } },
    el("span", { class: `name suit-${name[1]}`, text: name }), el("span", { class: "ev" }));
}

// Fill the cells: actions side by side, or bars as high as the values, from the lowest card's to the highest one's.
function paint(cells, dealt, report, view) {
  const known = view.value ? report.cards.map(view.value).filter((number) => number !== null) : [];
  const [low, high] = [Math.min(...known), Math.max(...known)];
  for (const cell of cells) {
    const card = dealt.get(cell.dataset.name);
    const number = card && view.value ? view.value(card) : null;
    const empty = !card || !card.weight;
    cell.classList.toggle("nobody", empty);
    cell.lastChild.textContent = number === null ? "" : view.text(number);
    if (empty) continue;
    cell.style.setProperty("--fill", view.value ? "linear-gradient(var(--held), var(--held))" : stripes(report.actions, card.frequencies));
    cell.style.setProperty("--height", view.value ? `${15 + 85 * (number - low) / Math.max(high - low, 1e-9)}%` : "100%");
  }
}

function sentence(card, report, names) {
  const alike = card.alike.match(/../g).filter((other) => other !== card.card);
  return [suited(card.card), alike.length ? [" (the same as ", suited(alike.join("")), ")"] : null, ` falls ${percent(card.weight)}: `,
    report.actions.map((action, a) => `${action.label} ${percent(card.frequencies[a])}`).join(", "), ". ",
    names.map((name, at) => `${name} ${value(card.share[at], 2)} bb, equity ${card.equity[at] === null ? "–" : percent(card.equity[at])}`).join("; "), "."].flat();
}

// Return the graph of a decision's hands by rising equity, which is loaded when it is opened.
export function equityGraph({ node, names, told }) {
  const body = el("div", { class: "graphs" });
  const load = async () => {
    if (body.childElementCount || !details.open) return;
    fill(body, el("p", { class: "muted", text: "Counting equities …" }));
    const sides = await told(ask({ kind: "solve.equity", line: node.line }));
    fill(body, sides ? [["Equity in %", "equity"], ["EV of the pot in bb", "share"]].map(([title, of]) => lineChart(title, "hands by rising equity, % of the range",
      sides.map((side, at) => ({ name: names[at], samples: side.up_to, mean: side[of], half: side.up_to.map(() => null) })))) : null);
  };
  const details = el("details", { class: "equity-graph", open: graphOpen, "data-testid": "equity-graph" }, el("summary", { text: "Equity and EV over the ranges" }), body);
  details.addEventListener("toggle", () => { graphOpen = details.open; load(); });
  if (graphOpen) load();
  return node.comes_up ? details : null;
}

// What grids can show: `of` a mean of the hands that a solve has valued, or the `reach` of one player or of all.
const VALUES = [{ name: "Strategy" },
  { name: "EV", says: () => "EV of the pot in big blinds; the highest fills its cell.", of: (hand) => hand.share, text: (value) => fixed(value, 1) },
  { name: "Equity", says: () => "Equity in %; the highest fills its cell.", of: (hand) => 100 * hand.equity, text: (value) => fixed(value, 0) },
  { name: "Realised", says: () => "EV in % of what the equity alone is worth; the highest fills its cell.", of: (hand, pot) => 100 * hand.share / (hand.equity * pot), text: (value) => fixed(value, 0) },
  { name: "Reach", says: (names, position) => `How often ${names[position].toLowerCase()} comes here with each hand, in %; the likeliest fills its cell.`,
    reach: (node) => [node.position], text: reachText },
  { name: "Both reaches", says: (names) => `How often each player comes here with each hand, in %, from the left: ${names.map((name, at) => `${name.toLowerCase()}${at % 2 ? " (hatched)" : ""}`).join(", ")}; the likeliest hand of each fills its part.`,
    reach: (node) => node.ranges.map((_, position) => position), text: reachText }];
const FILLS = ["linear-gradient(var(--held), var(--held))", "repeating-linear-gradient(45deg, var(--loss) 0 4px, transparent 4px 7px)"];
const DRAWN = ["--fill", "--height", "--bars"];
let chosen = 0;          // number of the value that grids show, from decision to decision

function reachText(value) {
  return fixed(value, value < 9.95 ? 1 : 0);
}

// Return buttons that have the grid of a decision show other values than the strategy: the players' reach, and with `told`, of a
// solve, the actor's EV, equity or realised equity.
export function gridValues({ node, names, told = null }, hands) {
  const cells = [...hands.querySelectorAll(".cells .cell")];
  if (!cells.length) return null;
  const before = cells.map((cell) => [DRAWN.map((name) => cell.style.getPropertyValue(name)), cell.getAttribute("aria-label"), cell.querySelector(".ev")?.textContent ?? "", cell.classList.contains("nobody")]);
  const said = el("span", { class: "muted", role: "status" });
  let classes = null;
  const offered = VALUES.map((value, at) => ({ ...value, at })).filter(({ of, reach }) => (of ? told && node.comes_up : !reach || node.ranges.length));
  const buttons = offered.map(({ name, at }) => el("button", { type: "button", "data-testid": `value-${at}`, text: name, on: { click: () => { chosen = at; show(at); } } }));
  async function show(at) {
    const { says, of, reach, text } = VALUES[at];
    buttons.forEach((button, other) => button.setAttribute("aria-pressed", String(offered[other].at === at)));
    if (of) classes ??= await told(ask({ kind: "solve.equity", line: node.line }).then((sides) => meansOf(node.grid, sides[node.position])));
    if (of && (at !== chosen || !classes)) return;
    const players = reach?.(node) ?? [];
    const columns = of ? [classes.map((mean) => mean && of(mean, node.pot_bb)).map((value) => (Number.isFinite(value) ? value : null))]
      : players.map((position) => node.ranges[position].cells.weight.map((weight) => (weight > 0 ? 100 * weight : null)));
    const ends = columns.map((values) => [Math.min(0, ...values), Math.max(...values, 1e-9)]);
    said.textContent = says?.(names, node.position) ?? "";
    cells.forEach((cell, index) => {
      if (!columns.length) return draw(cell, ...before[index]);
      const values = columns.map((column) => column[index]);
      const told = values.map((value) => (value === null ? "–" : text(value)));
      const bars = values.map((value, side) => `${FILLS[side % 2]} ${values.length > 1 ? 100 * side / (values.length - 1) : 0}% 100% / ${100 / values.length}% ${
        value === null ? 0 : 100 * (value - ends[side][0]) / (ends[side][1] - ends[side][0])}% no-repeat`);
      const empty = values.every((value) => value === null);
      const label = players.length > 1 ? players.map((position, side) => `${names[position]} ${told[side]}`).join(", ") : told[0].replace("–", "unknown");
      draw(cell, ["", "", bars.join(", ")], `${cell.dataset.name}: ${label}`, empty ? "" : told.join(" | "), empty);
    });
  }
  show(offered.some(({ at }) => at === chosen) ? chosen : 0);
  return el("div", { class: "row views", role: "group", "aria-label": "What the grid shows" }, buttons, said);
}

function draw(cell, drawn, label, number, empty) {
  DRAWN.forEach((name, at) => cell.style.setProperty(name, drawn[at]));
  cell.setAttribute("aria-label", label);
  cell.classList.toggle("nobody", empty);
  if (number && !cell.querySelector(".ev")) cell.append(el("span", { class: "ev" }));
  if (cell.querySelector(".ev")) cell.querySelector(".ev").textContent = number;
}

// Return the means of a side's hands by cell of a grid: {equity, share}, null for cells that nobody holds.
function meansOf(grid, side) {
  const sums = grid.cells.names.map(() => ({ weight: 0, equity: 0, share: 0 }));
  const cellOf = new Map(grid.combos.names.map((hand, at) => [hand, grid.cell_of[at]]));
  side.hands.forEach((hand, at) => {
    const weight = side.weight[at];
    const sum = sums[cellOf.get(hand)];
    sum.weight += weight;
    sum.equity += weight * side.equity[at] / 100;
    sum.share += weight * side.share[at];
  });
  return sums.map(({ weight, equity, share }) => (weight > 0 ? { equity: equity / weight, share: share / weight } : null));
}
