// The page that sets two decisions side by side, of one solve or of two, or of trained strategies, and shows what differs.

import { alertLine, el, field, fill, readdress, scrolls, table, wide } from "./dom.js";
import { fixed, percent, walk } from "./grid.js";
import { DECK } from "./picker.js";
import { ask } from "./socket.js";
import { itemsOf, lineWith, treeView } from "./tree.js";

const NAMES = ["Out of position", "In position"];
const SIDES = ["First", "Second"];
const COMPARED = ["first", "second", "change"];
export const TRAINED = "strategy:";
const VIEWS = { both: "Side by side", difference: "Difference" };

// Return the address of two decisions, each {folder, line}; an empty folder is the spot that this tab has solved, and
// strategy:NAME a trained strategy.
function comparedAt(first, second, view = "both") {
  return `#/${["compare", first.folder, first.line, second.folder, second.line, view].map(encodeURIComponent).join("/")}`;
}

// Return a link to compare a decision, {folder, line}, with another one.
export function compareLink(here) {
  return el("a", { href: comparedAt(here, here), "data-testid": "compare", text: "Compare this decision with another one" });
}

export function show(main, [folder = "", line = "", otherFolder = folder, otherLine = line, view = "both"]) {
  let sides = [{ folder, line }, { folder: otherFolder, line: otherLine }];
  let turn = 0;
  const { wrong, told } = alertLine();
  const state = el("p", { role: "status", class: "muted" });
  const solves = SIDES.map((name, at) => el("select", { "data-testid": `solve-${at}`, on: { change: (event) => choose(at, event.target.value) } }));
  const trees = SIDES.map((name, at) => treeView({ label: `the ${name.toLowerCase()} decision`, go: (before, cards) => go(at, lineWith(before, cards)), names: NAMES, deck: DECK }));
  const together = el("input", { type: "checkbox", checked: line === otherLine, "data-testid": "together" });
  const buttons = Object.entries(VIEWS).map(([name, text]) => el("button", { type: "button", "data-testid": `view-${name}`, text, on: { click: () => { view = name; look(); } } }));
  const totals = wide();
  const difference = el("div", { "data-view-of": "difference" });
  const page = el("section", { class: "compare" },
    el("div", { class: "row" }, el("div", { class: "row views", role: "group", "aria-label": "View" }, buttons), el("label", {}, together, " Walk both together"),
      el("a", { href: "#/solve", text: "Solve a spot" }), el("a", { href: "#/strategy", text: "Walk a strategy" })), wrong, state, totals,
    el("div", { class: "two", on: { pointerover: mirror, focusin: mirror } }, SIDES.map((name, at) => el("section", { class: "panel", "aria-label": name, "data-testid": `side-${at}` }, field(`${name} decision, of the solve or strategy`, solves[at]), trees[at].element))),
    difference);
  fill(main, el("h1", { text: "Compare two decisions" }), page);
  begin();

  async function begin() {
    const lists = await told(Promise.all([ask({ kind: "solve.kept" }), ask({ kind: "strategy.list" })]));
    const [kept, strategies] = lists ?? [[], []];
    const trained = strategies.filter((choice) => choice.heads_up).map((choice) => TRAINED + choice.name);
    const names = new Set([...kept, ...sides.map((side) => side.folder)].filter((name) => name && !trained.includes(name)));
    for (const select of solves) {
      fill(select, el("option", { value: "", text: "solved last on this page" }), [...names].map((name) => el("option", { value: name, text: name })),
        el("optgroup", { label: "Trained strategies" }, trained.map((name) => el("option", { value: name, text: name.slice(TRAINED.length) }))));
    }
    if (lists) load(sides);
  }

  // Go to another decision on one side; where both walk together, take the same steps back and on at the other.
  function go(at, after) {
    const [before, now] = [sides[at].line, after].map(itemsOf);
    const same = [...before, null].findIndex((item, step) => item !== now[step]);
    const steps = (own) => [...own.slice(0, Math.max(own.length - (before.length - same), 0)), ...now.slice(same)].join(", ");
    return load(sides.map((side, other) => (other === at ? { ...side, line: after } : together.checked ? { ...side, line: steps(itemsOf(side.line)) } : side)));
  }

  // Take another solve for one side, at the same decision if it has that.
  async function choose(at, name) {
    const changed = sides.map((side, other) => (other === at ? { ...side, folder: name } : side));
    if (await load(changed)) return;
    const begun = changed.map((side, other) => (other === at ? { ...side, line: "" } : side));
    if (changed[at].line && await load(begun)) return;
    sides = begun;  // it stays chosen until the other one is chosen too
    solves[at].value = name;
  }

  // Load two decisions. Returns whether there are such.
  async function load(wanted) {
    const mine = ++turn;
    state.textContent = "Looking at both …";
    const found = await told(ask({ kind: "solve.compare", folders: wanted.map((side) => side.folder), lines: wanted.map((side) => side.line) }));
    if (mine !== turn) return true;
    state.textContent = "";
    if (found) {
      sides = wanted.map((side, at) => ({ ...side, line: found.nodes[at].line }));
      found.nodes.forEach((node, at) => trees[at].show(node));
      draw(found);
    }
    solves.forEach((select, at) => { select.value = sides[at].folder; });
    return Boolean(found);
  }

  function draw({ nodes, comparison }) {
    fill(totals, comparison ? totalsTable(comparison) : null);
    fill(difference, comparison ? differenceGrid(comparison, nodes[0].grid.cells.names) : null);
    look();
  }

  // Show the hand under the pointer, or with the focus, on the other side too.
  function mirror({ isTrusted, target }) {
    if (!isTrusted || !target.dataset?.name) return;
    const other = trees.find((tree) => !tree.element.contains(target));
    other.element.querySelector(`.hands-body [data-name="${target.dataset.name}"]`)?.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
  }

  function look() {
    page.dataset.view = view;
    buttons.forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.testid === `view-${view}`)));
    readdress(page, comparedAt(...sides, view));
  }

  return () => { turn = -1; };
}

