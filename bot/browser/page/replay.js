// The page to replay hands: files, the hands of a file, and one hand step by step.
// Addresses: #/replay, #/replay/FILE, #/replay/FILE/LINE and #/replay/FILE/LINE/STEP.

import { el, fill, table, wide, words } from "./dom.js";
import { plain, signed, when } from "./numbers.js";
import { handPicture, savePicture, saveText } from "./picture.js";
import { ask } from "./socket.js";

const COLUMNS = ["hand", "players", "won", "board", "betting", "pot"];
const ROWS = 50;     // hands of a page of the list
const AGAIN = 200;   // milliseconds until a file is asked for again that is still being read
const PACE = 1200;   // milliseconds between steps that play by themselves

export const address = (path, ...rest) => `#/replay/${[path, ...rest].map(encodeURIComponent).join("/")}`;

export function show(main, [path, line, step]) {
  let ended = false;
  let end = null;
  const place = el("section", { class: "replay" }, el("p", { class: "muted", text: "Reading …" }));
  fill(main, place);
  const work = !path ? showFiles(place)
    : line ? showHand(place, path, Number(line), Number(step) || 0)
    : showFile(place, path, () => ended);
  const refuse = (error) => fill(place, el("p", { class: "bad", role: "alert", text: error.message }));
  work.then((made) => { end = made; if (ended) end?.(); }, refuse);
  return () => { ended = true; end?.(); };
}

async function showFiles(place) {
  const files = await ask({ kind: "replay.files" });
  fill(place, el("h1", { text: "Replay" }),
    el("p", { text: "Logs, PHH and PokerStars' texts below the folder in which limpet table was started." }),
    files.length ? wide(table({ "data-testid": "files" }, ["file", "size", "changed"],
      files.map((file) => el("tr", {},
        el("td", { class: "path" }, el("a", { href: address(file.path), text: file.path })),
        el("td", { text: size(file.size) }),
        el("td", { text: when(file.changed) })))))
      : el("p", { class: "muted" }, words("There are none yet. `limpet match` writes logs into the folder matches.")));
}

function size(bytes) {
  return bytes < 1e6 ? `${plain(bytes / 1e3, 1)} kB` : `${plain(bytes / 1e6, 1)} MB`;
}

// --- The hands of a file ---

async function showFile(place, path, gone) {
  let first = 0;
  let opened = await ask({ kind: "replay.open", path });
  const note = el("p", { class: "muted", role: "status", "data-testid": "found" });
  const list = table({ "data-testid": "hands" }, COLUMNS.map((text) => el("th", { scope: "col", class: "words", text })));
  const from = el("input", { type: "number", min: 1, value: 1, "aria-label": "First hand of the list",
    on: { change: () => turn(from.value - 1) } });
  const back = el("button", { on: { click: () => turn(first - ROWS) } }, "Earlier hands");
  const on = el("button", { on: { click: () => turn(first + ROWS) } }, "Later hands");
  fill(place, el("p", {}, el("a", { href: "#/replay" }, "All files")), el("h1", { text: path }), note,
    el("div", { class: "row" }, el("label", {}, "From hand ", from), back, on),
    wide(list));
  say();
  await turn(0);
  while (!opened.whole && !gone()) {
    await new Promise((resolve) => { setTimeout(resolve, AGAIN); });
    const before = opened.hands;
    opened = await ask({ kind: "replay.open", path });
    say();
    if (before < first + ROWS) await turn(first);
  }

  function say() {
    note.textContent = opened.why || `${plain(opened.hands)} hand${opened.hands === 1 ? "" : "s"}, ${opened.kind}${opened.whole ? "" : `, ${size(opened.read)} read so far`}`;
    on.disabled = first + ROWS >= opened.hands;
    back.disabled = first === 0;
  }

  async function turn(wanted) {
    first = Math.min(Math.max(0, wanted), Math.max(0, opened.hands - 1));
    const hands = await ask({ kind: "replay.rows", path, first, count: ROWS });
    from.value = first + 1;
    fill(list.tBodies[0], hands.map((hand) => row(path, hand)));
    say();
  }
}

function row(path, hand) {
  if (hand.why) return el("tr", {}, el("td", { class: "bad words wide-words", colspan: COLUMNS.length, text: `line ${hand.line} cannot be read: ${hand.why}` }));
  const players = hand.names.map((name, at) => el("div", { text: `${name} ${hand.cards[at].join("")}` }));
  const won = hand.won.map((chips) => el("div", { class: chips < 0 ? "bad" : "good", text: signed(chips) }));
  return el("tr", {},
    el("td", {}, el("a", { href: address(path, hand.line), text: `hand ${hand.hand}` })),
    el("td", { class: "words wide-words" }, players),
    el("td", {}, won),
    el("td", { class: "words", text: hand.board.join(" ") }),
    el("td", { class: "words told", text: hand.betting }),
    el("td", { text: plain(hand.pot) }));
}

// --- One hand ---

