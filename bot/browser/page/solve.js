// The page that solves a spot: a form, progress with a stop, and the answer, decision by decision.

import { compareLink } from "./compare.js";
import { alertLine, el, field, fill, heading, readdress, table, wide } from "./dom.js";
import { DECK } from "./picker.js";
import { cardReport, equityGraph, gridValues } from "./reports.js";
import { ask, listen } from "./socket.js";
import { spotFile } from "./spotfile.js";
import { spotForm } from "./spotform.js";
import { lineWith, treeView } from "./tree.js";

const NAMES = ["Out of position", "In position"];
const ENDS = { target: "reached its target", iterations: "played all iterations", seconds: "used up its time", interrupted: "was stopped" };
const FIRST = "river-bluffcatch";
const STUDIES = /^([frt]\d$|kujath|clairvoyance)/;  // spots whose numbers others have published
const GUESS = " (a guess: measured with one and two threads only)";
const QUICK = 1;  // seconds of an iteration, which is what a report over next cards takes, that nobody is asked about

let last = null;  // the spot solved last, which is shown again after a visit to another page: {answer, spot, preset, line, kept}

// Return the address of a decision of a kept solve.
function keptAt(folder, line) {
  return `#/solve/${encodeURIComponent(folder)}//${encodeURIComponent(line)}`;
}