// Return a row of two values, whose change is told with its sign.
function row(name, pair, digits, unit, scale = 1) {
  const [before, after] = pair.map((value) => (value === null ? null : scale * value));
  const told = (value) => (value === null ? "–" : `${fixed(value, digits)} ${unit}`);
  return el("tr", {}, el("th", { scope: "row", text: name }), el("td", { text: told(before) }), el("td", { text: told(after) }),
    el("td", { text: before === null || after === null ? "–" : change(after - before, digits) }));
}

function change(value, digits) {
  const text = fixed(value, digits);
  return Number(text) > 0 ? `+${text}` : text;
}

function totalsTable({ frequencies, ev_share_bb: shares, pot_bb: pots }) {
  return table({ "data-testid": "totals" }, ["all hands", ...COMPARED], Object.entries(frequencies).map(([name, pair]) => row(name, pair, 1, "%", 100)),
    NAMES.map((name, position) => row(`EV ${name.toLowerCase()}`, shares.map((side) => side[position]), 3, "bb")), row("pot", pots, 2, "bb"));
}

// Return a grid of what differs, hand by hand: how much of the play goes into other actions, one action's frequency, or the EV.
function differenceGrid({ frequencies, classes, positions }, names) {
  const delta = ([before, after]) => (before === null || after === null ? null : after - before);
  const points = (value) => change(100 * value, 0);
  const views = [{ name: "All actions", value: (hand) => hand.moved, text: (value) => fixed(100 * value, 0) },
    ...Object.keys(frequencies).map((action) => ({ name: action, value: (hand) => delta(hand.frequencies[action]), text: points })),
    { name: "EV", value: (hand) => delta(hand.share_bb), text: (value) => change(value, Math.abs(value) < 9.95 ? 1 : 0) }]
    .filter((view) => view.name !== "EV" || Object.values(classes).some((hand) => view.value(hand) !== null));
  const detail = scrolls(el("div", { class: "detail", role: "status" }, el("p", { class: "muted", text: "Point at a hand, or walk there with the arrow keys, for both decisions' numbers." })));
  const cells = names.map((name) => el("button", { type: "button", class: classes[name] ? "cell" : "cell nobody", tabindex: -1, "data-name": name,
    "aria-label": classes[name] ? `${name}: ${percent(classes[name].moved, 0)} of its play moves` : `${name}: not held in both` }, el("span", { class: "name", text: name }), el("span", { class: "ev" })));
  const say = ({ target }) => {
    const hand = classes[target.dataset?.name];
    if (hand) fill(detail, el("h2", { text: target.dataset.name }), table({ "data-testid": "class-difference" }, ["action", ...COMPARED],
      Object.entries(hand.frequencies).map(([name, pair]) => row(name, pair, 1, "%", 100)), row("EV", hand.share_bb, 3, "bb"), row("held", hand.happens, 2, "%", 100)));
  };
  const board = el("div", { class: "cells", role: "group", "aria-label": "What differs: use the arrow keys", "data-testid": "difference",
    on: { pointerover: say, focusin: say, keydown: (event) => walk(event, cells) } }, cells);
  cells[0].tabIndex = 0;
  const buttons = views.map((view, at) => el("button", { type: "button", "data-testid": `differs-${at}`, text: view.name, on: { click: () => paint(at) } }));
  function paint(at) {
    buttons.forEach((button, other) => button.setAttribute("aria-pressed", String(other === at)));
    const values = cells.map((cell) => (classes[cell.dataset.name] ? views[at].value(classes[cell.dataset.name]) : null));
    const largest = Math.max(...values.map(Math.abs), 1e-9);
    cells.forEach((cell, number) => {
      const value = values[number];
      cell.lastChild.textContent = value === null || Math.abs(value) < 5e-4 ? "" : views[at].text(value);
      cell.classList.toggle("less", value < 0);
      cell.style.setProperty("--height", `${100 * Math.abs(value ?? 0) / largest}%`);
    });
  }
  paint(0);
  const of = positions[0] === positions[1] ? "" : ` The first decision is of the player ${positions[0]}, the second of the one ${positions[1]}.`;
  return [el("div", { class: "row views", role: "group", "aria-label": "What differs" }, buttons),
    el("p", { class: "muted", text: `Fillings are as high as the change from the first to the second decision, hatched where something is less; the largest fills its cell.${of}` }),
    el("div", { class: "hands-body" }, board, detail)];
}
