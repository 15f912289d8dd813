// Chips as a picture: piles of the fewest chips that make an amount. Values differ by colour and by the pattern of their edges.

import { el } from "./dom.js";

const KINDS = [100, 25, 5, 1, 0.5];  // values in big blinds
const MOST = 8;                      // chips of a picture

// Return the picture of an amount.
export function chipPile(chips, blind) {
  let left = chips / blind;
  const pile = [];
  for (const [kind, value] of KINDS.entries()) {
    for (; left >= value - 1e-9 && pile.length < MOST; left -= value) pile.push(kind);
  }
  if (!pile.length) pile.push(KINDS.length - 1);
  const height = 4 * pile.length + 11;
  return el("svg", { class: "chips", viewBox: `0 0 24 ${height}`, "aria-hidden": "true", style: { "--high": `${height / 24}em` } },
    pile.map((kind, at) => chip(kind, height - 14.5 - 4 * at)));
}

// Return a chip that lies flat, seen from above at an angle: its edge, and over it the face with a dashed rim.
function chip(kind, y) {
  const oval = (grow, down) => el("rect", { x: 1 - grow, y: y + down - grow, width: 22 + 2 * grow, height: 10 + 2 * grow, rx: 11 + grow, ry: 5 + grow });
  return el("g", { class: `chip chip-${kind}` }, oval(0, 4), oval(0, 0), el("g", { class: "rim" }, oval(-3, 0)));
}
