// The page that solves a spot: a form, progress with a stop, and the answer, decision by decision.

import { comparedAt } from "./compare.js";
import { el, field, fill, wide } from "./dom.js";
import { boardPicker, DECK } from "./picker.js";
import { rangeField } from "./rangefield.js";
import { cardReport, equityGraph } from "./reports.js";
import { ask, listen, orWrong } from "./socket.js";
import { lineWith, treeView } from "./tree.js";

const NAMES = ["Out of position", "In position"];
const ENDS = { target: "reached its target", iterations: "played all iterations", seconds: "used up its time", interrupted: "was stopped" };
const QUICK = 1;  // seconds of an iteration, which is what a report over next cards takes, that nobody is asked about

let last = null;  // the spot solved last, which is shown again after a visit to another page: {answer, base, own, fields, line, kept}

// Return the address of a decision of a kept solve.
function keptAt(folder, line) {
  return `#/solve/${encodeURIComponent(folder)}//${encodeURIComponent(line)}`;
}

// `folder` and `chosen` name a batch and one of its boards, which is then solved; or `folder` a kept solve, and `line` a decision.
export function show(main, [folder, chosen, line]) {
  let form = null;      // the spot that fills what the fields leave open
  let own = null;       // that spot where it is a batch's and no preset
  let running = false;
  let turn = 0;
  const control = (name, more = {}) => el("input", { name, "data-testid": name, autocomplete: "off", ...more });
  const board = control("board", { placeholder: "KsTh7s", required: true });
  const ranges = [rangeField({ words: "Range out of position", testid: "first", board: () => board.value }),
    rangeField({ words: "Range in position", testid: "second", board: () => board.value })];
  const inputs = {
    board,
    pot: control("pot", { inputmode: "decimal" }), stack: control("stack", { placeholder: "20, or 20, 30" }),
    bets: control("bets", { placeholder: "33, 75, 150" }), raises: control("raises", { placeholder: "as the bets" }),
    rake: control("rake", { placeholder: "none; 5, or 5, 3" }),
    target: control("target", { inputmode: "decimal" }), seconds: control("seconds", { inputmode: "decimal", placeholder: "no limit" }),
    iterations: control("iterations", { type: "number", min: 1 }), threads: control("threads", { type: "number", min: 1, placeholder: "all cores" }),
    algorithm: el("select", { "data-testid": "algorithm" }),
    first: ranges[0].input, second: ranges[1].input,
  };
  const preset = el("select", { "data-testid": "preset" });
  const begin = el("button", { class: "main", "data-testid": "solve" }, "Solve");
  const stop = el("button", { type: "button", "data-testid": "stop", disabled: true, on: { click: () => ask({ kind: "solve.stop" }) } }, "Stop");
  const bar = el("progress", { max: 1, value: 0, "aria-label": "Progress of the solve" });
  const said = el("p", { role: "status", "data-testid": "progress" });
  const reading = el("small", { class: "muted", role: "status", "data-testid": "reading" });
  const wrong = el("p", { class: "bad", role: "alert" });
  const curve = el("div", {});
  const result = el("div", { "data-testid": "answer" });
  const place = el("div", {});
  const tree = treeView({ go, names: NAMES, deck: DECK, extra: (node) => [whatIf(node), comparing(node)], more: reports });
  let checks = [];
  const many = el("input", { type: "number", min: 1, max: 1_000_000, value: 50, "data-testid": "batch-boards" });
  const seed = el("input", { type: "number", min: 0, value: 1, "data-testid": "batch-seed" });
  const processes = el("input", { type: "number", min: 1, value: 1, "data-testid": "batch-processes" });
  const batchLine = control("batch-line", { placeholder: "the first; or check, bet 50%" });
  const listed = el("textarea", { rows: 3, maxlength: 40_000, placeholder: "KsTh7s 24", "data-testid": "batch-listed" });
  const batchName = control("batch-name", { placeholder: "flops", maxlength: 60 });
  const keepName = control("keep-name", { placeholder: "wide bets", maxlength: 60 });
  const opened = el("div", { class: "row" });
  const batch = el("details", { class: "whole" }, el("summary", { "data-testid": "many-boards", text: "Solve many boards in the background" }),
    el("p", { class: "muted", text: "So many boards that stand for all (25 to 184 flops are usual, 1,755 are all), one after the other. The page may be closed meanwhile." }),
    el("div", { class: "form-grid" }, field("Boards", many), field("Seed: which boards", seed), field("Name", batchName), field("Processes", processes),
      el("div", { class: "broad" }, field("Decision to report, on the boards' street", batchLine)),
      el("div", { class: "whole" }, field("Or boards of your own, one a line, each with its weight or without", listed))),
    el("p", { class: "row" }, el("button", { type: "button", "data-testid": "begin-batch", on: { click: beginBatch } }, "Begin")));

  fill(main, el("h1", {}, "Solve a spot ", reading),
    el("form", { class: "panel", on: { submit } }, el("div", { class: "form-grid" },
      el("div", { class: "broad" }, field("Begin with", preset)), field("Board", inputs.board), field("Pot", inputs.pot), field("Stacks behind", inputs.stack),
      el("details", { class: "whole" }, el("summary", { "data-testid": "pick-board", text: "Pick the board by clicks" }), boardPicker(board)),
      el("div", { class: "whole range-fields" }, ranges.map((range) => range.element)),
      field("Bets, % of the pot", inputs.bets), field("Raises, % of the pot", inputs.raises),
      field("Rake, % of each pot and the most", inputs.rake),
      field("Stop at exploitability, % of the pot", inputs.target), field("Stop after seconds", inputs.seconds),
      field("Stop after iterations", inputs.iterations), field("Algorithm", inputs.algorithm), field("Threads", inputs.threads)),
    el("p", { class: "row" }, begin, stop, el("a", { href: "#/boards", text: "Boards solved in batches" }), opened), batch, wrong),
    said, bar, curve, result, place);
  bar.hidden = true;
  board.addEventListener("input", () => ranges.forEach((range) => range.refresh()));
  const ends = [listen("solve.progress", (event) => progress(event.value))];
  preset.addEventListener("change", () => load(preset.value));
  begin.disabled = true;
  reading.textContent = "Reading the spot …";
  ask({ kind: "solve.kept" }).then((names) => {
    if (names.length) fill(opened, field("Open a kept solve", el("select", { "data-testid": "open-kept", on: { change: ({ target }) => { if (target.value) location.hash = keptAt(target.value, ""); } } },
      ["", ...names].map((name) => el("option", { value: name, selected: name === folder, text: name })))));
  }, () => {});
  told(ask({ kind: "solve.list" }).then(async ({ spots, algorithms }) => {
    fill(preset, spots.map((name) => el("option", { value: name, text: name })));
    fill(inputs.algorithm, algorithms.map((name) => el("option", { value: name, text: name })));
    preset.value = spots.includes("river-bluffcatch") ? "river-bluffcatch" : spots[0];
    if (chosen) return openBoard();
    if (folder) return openKept();
    if (last) preset.value = last.base;
    await load(preset.value);
    if (last) {
      own = last.own;
      form = own ?? form;
      for (const [name, value] of Object.entries(last.fields)) inputs[name].value = value;
      board.dispatchEvent(new Event("input"));
      answered(last.answer);
      await go(last.line, null);
    }
  }));

  async function load(name) {
    const found = await read(ask({ kind: "solve.form", name }));
    if (!found) return;
    own = null;
    fillIn(found);
  }

  // Say that a spot is read, which takes a moment while its process begins. Nothing is solved before.
  async function read(spot) {
    begin.disabled = true;
    reading.textContent = "Reading the spot …";
    const found = await told(spot);
    reading.textContent = "";
    begin.disabled = running || !(found || form);
    return found;
  }

  // Solve the chosen board of a batch.
  async function openBoard() {
    const found = await read(ask({ kind: "boards.spot", folder, board: chosen }));
    if (!found) return;
    own = found;
    fillIn(found);
    run(startOf());
  }

  // Show a kept solve.
  async function openKept() {
    const found = await read(ask({ kind: "solve.open", folder }));
    if (!found) return;
    own = found.spot;
    fillIn(found.spot);
    remember(found.answer, folder);
    answered(found.answer);
    if (line) await go(line, null);
    else tree.show(found.node);
  }

  function fillIn(found) {
    form = found;
    const sizes = simpleSizes(form.menu);
    inputs.board.value = form.board;
    inputs.pot.value = form.pot;
    inputs.stack.value = Array.isArray(form.stack) ? form.stack.join(", ") : form.stack;
    [inputs.first.value, inputs.second.value] = form.ranges;
    inputs.bets.value = sizes ? percents(sizes[0]) : "";
    inputs.raises.value = sizes && sizes.length > 1 ? percents(sizes[1]) : "";
    inputs.bets.placeholder = sizes ? "33, 75, 150" : "as in the spot";
    inputs.rake.value = form.rake ? [form.rake.percent, form.rake.cap].filter((part) => part != null).join(", ") : "";
    inputs.target.value = form.target || "";
    for (const name of ["seconds", "iterations", "algorithm", "threads"]) inputs[name].value = form[name] ?? "";
    inputs.first.title = form.note;
    board.dispatchEvent(new Event("input"));
  }

  // Return the spot that the fields describe, without what they leave as it was.
  function spot() {
    const changed = { board: inputs.board.value.replaceAll(" ", ""), pot: Number(inputs.pot.value), ranges: [inputs.first.value, inputs.second.value] };
    const stacks = numbers(inputs.stack.value);
    changed.stack = stacks.length > 1 ? stacks : stacks[0];
    changed.target = Number(inputs.target.value || 0);
    changed.seconds = inputs.seconds.value ? Number(inputs.seconds.value) : null;
    changed.threads = inputs.threads.value ? Number(inputs.threads.value) : null;
    if (inputs.iterations.value) changed.iterations = Number(inputs.iterations.value);
    if (inputs.algorithm.value !== form.algorithm) Object.assign(changed, { algorithm: inputs.algorithm.value, parameters: {} });
    const [percent, cap] = numbers(inputs.rake.value);
    if (percent === undefined) { if (form.rake) changed.rake = { percent: 0 }; }
    else changed.rake = cap === undefined ? { percent } : { percent, cap };
    if (inputs.bets.value.trim()) {
      const depths = [sizesOf(inputs.bets.value)];
      if (inputs.raises.value.trim()) depths.push(sizesOf(inputs.raises.value));
      changed.menu = { ...form.menu, sizes: [depths] };
    }
    if (changed.board !== form.board && form.locks.length) changed.locks = [];
    return changed;
  }

  async function submit(event) {
    event.preventDefault();
    const clear = await told(Promise.all(ranges.map((range) => range.ready())));
    if (clear) run(startOf());
  }

  async function beginBatch() {
    const { spot, base } = startOf();
    const name = await told(ask({ kind: "boards.begin", spot, base, name: batchName.value || "flops", boards: Number(many.value),
      seed: Number(seed.value), processes: Number(processes.value), line: batchLine.value.trim(), listed: listed.value }));
    if (name) location.hash = `#/boards/${encodeURIComponent(name)}`;
  }

  function startOf() {
    return own ? { kind: "solve.start", spot: { ...own, ...spot() } } : { kind: "solve.start", spot: spot(), base: preset.value };
  }

  async function run(question) {
    if (running) return;
    running = true;
    checks = [];
    turn += 1;
    begin.disabled = true;
    stop.disabled = false;
    bar.hidden = false;
    bar.removeAttribute("value");
    said.textContent = "Preparing; the first time on a machine, compiling takes about a minute …";
    fill(curve);
    const solved = await told(ask(question));
    running = false;
    begin.disabled = false;
    stop.disabled = true;
    bar.hidden = true;
    if (!solved) { said.textContent = ""; return; }
    said.textContent = `The solve ${ENDS[solved.answer.reason]}: ${solved.answer.iterations.toLocaleString("en")} iterations in ${solved.answer.seconds} s.`;
    fill(curve, checks.length > 4 ? falling(checks) : null);
    remember(solved.answer, "");
    answered(solved.answer);
    tree.show(solved.node);
    if (solved.after) go(solved.after, null);
  }

  function remember(answer, kept) {
    if (last?.kept && !kept) history.replaceState(null, "", "#/solve");
    last = { answer, base: preset.value, own, line: "", kept,
      fields: Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.value])) };
  }

  // Keep the solve by a name, so that it can be opened and compared later.
  async function keep() {
    const name = await told(ask({ kind: "solve.keep", name: keepName.value }));
    if (!name) return;
    last.kept = name;
    answered(last.answer);
    go(last.line, null);
  }

  function answered(answer) {
    fill(result, answerTable(answer), el("p", { class: "row" }, last.kept ? el("span", { "data-testid": "kept", text: `Kept as ${last.kept}.` })
      : [field("Keep this solve as", keepName), el("button", { "data-testid": "keep", on: { click: keep } }, "Keep")]));
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
    if (last?.kept) history.replaceState(null, "", keptAt(last.kept, node.line));
  }

  function whatIf(node) {
    const size = el("input", { type: "number", min: 1, max: 1000, value: 75, "data-testid": "what-if-size", "aria-label": "Bet in % of the pot" });
    return el("p", { class: "row" }, el("span", { text: "What if the bet here were" }), size, el("span", { text: "% of the pot?" }),
      el("button", { "data-testid": "what-if", on: { click: () => run({ kind: "solve.what_if", line: node.line, percent: Number(size.value) }) } }, "Solve with this bet"));
  }

  function comparing(node) {
    const here = { folder: last.kept, line: node.line };
    return el("p", {}, el("a", { href: comparedAt(here, here), "data-testid": "compare", text: "Compare this decision with another one" }));
  }

  // Return what each next card does where one falls, else the graph of the decision's hands.
  function reports(node) {
    const quick = last.answer.seconds < QUICK * last.answer.iterations;
    return node.cards_missing ? cardReport({ node, names: NAMES, go, told, quick }) : equityGraph({ node, names: NAMES, told });
  }

  function told(promise) {
    wrong.textContent = "";
    return orWrong(promise, wrong);
  }
  return () => { ends.forEach((end) => end()); if (running) ask({ kind: "solve.stop" }); };
}

