// A decision of a tree: the way to it, its actions as buttons that lead on, a picker for cards, and the grids.

import { el, fill } from "./dom.js";
import { handGrid, kindsOfHands, percent, suited, swatch } from "./grid.js";
import { cardPicker, DECK } from "./picker.js";

// Return {element, show(node)}. `go(line, cards)` is called to load another decision: its line, and cards to
// add to the board, null for none, an empty text to choose others.
// `extra` and `more` return what stands between a decision's actions and its grid, and what is worked out besides, if anything;
// `values` what has the grid show something else.
// `names` are the players' by position; `deck` are the cards that may be dealt; `label` says what the way there is the way to.
export function treeView({ go, names, deck, label = "this decision", extra = (node) => null, values = (node, hands) => null, more = (node) => null }) {
  const element = el("div", { class: "tree" });
  let ranges = 0;

  // Draw a decision. The focus that was in the one before goes to its first action: who walks by keyboard stays there.
  function show(node) {
    const held = element.contains(document.activeElement);
    draw(node);
    if (held) (element.querySelector("[data-testid=edge]:enabled, .pick:enabled") ?? element.querySelector(".way button:last-child")).focus({ preventScroll: true });
  }

  function draw(node) {
    const way = el("nav", { class: "way", "aria-label": `Way to ${label}`, "data-testid": "way" }, el("button", { on: { click: () => go("", null) } }, "Start"),
      node.path.map((step) => el("button", { on: { click: () => go(step.line, null) }, title: `back to ${names[step.position]} on the ${step.street}` },
        el("small", { text: names[step.position] }), ` ${step.label}`)));
    const head = el("p", { class: "head", "data-testid": "decision" }, el("b", { text: node.street }), " ", node.board ? suited(node.board) : null,
      ` pot ${node.pot_bb} bb, `, el("b", { text: names[node.position] }), " acts ",
      node.path.length && node.board && dealt(node) ? el("button", { class: "other", "data-testid": "other-cards", on: { click: () => go(node.line, "") } }, "Other cards") : null);
    if (node.cards_missing) return fill(element, way, head, more(node), nextCards(node, deck, (cards) => go(node.line, cards)));
    const edges = el("div", { class: "edges", role: "group", "aria-label": "Actions" }, node.edges.map((edge) => el("button", {
      disabled: edge.line === null, "data-testid": "edge", title: edge.line === null ? "The hand is over after this." : "Go on from here",
      on: { click: () => go(edge.line, null) } },
      swatch(edge), ` ${edge.label} `, el("b", { text: percent(edge.frequency) }))));
    const notes = [];
    if (!node.comes_up) notes.push("One of the players never gets here, so that each hand counts by its own reach.");
    if (node.untrained > 0.00005) notes.push(`${percent(node.untrained, 2)} of the hands get here though training never did; they borrow a row.`);
    const hands = handGrid(node.grid, { name: `What ${names[node.position]} does`, listed: false });
    fill(element, way, head, edges, notes.map((text) => el("p", { class: "muted", text })), extra(node), values(node, hands), hands,
      kindsOfHands(node.grid, names.length === 2 ? [names[node.position], names[1 - node.position]] : [names[node.position]]),
      node.ranges.length ? rangePair(node.ranges, names, ranges, (open) => { ranges = open; }) : null, more(node));
  }
  return { element, show };
}

// Return the actions and cards of a line.
export function itemsOf(line) {
  return line ? line.split(", ") : [];
}

// Return a line with further cards; an empty text takes those of the last street and what follows them away, null leaves it.
export function lineWith(line, cards) {
  const items = itemsOf(line);
  if (cards === "") items.length = items.findLastIndex((item, at) => DECK.includes(item) && !DECK.includes(items[at - 1]));
  return [...items, ...(cards ? cards.match(/../g) : [])].join(", ");
}

// Return the players' ranges side by side.
export function rangePair(ranges, names, chosen = 0, remember = (open) => {}) {
  const panels = el("div", { class: "ranges" });
  ranges.forEach((range, position) => panels.append(el("section", { "aria-label": `Range: ${names[position]}` },
    el("h2", { text: `Range: ${names[position]}` }), handGrid(range, { name: `Range: ${names[position]}`, testid: `range-${position}`, small: true }))));
  const open = el("details", { class: "both-ranges", open: chosen !== 1 }, el("summary", { text: ranges.length === 2 ? "Both ranges" : "All ranges" }), panels);
  open.addEventListener("toggle", () => remember(open.open ? 0 : 1));
  return open;
}

// Return whether cards of the decision's street were chosen here, and did not lie there from the start.
function dealt(node) {
  return node.cards_missing === 0 && node.street !== "preflop" && node.path.some((step) => step.street !== node.street);
}

// Return the picker of the cards that come next; `choose` is called with all of them.
function nextCards(node, deck, choose) {
  const most = node.cards_missing;
  const changed = (picked) => { if (picked.length === most) choose(picked.join("")); };
  return cardPicker({ legend: `Choose ${most === 1 ? "the card" : `${most} cards`} of the ${node.street}`, deck, most, changed,
    any: () => most, taken: node.board.match(/../g) ?? [] }).element;
}