// `folder` and `chosen` name a batch and one of its boards, which is then solved; or `folder` a kept solve, and `line` a decision.
export function show(main, [folder, chosen, line]) {
  let sentences = {};    // what each spot that ships is
  let known = false;  // whether the form holds a spot
  let running = false;
  let turn = 0;
  const preset = el("select", { "data-testid": "preset", on: { change: () => load(preset.value) } });
  const about = el("p", { class: "muted about whole", role: "status", "data-testid": "about" });
  const form = spotForm([el("div", { class: "broad" }, field("Begin with", preset)), about]);
  const begin = el("button", { class: "main", "data-testid": "solve" }, "Solve");
  const stop = el("button", { type: "button", "data-testid": "stop", disabled: true, on: { click: () => ask({ kind: "solve.stop" }) } }, "Stop");
  const bar = el("progress", { max: 1, value: 0, "aria-label": "Progress of the solve" });
  const said = el("p", { role: "status", "data-testid": "progress" });
  const cost = el("p", { class: "muted", role: "status", "data-testid": "cost" });
  const batchCost = el("p", { class: "muted", role: "status", "data-testid": "batch-cost" });
  let costing = 0;  // the timer of the next estimate, and the number of the last one
  let asked = 0;
  const reading = el("small", { class: "muted", role: "status", "data-testid": "reading" });
  const { wrong, told } = alertLine();
  const curve = el("div", {});
  const result = el("div", { "data-testid": "answer" });
  const place = el("div", {});
  const tree = treeView({ go, names: NAMES, deck: DECK, extra: (node) => [whatIf(node), forDecision(node)], values: (node, hands) => gridValues({ node, names: NAMES, told }, hands), more: reports });
  let checks = [];
  const many = el("input", { type: "number", min: 1, max: 1_000_000, value: 50, "data-testid": "batch-boards" });
  const seed = el("input", { type: "number", min: 0, value: 1, "data-testid": "batch-seed" });
  const processes = el("input", { type: "number", min: 1, value: 1, "data-testid": "batch-processes" });
  const control = (name, more) => el("input", { name, "data-testid": name, autocomplete: "off", ...more });
  const batchLine = control("batch-line", { placeholder: "the first; or check, bet 50%" });
  const listed = el("textarea", { rows: 3, maxlength: 40_000, placeholder: "KsTh7s 24", "data-testid": "batch-listed" });
  const batchName = control("batch-name", { placeholder: "flops", maxlength: 60 });
  const keepName = control("keep-name", { placeholder: "wide bets", maxlength: 60 });
  const keeping = alertLine("span");
  const behindName = control("behind-name", { placeholder: "wide bets", maxlength: 60 });
  const opened = el("div", { class: "row" });
  const behind = el("details", { class: "whole" }, el("summary", { "data-testid": "behind", text: "Solve this board in the background" }),
    el("p", { class: "muted", text: "Jobs lists it, and the page may be closed meanwhile. The solve is kept." }),
    el("p", { class: "row" }, field("Name", behindName), el("button", { type: "button", "data-testid": "begin-behind", on: { click: beginBehind } }, "Begin")));
  const batch = el("details", { class: "whole" }, el("summary", { "data-testid": "many-boards", text: "Solve many boards in the background" }),
    el("p", { class: "muted", text: "So many boards that stand for all (25 to 184 flops are usual, 1,755 are all), one after the other. The page may be closed meanwhile." }),
    el("div", { class: "form-grid" }, field("Boards", many), field("Seed: which boards", seed), field("Name", batchName), field("Processes", processes),
      el("div", { class: "broad" }, field("Decision to report, on the boards' street", batchLine)),
      el("div", { class: "whole" }, field("Or boards of your own, one a line, each with its weight or without", listed))),
    batchCost, el("p", { class: "row" }, el("button", { type: "button", "data-testid": "begin-batch", on: { click: beginBatch } }, "Begin")));

  fill(main, heading(["Solve a spot ", reading], "How two players play on from a flop, turn or river so that neither can gain by playing otherwise."),
    el("form", { class: "panel", on: { submit, input: estimate, change: estimate, click: estimate } }, form.element, spotFile({ spot: form.spot, take, told }),
    el("p", { class: "row" }, begin, stop, el("a", { href: "#/boards", text: "Boards solved in batches" }), opened), cost, behind, batch, wrong),
    said, bar, curve, result, place);
  bar.hidden = true;
  const ends = [listen("solve.progress", (event) => progress(event.value))];
  begin.disabled = true;
  reading.textContent = "Reading the spot …";
  listKept(folder);
  told(ask({ kind: "solve.list" }).then(async ({ spots, choices }) => {
    sentences = spots;
    const group = (label, studied) => el("optgroup", { label }, Object.keys(spots).filter((name) => STUDIES.test(name) === studied)
      .map((name) => el("option", { value: name, text: name })));
    fill(preset, group("To study", false), group("From papers and benchmarks", true));
    form.choose(choices);
    preset.value = FIRST in spots ? FIRST : preset.options[0].value;
    if (chosen) return openBoard();
    if (folder) return openKept();
    if (!last) return load(preset.value);
    preset.value = last.preset;
    take(last.spot);
    answered(last.answer);
    await go(last.line, null);
  }));

  async function load(name) {
    about.textContent = sentences[name];
    const found = await read(ask({ kind: "solve.form", name }));
    if (found) take(found);
  }

  // Fill the form with a spot.
  function take(spot) {
    known = true;
    begin.disabled = running;
    reading.textContent = "";
    form.show(spot);
    estimate();
  }

  // Say what the spot would cost, once nothing has changed for a moment.
  function estimate() {
    clearTimeout(costing);
    costing = setTimeout(async () => {
      if (!known || running) return;
      const mine = ++asked;
      const boards = listed.value.trim() ? listed.value.trim().split("\n").length : Number(many.value);
      const [words, together] = await Promise.resolve().then(() => ask({ kind: "solve.cost", spot: form.spot(), processes: Math.max(1, Math.floor(Number(processes.value))) })).then((found) => [
        [...found.lines, `time for 100 iterations on ${counted(found.threads, "thread")}: ${timeText(100 * found.seconds)}${found.guess ? GUESS : ""}`].join("; "),
        `100 iterations of ${counted(boards, "board")} by ${counted(Number(processes.value), "process", "es")}: ${timeText(100 * boards * found.batch_seconds)}${found.batch_guess ? GUESS : ""}.`,
      ], ({ message }) => [message, ""]);
      if (mine !== asked) return;
      cost.textContent = words;
      batchCost.textContent = together;
    }, 400);
  }

  // Say that a spot is read, which takes a moment while its process begins. Nothing is solved before.
  async function read(spot) {
    begin.disabled = true;
    reading.textContent = "Reading the spot …";
    const found = await told(spot);
    reading.textContent = "";
    begin.disabled = running || !(found || known);
    return found;
  }

  // Solve the chosen board of a batch.
  async function openBoard() {
    const found = await read(ask({ kind: "boards.spot", folder, board: chosen }));
    if (!found) return;
    take(found);
    begins();
  }

  // Show a kept solve.
  async function openKept() {
    const found = await read(ask({ kind: "solve.open", folder }));
    if (!found) return;
    take(found.spot);
    remember(found.answer, found.spot, folder);
    answered(found.answer);
    if (line) await go(line, null);
    else tree.show(found.node);
  }

  async function submit(event) {
    event.preventDefault();
    if (await told(form.ready())) begins();
  }

  // Solve what the form says.
  async function begins() {
    const spot = await told(Promise.resolve().then(form.spot));
    if (spot) run({ kind: "solve.start", spot }, spot);
  }

  async function beginBehind() {
    const name = await told(Promise.resolve().then(form.spot).then((spot) => ask({ kind: "solve.behind", spot, name: behindName.value || "solve" })));
    if (name) location.hash = "#/jobs";
  }

  async function beginBatch() {
    const name = await told(Promise.resolve().then(form.spot).then((spot) => ask({ kind: "boards.begin", spot, name: batchName.value || "flops", boards: Number(many.value),
      seed: Number(seed.value), processes: Number(processes.value), line: batchLine.value.trim(), listed: listed.value })));
    if (name) location.hash = `#/boards/${encodeURIComponent(name)}`;
  }

  // Ask for a solve of `spot`, which is at hand already unless another one is given.
  async function run(question, spot = last?.spot) {
    if (running) return;
    running = true;
    checks = [];
    turn += 1;
    begin.disabled = true;
    stop.disabled = false;
    bar.hidden = false;
    bar.removeAttribute("value");
    said.textContent = "Preparing; the first time on a machine, compiling takes up to 25 s …";
    fill(curve);
    said.scrollIntoView();  // below the form, where nobody would see it
    const solved = await told(ask(question));
    running = false;
    estimate();  // what was asked for meanwhile was not answered
    begin.disabled = false;
    stop.disabled = true;
    bar.hidden = true;
    if (!solved) { said.textContent = ""; wrong.scrollIntoView({ block: "center" }); return; }
    said.textContent = `The solve ${ENDS[solved.answer.reason]}: ${solved.answer.iterations.toLocaleString("en")} iterations in ${solved.answer.seconds} s.`;
    fill(curve, checks.length > 4 ? falling(checks) : null);
    remember(solved.answer, spot, "");
    answered(solved.answer);
    tree.show(solved.node);
    said.scrollIntoView();
    if (solved.after) go(solved.after, null);
  }

  function remember(answer, spot, kept) {
    if (last?.kept && !kept) readdress(place, "#/solve");
    last = { answer, spot, preset: preset.value, line: "", kept };
  }

  // Offer the solves that were kept; the one of that name is shown.
  async function listKept(shown) {
    const names = await ask({ kind: "solve.kept" }).catch(() => []);
    if (names.length) fill(opened, field("Open a kept solve", el("select", { "data-testid": "open-kept", on: { change: ({ target }) => { if (target.value) location.hash = keptAt(target.value, ""); } } },
      ["", ...names].map((name) => el("option", { value: name, selected: name === shown, text: name })))));
  }

  // Keep the solve by a name, so that it can be opened and compared later.
  async function keep() {
    const name = await keeping.told(ask({ kind: "solve.keep", name: keepName.value }));
    if (!name) return;
    last.kept = name;
    listKept(name);
    answered(last.answer);
    go(last.line, null);
  }

  function answered(answer) {
    fill(result, answerTable(answer), el("p", { class: "row" }, last.kept ? el("span", { "data-testid": "kept", text: `Kept as ${last.kept}.` })
      : [field("Keep this solve as", keepName), el("button", { "data-testid": "keep", on: { click: keep } }, "Keep"), keeping.wrong]));
    fill(place, tree.element);
  }

  function progress(value) {
    if (!running) return;
    checks.push([value.seconds, value.percent]);
    bar.value = value.seconds / Math.max(value.seconds + value.seconds_left, 1e-9);
    said.textContent = `Iteration ${value.iteration.toLocaleString("en")}, ${value.percent.toFixed(3)} % of the pot exploitable ` +
      `(${value.mbb.toFixed(1)} mbb/g), ${value.seconds.toFixed(1)} s, about ${value.seconds_left.toFixed(0)} s left`;
    fill(curve, falling(checks));
  }

  // Load a decision. `cards` are the next ones; an empty text asks for others in place of the last one.
  async function go(line, cards) {
    const mine = ++turn;
    const node = await told(ask({ kind: "solve.node", line: lineWith(line, cards) }));
    if (!node || mine !== turn) return;
    if (last) last.line = node.line;
    tree.show(node);
    if (last?.kept) readdress(place, keptAt(last.kept, node.line));
  }

  function whatIf(node) {
    const size = el("input", { type: "number", min: 1, max: 1000, value: 75, "data-testid": "what-if-size", "aria-label": "Bet in % of the pot" });
    return el("p", { class: "row" }, el("span", { text: "What if the bet here were" }), size, el("span", { text: "% of the pot?" }),
      el("button", { "data-testid": "what-if", on: { click: () => run({ kind: "solve.what_if", line: node.line, percent: Number(size.value) }) } }, "Solve with this bet"));
  }

  function forDecision(node) {
    return el("p", { class: "row" }, compareLink({ folder: last.kept, line: node.line }),
      el("button", { "data-testid": "lock-this", title: "The form above has a lock more then, which may be changed before the next solve.", on: { click: () => lock(node.line) } }, "Lock this decision as it is played"));
  }

  async function lock(line) {
    const found = await told(ask({ kind: "solve.lock", line }));
    if (found) form.lock(found);
  }

  // Return what each next card does where one falls, else the graph of the decision's hands.
  function reports(node) {
    const quick = last.answer.seconds < QUICK * last.answer.iterations;
    return node.cards_missing ? cardReport({ node, names: NAMES, go, told, quick }) : equityGraph({ node, names: NAMES, told });
  }

  return () => { clearTimeout(costing); ends.forEach((end) => end()); if (running) ask({ kind: "solve.stop" }); };
}