async function showHand(place, path, line, wanted) {
  const hand = await ask({ kind: "replay.hand", path, line });
  const last = hand.steps.length - 1;
  const broad = matchMedia("(min-width: 40rem)");
  let step = 0;
  let timer = 0;
  const picture = el("div", { class: "pictured" });
  const said = el("p", { class: "said", role: "status", "data-testid": "step", "aria-live": "polite" });
  const slider = el("input", { type: "range", min: 0, max: last, "aria-label": "Step of the hand",
    on: { input: () => go(Number(slider.value)) } });
  const play = button("Play", "play", "Space", toggle);
  const list = stepList(hand, path, go);
  fill(place, handHead(hand, path), el("div", { class: "halves" }, el("div", {}, picture, said,
    el("div", { class: "row" },
      button("First", "first", "Home", () => go(0)), button("Back", "back", "ArrowLeft", () => go(step - 1)), play,
      button("Next", "next", "ArrowRight", () => go(step + 1)), button("Last", "last", "End", () => go(last)), slider),
    saving(hand, path, () => ({ step, picture: picture.firstChild }))),
    el("div", {}, el("h2", { text: "Steps" }), list)));
  addEventListener("keydown", key);
  broad.addEventListener("change", draw);
  go(Math.min(wanted, last));
  return () => {
    clearInterval(timer);
    removeEventListener("keydown", key);
    broad.removeEventListener("change", draw);
  };

  function go(number) {
    step = Math.min(Math.max(0, number), last);
    if (step === last) stop();
    history.replaceState(null, "", address(path, line, step));
    draw();
  }
  function draw() {
    fill(picture, handPicture(hand, hand.steps[step], broad.matches));
    said.textContent = hand.steps[step].text;
    said.dataset.step = step;
    slider.value = step;
    [...list.children].forEach((item, number) => {
      if (number === step) item.firstChild.setAttribute("aria-current", "step");
      else item.firstChild.removeAttribute("aria-current");
    });
  }
  function toggle() {
    if (timer) return stop();
    if (step === last) go(0);
    play.textContent = "Pause";
    timer = setInterval(() => go(step + 1), PACE);
  }
  function stop() {
    clearInterval(timer);
    timer = 0;
    play.textContent = "Play";
  }
  function key(event) {
    const presses = event.key === " " && ["INPUT", "BUTTON", "A"].includes(event.target.tagName);
    if (event.altKey || event.ctrlKey || event.metaKey || presses || event.target === slider) return;
    const acts = { ArrowLeft: () => go(step - 1), ArrowRight: () => go(step + 1), Home: () => go(0), End: () => go(last), " ": toggle };
    if (!Object.hasOwn(acts, event.key)) return;
    event.preventDefault();
    acts[event.key]();
  }
}

// Return the line above a hand: its file, its number, and the ways to its neighbours.
function handHead(hand, path) {
  const neighbour = (by) => async () => {
    const [other] = await ask({ kind: "replay.rows", path, first: hand.number + by, count: 1 });
    if (other) location.hash = address(path, other.line);
  };
  return el("p", {}, el("h1", { class: "hidden", text: "Replay of a hand" }), el("a", { href: address(path), text: path }),
    `, hand ${hand.hand}, number ${plain(hand.number + 1)} of ${plain(hand.hands)} `,
    el("button", { on: { click: neighbour(-1) }, disabled: hand.number === 0 }, "Hand before"), " ",
    el("button", { on: { click: neighbour(1) }, disabled: hand.number + 1 >= hand.hands }, "Hand after"));
}

// Return the buttons that save a hand. `shown()` returns the number of the step that is shown, and its picture.
function saving(hand, path, shown) {
  const name = `${path.split("/").at(-1).replace(/\.[a-z0-9]+$/i, "")}-${hand.hand}`;
  const text = () => saveText(hand.text, `${name}.txt`);
  const picture = () => savePicture(shown().picture, `${name}-${shown().step}.png`);
  return el("div", { class: "row" },
    el("button", { "data-testid": "save-text", on: { click: text } }, "Save as text"),
    el("button", { "data-testid": "save-picture", on: { click: picture } }, "Save as picture"),
    el("span", { class: "muted", text: "Keys: arrows, Home, End, space. The address leads to this step." }));
}

// Return the list of a hand's steps, each a link to its own address.
function stepList(hand, path, go) {
  let decisions = 0;
  return el("ol", { class: "hand-steps", start: 0, "data-testid": "steps" }, hand.steps.map((step, number) => {
    const click = (event) => { event.preventDefault(); go(number); };
    const looks = step.decision ? "decision" : "deal";
    const inside = hand.bot && step.decision ? [" ", el("a", { class: "inside-link", href: `#/inside/file/${encodeURIComponent(path)}/${hand.line}/${decisions++}`,
      text: "look inside", "aria-label": `look inside: ${step.text}` })] : null;
    return el("li", {}, el("a", { href: address(path, hand.line, number), class: looks, text: step.text, on: { click } }), inside);
  }));
}

function button(text, id, shortcut, click) {
  return el("button", { "data-testid": id, "aria-keyshortcuts": shortcut, on: { click } }, text);
}
