// Grids of hands: the 169 classes of hold'em with their combos, or a list of hands in games without them.
// A grid's numbers lie in columns, see bot/browser/views/grid.py.

import { el, fill, scrolls, table, wide } from "./dom.js";

const COLUMNS = 13;
const RULED = 20;  // % of a cell's width between the lines in checks and calls
const RULE = "#5d9160";
const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -COLUMNS, ArrowDown: COLUMNS };

export function percent(share, digits = 1) {
  return `${(100 * share).toFixed(digits)} %`;
}

// Return a number with so many digits, never as "-0.0".
export function fixed(value, digits) {
  return (Math.round(value * 10 ** digits) / 10 ** digits + 0).toFixed(digits);
}

function valueText(grid, value) {
  if (value === null || value === undefined) return "–";
  return grid.measure === "equity" ? percent(value) : fixed(value, 2);
}

// Return the actions of a grid with their colours, frequencies and values.
export function legend(grid, taken = null) {
  return el("ul", { class: "legend" }, grid.actions.map((action, index) => el("li", { class: index === taken ? "taken" : "" },
    swatch(action),
    el("span", { text: action.label }),
    el("b", { text: percent(action.frequency) }),
    action.ev === null ? null : el("span", { class: "muted", text: `EV ${fixed(action.ev, 2)}` }),
    index === taken ? el("span", { class: "muted", text: "was taken" }) : null)));
}

// Return a grid with a panel that shows the combos under the pointer, of the cell with the focus, or of the one clicked.
// `name` says in words what the grid shows; `held` is a hand to mark; `small` leaves the panel and the legend
// out, `listed` is false where the actions are listed elsewhere.
export function handGrid(grid, { name, testid = "grid", held = "", taken = null, small = false, listed = true,
  values = "shares of the pot in big blinds" }) {
  if (!grid.columns) return handList(grid, { name, testid, listed, held, taken });
  const tallest = Math.max(...grid.cells.weight, 1e-9);
  const detail = scrolls(el("div", { class: "detail", role: "status", "aria-live": "polite" }));
  const heldCell = held ? grid.cell_of[grid.combos.names.indexOf(held)] ?? classOf(grid, held) : -1;
  let pinned = heldCell >= 0 ? heldCell : -1;
  const cells = grid.cells.names.map((label, index) => cell(grid, index, tallest, index === heldCell));
  const board = el("div", { class: small ? "cells small" : "cells", role: "group", "aria-label": `${name}: use the arrow keys`,
    "data-testid": testid }, cells);
  cells[Math.max(pinned, 0)].tabIndex = 0;
  if (!small) {
    const show = (index) => fill(detail, index < 0 ? hint(grid, values) : combos(grid, index));
    board.addEventListener("pointerover", (event) => { if (event.target.dataset.cell) show(Number(event.target.dataset.cell)); });
    board.addEventListener("pointerleave", () => show(pinned));
    board.addEventListener("focusin", (event) => show(Number(event.target.dataset.cell)));
    board.addEventListener("click", (event) => {
      if (!event.target.dataset.cell) return;
      pinned = Number(event.target.dataset.cell);
      show(pinned);
    });
    show(pinned);
  }
  board.addEventListener("keydown", (event) => walk(event, cells));
  if (small) return board;
  return el("div", { class: "hands" }, listed ? legend(grid, taken) : null, el("div", { class: "hands-body" }, board, detail));
}

let kindsOpen = true;    // whether the kinds of hands stay in view, from decision to decision

// Return a decision by kinds of hands: made hands, and draws while cards are to come. `names` are the actor's and the opponent's;
// without the latter its range is left out.
export function kindsOfHands(grid, [own, other = null]) {
  const tables = [grid.made, grid.draws].filter(Boolean).map((kinds, at) => kindsTable(grid, kinds, own, other, at ? "draw" : "made hand"));
  if (!tables.length) return null;
  return el("details", { class: "kinds", open: kindsOpen, "data-testid": "kinds", on: { toggle: (event) => { kindsOpen = event.target.open; } } },
    el("summary", { text: "Kinds of hands" }), tables);
}

function kindsTable(grid, { names, share, other, frequencies, ev }, own, opponent, title) {
  const shown = names.map((_, kind) => kind).filter((kind) => share[kind] > 0 || (opponent && other[kind] > 0));
  const held = (kind, text) => el("td", { text: share[kind] > 0 ? text() : "" });
  const rows = shown.map((kind) => el("tr", { "data-name": names[kind] }, el("th", { scope: "row", text: names[kind] }), el("td", { text: percent(share[kind]) }),
    opponent ? el("td", { text: percent(other[kind]) }) : null, ev.length ? held(kind, () => valueText(grid, ev[kind])) : null,
    el("td", {}, share[kind] > 0 ? el("div", { class: "stripes", style: { background: stripes(grid.actions, frequencies.map((row) => row[kind])) } }) : null),
    grid.actions.map((_, a) => held(kind, () => percent(frequencies[a][kind], 0)))));
  return wide(table({ "data-testid": `kinds-${title.split(" ")[0]}` }, [title, own, opponent, ev.length ? grid.measure : null, "strategy", grid.actions.map((action) => short(action.label))], rows));
}

// Return the name of an action without its pot fraction.
function short(label) {
  return label.replace(/ \(.*\)$/, "");
}

function hint(grid, values) {
  const what = grid.measure === "EV" ? `Values are ${values}.` : grid.measure ? "Values are equities." : "";
  return [el("p", { class: "muted", text: `Point at a hand, or walk there with the arrow keys, to see its combos. ${what}` })];
}

