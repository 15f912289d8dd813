// A hand at one step as one SVG picture, and its way into a file.

import { cardPicture } from "./cards.js";
import { el } from "./dom.js";
import { plain, signed } from "./numbers.js";

const COPIED = ["fill", "stroke", "stroke-width", "font-family", "font-size", "font-weight", "opacity"];

const EDGE = 40;  // height of the captions above and below, which only a saved picture has
// `above` and `pot` are how far the board begins above the middle and the pot stands below it: on a narrow one below plates at the sides.
const WIDE = { width: 1000, height: 620, plate: 180, lines: 24, card: 46, board: 60, above: 76, pot: 44, bets: 0.55 };
const NARROW = { width: 600, height: 800, plate: 160, lines: 27, card: 46, board: 48, above: 36, pot: 64, bets: 0.22 };
// Layouts for more than six players.
const WIDE_RING = { width: 1000, height: 780, plate: 160, lines: 22, card: 40, board: 56, above: 76, pot: 44, bets: 0.66 };
const NARROW_RING = { width: 600, height: 1180, plate: 150, lines: 27, card: 40, board: 48, above: 76, pot: 44, bets: 0.22 };

// Return the picture of a step of a replayed hand, for a wide or a narrow screen.
export function handPicture(hand, step, wide) {
  const count = step.players.length;
  const size = count > 6 ? (wide ? WIDE_RING : NARROW_RING) : wide ? WIDE : NARROW;
  const { width, height } = size;
  const [x, y] = [width / 2, height / 2];
  const seats = step.players.map((player, position) => {
    const angle = Math.PI / 2 + 2 * Math.PI * position / count;
    const [across, down] = [(width / 2 - size.plate / 2 - 10) * Math.cos(angle), (height / 2 - EDGE - 96) * Math.sin(angle)];
    // The bet of the player at the top stands beside the plate: below it lies the board.
    const beside = wide && down < 0 && Math.abs(across) < 1;
    const bet = beside ? [x + size.plate / 2 + 50, y + down + 48] : [x + size.bets * across, y + 0.48 * down + 8];
    return [seat(player, hand.positions[position], x + across, y + down, size),
      player.bet ? el("text", { class: "felt-text", x: bet[0], y: bet[1], text: player.bet }) : null];
  });
  return el("svg", { class: wide ? "hand-picture" : "hand-picture narrow", role: "img", "aria-label": step.text, "data-testid": "picture",
    viewBox: `0 ${EDGE} ${width} ${height - 2 * EDGE}`, "data-width": width, "data-height": height },
    el("rect", { class: "ground", width, height }),
    el("rect", { class: "cloth", x: 60, y: EDGE + 45, width: width - 120, height: height - 2 * EDGE - 90, rx: Math.min(width, height) / 2 - 90 }),
    cards(step.board, x, y - size.above, size.board),
    el("text", { class: "felt-text", x, y: y + size.pot, text: potText(step) }),
    seats,
    el("text", { class: "caption", x, y: 28, text: `${hand.match}, hand ${hand.hand}: ${step.street}` }),
    el("text", { class: "caption", x, y: height - 14, text: step.text }));
}

function potText(step) {
  const split = step.pots.length > 1 ? ` (${step.pots.map((pot, number) => `${number ? "side" : "main"} ${pot.chips}`).join(", ")})` : "";
  return `Pot ${step.pot}${split}`;
}

function seat(player, title, x, y, size) {
  const stack = player.stack < 0 ? "" : plain(player.stack);
  const state = player.folded ? " folded" : player.acts ? " acts" : player.won > 0 ? " wins" : "";
  const top = y + 2;
  const line = (number, looks, text) => el("text", { class: looks, x, y: top + size.lines * (number + 0.85), text });
  return el("g", { class: `place${state}` },
    cards(player.cards, x, y - 1.4 * size.card, player.cards.length > 4 ? 30 : size.card, player.folded),
    el("rect", { class: "plate-box", x: x - size.plate / 2, y: top, width: size.plate, height: 3.3 * size.lines, rx: 10 }),
    line(0, "seat-name", fitted(player.name, size.plate)),
    line(1, "seat-text", player.won === null ? title : signed(player.won)), line(2, "seat-text", stack));
}

// Return cards side by side around `x`, with their upper edge at `y`.
function cards(shown, x, y, width, folded = false) {
  const left = x - (shown.length * (width + 4) - 4) / 2;
  return el("g", { opacity: folded ? 0.45 : 1, style: { "--card": `${width}px` } }, shown.map((card, number) => {
    const picture = cardPicture(card);
    const place = { x: left + number * (width + 4), y, width, height: 1.4 * width };
    for (const [name, value] of Object.entries(place)) picture.setAttribute(name, value);
    return picture;
  }));
}

function fitted(name, width) {
  const most = Math.floor(width / 12);
  return name.length > most ? `${name.slice(0, most - 1)}…` : name;
}

// Save a picture that the page shows as a PNG, twice as large as its own units.
export async function savePicture(picture, name) {
  const copy = plainCopy(picture);
  const { width, height } = picture.dataset;
  for (const [key, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) copy.setAttribute(key, value);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
  await image.decode();
  const canvas = el("canvas", { width: 2 * width, height: 2 * height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  save(await new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); }), name);
}

// Save a text as a file.
export function saveText(text, name, type = "text/plain") {
  save(new Blob([text], { type: `${type};charset=utf-8` }), name);
}

function save(blob, name) {
  const link = el("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// Return a copy whose looks do not depend on a style sheet.
function plainCopy(element) {
  const copy = element.cloneNode(false);
  const looks = getComputedStyle(element);
  for (const name of COPIED) copy.setAttribute(name, looks.getPropertyValue(name));
  if (element.tagName === "text") copy.setAttribute("text-anchor", looks.getPropertyValue("text-anchor"));
  copy.removeAttribute("class");
  copy.removeAttribute("style");
  for (const child of element.childNodes) copy.append(child.nodeType === Node.ELEMENT_NODE ? plainCopy(child) : child.cloneNode());
  return copy;
}