function numbers(text) {
  return text.split(/[,;\s]+/).filter(Boolean).map(Number);
}

// Return bet sizes: pot fractions for numbers, which are in %, and words such as "2.5x" as they are.
function sizesOf(text) {
  return text.split(/[,;\s]+/).filter(Boolean).map((size) => Number.isNaN(Number(size)) ? size : Number(size) / 100);
}

function percents(sizes) {
  return sizes.map((size) => typeof size === "number" ? +(100 * size).toFixed(6) : size).join(", ");
}

// Return the bet sizes of a menu that are the same on all streets, else null.
function simpleSizes(menu) {
  const { sizes } = menu;
  return Array.isArray(sizes) && sizes.length === 1 && sizes[0].length <= 2 ? sizes[0] : null;
}

function answerTable(answer) {
  const row = (name, at) => el("tr", {}, el("th", { scope: "row", text: name }), el("td", { text: `${answer.share[at]?.toFixed(3) ?? "–"} bb` }),
    el("td", { text: answer.share[at] === null ? "–" : `${(100 * answer.share[at] / answer.pot).toFixed(1)} %` }), el("td", { text: `${answer.gains[at]?.toFixed(4) ?? "–"} bb` }));
  return [wide(el("table", {}, el("thead", {}, el("tr", {}, ["player", "EV of the pot", "% of pot", "a best response wins more"].map((text) => el("th", { scope: "col", text })))),
    el("tbody", {}, NAMES.map(row)))),
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