// Return the cell of a hand, or of a class.
function classOf(grid, held) {
  if (held.length < 4) return grid.cells.names.indexOf(held);
  const [a, b] = [held.slice(0, 2), held.slice(2)];
  const suffix = a[0] === b[0] ? "" : a[1] === b[1] ? "s" : "o";
  return grid.cells.names.indexOf(`${a[0]}${b[0]}${suffix}`);
}

function cell(grid, index, tallest, marked) {
  const { names, weight, frequencies, ev } = grid.cells;
  const height = Math.max(0, Math.min(1, weight[index] / tallest));
  const words = height === 0 ? "never here" : frequencies.length
    ? grid.actions.map((action, a) => `${action.label} ${percent(frequencies[a][index], 0)}`).join(", ")
    : `held ${percent(weight[index], 0)}`;
  const made = el("button", { type: "button", class: marked ? "cell marked" : "cell", tabindex: -1, "data-cell": index,
    "data-name": names[index], "aria-label": `${names[index]}: ${words}` });
  made.append(el("span", { class: "name", text: names[index] }));
  if (height > 0) {
    made.style.setProperty("--fill", stripes(grid.actions, frequencies.map((row) => row[index])));
    made.style.setProperty("--height", `${100 * Math.max(height, 0.04)}%`);
    if (ev.length && ev[index] !== null) {
      made.append(el("span", { class: "ev", text: grid.measure === "equity" ? Math.round(100 * ev[index]) : fixed(ev[index], 1) }));
    }
  } else made.classList.add("nobody");
  return made;
}

// Return a gradient that shows actions side by side, as wide as they are frequent. Checks and calls are ruled: who cannot tell
// green from red sees them so, folds by their blue, and larger bets by their darkness.
export function stripes(actions, shares) {
  if (!shares.length) return `linear-gradient(${actions[0].colour}, ${actions[0].colour})`;
  let at = 0;
  const stops = [];
  actions.forEach(({ colour, label }, index) => {
    const from = at;
    at += 100 * shares[index];
    stops.push(`${colour} ${from.toFixed(2)}%`);
    if (/^(check|call)/.test(label)) {
      for (let line = from + 0.4 * RULED; line < at; line += RULED) stops.push(`${colour} ${(line - RULED / 5).toFixed(2)}%`,
        `${RULE} 0 ${line.toFixed(2)}%`, `${colour} 0`);
    }
    stops.push(`${colour} ${at.toFixed(2)}%`);
  });
  return `linear-gradient(to right, ${stops.join(", ")})`;
}

// Return the swatch of an action.
export function swatch(action) {
  return el("span", { class: "swatch", style: { background: stripes([action], [1]) } });
}

export function walk(event, cells) {
  const at = cells.indexOf(event.target);
  const step = STEPS[event.key];
  if (at < 0 || !step) return;
  event.preventDefault();
  const next = cells[at + step];
  if (!next || (Math.abs(step) === 1 && Math.floor((at + step) / COLUMNS) !== Math.floor(at / COLUMNS))) return;
  cells[at].tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

export function suited(cards) {
  return el("span", { class: "hand" }, cards.match(/../g).map((card) => el("span", { class: `suit-${card[1]}`, text: card })));
}

// Return what the panel shows of a class: the class itself, and each of its combos that gets there.
function combos(grid, index) {
  const { cells, combos: hands } = grid;
  const rows = hands.names.map((_, combo) => combo).filter((combo) => grid.cell_of[combo] === index);
  const valued = hands.ev.length > 0;
  const actions = hands.frequencies.length ? grid.actions : [];
  const line = (name, from, at) => el("tr", {}, el("th", { scope: "row" }, name), el("td", { text: percent(from.weight[at], 0) }),
    actions.map((_, a) => el("td", {}, percent(from.frequencies[a][at], 0),
      from.evs.length ? el("small", { class: "muted", text: ` ${valueText(grid, from.evs[a][at])}` }) : null)),
    valued || from.ev.length ? el("td", { text: valueText(grid, from.ev[at]) }) : null);
  const whole = [el("h2", { text: cells.names[index] }),
    el("p", { class: "muted", text: `${percent(grid.held[index], 2)} of the hands held here` })];
  if (!rows.length && !cells.ev.length) return whole;
  const coloured = (action) => el("th", { scope: "col", style: { "box-shadow": `inset 0 -3px ${action.colour}` }, text: short(action.label) });
  return [...whole, wide(table({}, ["hand", "reach", actions.map(coloured), valued || cells.ev.length ? grid.measure : null],
    actions.length || cells.ev.length ? line(el("em", { text: "all" }), cells, index) : null, rows.map((combo) => line(suited(hands.names[combo]), hands, combo))))];
}

function handList(grid, { name, testid, listed, held, taken }) {
  const { names, frequencies } = grid.cells;
  return el("div", { class: "hands" }, listed ? legend(grid, taken) : null, wide(table({ class: "hand-list", "data-testid": testid, "aria-label": name },
    ["hand", "held", "strategy", grid.actions.map((action) => action.label)],
    names.map((hand, index) => el("tr", { "data-name": hand, class: hand === held ? "held" : "" }, el("th", { scope: "row" }, suited(hand)),
      el("td", { text: percent(grid.held[index]) }),
      el("td", {}, el("div", { class: "stripes", style: { background: stripes(grid.actions, frequencies.map((row) => row[index])) } })),
      grid.actions.map((_, a) => el("td", { text: percent(frequencies[a][index]) })))))));
}