function counted(number, noun, plural = "s") {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : plural}`;
}

// Return a rough time in words.
function timeText(seconds) {
  if (seconds < 1) return "a second or less";
  return seconds < 100 ? `some ${Number(seconds.toPrecision(1))} s` : seconds < 6000 ? `some ${Number((seconds / 60).toPrecision(1))} min` : `some ${Number((seconds / 3600).toPrecision(1))} h`;
}

function answerTable(answer) {
  const row = (name, at) => el("tr", {}, el("th", { scope: "row", text: name }), el("td", { text: `${answer.share[at]?.toFixed(3) ?? "–"} bb` }),
    el("td", { text: answer.share[at] === null ? "–" : `${(100 * answer.share[at] / answer.pot).toFixed(1)} %` }), el("td", { text: `${answer.gains[at]?.toFixed(4) ?? "–"} bb` }));
  return [wide(table({}, ["player", "EV of the pot", "% of pot", "a best response wins more"], NAMES.map(row))),
  el("p", { "data-testid": "exploitability", text: `Exploitability: ${answer.percent.toFixed(4)} % of the pot (${answer.mbb.toFixed(2)} mbb/g, both positions together).` }),
  answer.rake === null ? null : el("p", { "data-testid": "raked", text: `The house takes ${answer.rake.toFixed(3)} bb on average, ${(100 * answer.rake / answer.pot).toFixed(1)} % of the pot.` }),
  el("details", {}, el("summary", { text: "Size of the solve" }), answer.lines.map((text) => el("p", { class: "muted", text })))];
}

// Return a small curve of exploitability over time, both axes logarithmic.
function falling(points) {
  const shown = points.filter(([seconds, percent]) => seconds > 0 && percent > 0).map(([x, y]) => [Math.log(x), Math.log(y)]);
  if (shown.length < 2) return null;
  const [xs, ys] = [0, 1].map((axis) => shown.map((point) => point[axis]));
  const scaled = (value, all) => (value - Math.min(...all)) / Math.max(Math.max(...all) - Math.min(...all), 1e-9);
  const line = shown.map(([x, y]) => `${(100 * scaled(x, xs)).toFixed(2)},${(38 - 36 * scaled(y, ys)).toFixed(2)}`).join(" ");
  return el("svg", { class: "curve", viewBox: "0 0 100 40", preserveAspectRatio: "none", role: "img", "aria-label": "Exploitability over time, falling" }, el("polyline", { points: line }));
}
