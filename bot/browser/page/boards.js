// The page of a batch: boards solved by `limpet solve --batch`, sorted by any column, grouped by texture; a click opens one.

import { alertLine, el, field, fill, readdress, table, wide, words } from "./dom.js";
import { legend, stripes, suited } from "./grid.js";
import { changes, jobLine, watchJobs } from "./jobs.js";
import { saveText } from "./picture.js";
import { ask } from "./socket.js";

const TEXTURES = { suits: "suits", ranks: "pairs", high: "high card", connected: "straights" };
const TITLES = { ...TEXTURES, board: "board", weight: "weight", boards: "boards", of_all: "of all", share_oop: "EV OOP", share_ip: "EV IP",
  equity_oop: "equity OOP", equity_ip: "equity IP", exploitability_percent: "exploitability" };
const COUNTS = ["weight", "boards"];

export function show(main, [wanted]) {
  let view = null;
  let sort = { column: "", falling: true };
  let turn = 0;
  let known = [];       // batches with some board that is solved
  let said = "";        // what the batch that is being solved said last, and whether it still is
  const names = el("select", { "data-testid": "batch" });
  const again = el("button", { "data-testid": "read-again", on: { click: () => open() } }, "Read again");
  const state = el("p", { role: "status", class: "row", "data-testid": "batch-state" });
  const groups = Object.entries(TEXTURES).map(([name, text]) => el("button", { type: "button", "aria-pressed": "false", "data-group": name,
    "data-testid": `group-${name}`, text, on: { click: ({ target }) => {
      target.setAttribute("aria-pressed", String(target.getAttribute("aria-pressed") !== "true"));
      sort = { column: "", falling: true };
      open();
    } } }));
  const { wrong, told } = alertLine();
  const place = el("div", {});
  fill(main, el("h1", { text: "Many boards" }), el("p", { class: "row" }, field("Batch", names), again, el("a", { href: "#/solve", text: "Solve one spot" })),
    el("p", { class: "row views", role: "group", "aria-label": "Means by texture" }, el("span", { text: "Means by" }), groups), state, wrong, place);
  names.addEventListener("change", () => { look(); open(); });
  const { look, end } = watchJobs(() => told(ask({ kind: "boards.list" }), false), tell, (found) => found && changes(found.jobs[names.value] ?? null));
  return end;

  // List the batches.
  function list(found) {
    const all = [...new Set([...found.names, ...Object.keys(found.jobs)])];
    if (!all.length) return fill(place, el("p", {}, words("There is no batch below the folder that `limpet table` was started in. The page Solve begins one, and so does `limpet solve f1 --batch 50 --output flops`.")));
    fill(names, all.map((name) => el("option", { value: name, text: name })));
    if (all.includes(wanted)) names.value = wanted;
    open();
  }

  // Show what the batch that is being solved says, and read it again as it grows.
  function tell(found) {
    known = found.names;
    if (!names.options.length) list(found);
    const job = found.jobs[names.value] ?? null;
    const saying = job ? `${job.said} ${job.active}` : "";
    if (saying !== said && job) open();
    said = saying;
    const begun = names.value in found.jobs && !job;
    fill(state, job ? jobLine(job, act) : null,
      begun ? el("button", { "data-testid": "continue-batch", on: { click: () => act({ kind: "boards.continue", folder: names.value }) } }, "Go on solving") : null);
  }

  async function act(question) {
    await told(ask(question));
    look();
  }

  async function open() {
    const mine = ++turn;
    if (!known.includes(names.value)) return fill(place, el("p", { class: "muted", text: "No board is solved yet." }));
    const group = groups.filter((button) => button.getAttribute("aria-pressed") === "true").map((button) => button.dataset.group);
    const read = await told(ask({ kind: "boards.rows", folder: names.value, group }), false);
    if (!read || mine !== turn) return;
    view = read;
    if (!place.isConnected) return;
    readdress(place, `#/boards/${encodeURIComponent(names.value)}`);
    draw();
  }

  function draw() {
    const actions = view.actions.map((action) => action.label);
    const columns = Object.keys(view.rows[0]).filter((name) => name !== "exploitability_percent");
    const rows = sorted(view, sort);
    const heading = (name) => {
      const chosen = sort.column === name;
      return el("th", { scope: "col", class: name in TEXTURES ? "words" : "", "aria-sort": chosen ? (sort.falling ? "descending" : "ascending") : "none" },
        el("button", { type: "button", class: "sort", "data-testid": `sort-${name}`, on: { click: () => { sort = { column: name, falling: chosen ? !sort.falling : true }; draw(); } } },
          TITLES[name] ?? name, chosen ? (sort.falling ? " ▼" : " ▲") : ""));
    };
    const strip = (row) => el("td", {}, actions.some((name) => row[name] !== null) ? el("div", { class: "stripes", style: { background: stripes(view.actions, actions.map((name) => row[name])) } }) : null);
    const line = (row) => el("tr", {}, first(row, columns[0]), strip(row), columns.slice(1).map((name) => cell(row, name)));
    const whole = el("tr", { class: "whole-batch" }, el("th", { scope: "row", text: "all" }), strip(view.whole), columns.slice(1).map((name) => cell(view.whole, name)));
    fill(place, el("p", { "data-testid": "batch-size", text: `${view.whole.boards.toLocaleString("en")} boards${view.line ? `, after ${view.line}` : ""}; numbers in %, EVs in % of the pot, OOP out of position, IP in position.` }),
      el("div", { class: "hands" }, legend({ actions: view.actions })),
      wide(table({ class: "batch", "data-testid": "batch-rows" }, [heading(columns[0]), "strategy", columns.slice(1).map(heading)], whole, rows.map(line))),
      el("p", {}, el("button", { on: { click: () => save(columns, rows, names.value) } }, "Save as CSV")));
  }

  function first(row, name) {
    if (name !== "board") return el("th", { scope: "row", text: text(name, row[name]) });
    const shown = suited(row.board);
    return el("th", { scope: "row" }, view.opens ? el("a", { href: `#/solve/${encodeURIComponent(names.value)}/${row.board}`, title: "Solve this board",
      "data-testid": `open-${row.board}` }, shown) : shown);
  }
}

function cell(row, name) {
  return el("td", { class: name in TEXTURES ? "words" : "", text: text(name, row[name]) });
}

function text(name, value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  return COUNTS.includes(name) ? value.toLocaleString("en") : (100 * value).toFixed(1);
}

// Return a view's rows by a column, unknown values last; boards by their cards, highest first, words in their order.
function sorted({ rows, orders }, { column, falling }) {
  if (!column) return rows;
  const rank = (row) => {
    const value = row[column];
    if (column === "board") return value.match(/../g).map((card) => "23456789TJQKA".indexOf(card[0])).sort((a, b) => b - a).reduce((sum, rank) => 13 * sum + rank, 0);
    return column in orders ? -orders[column].indexOf(value) : value;
  };
  const known = rows.filter((row) => row[column] !== null);
  return [...known.sort((a, b) => (falling ? rank(b) - rank(a) : rank(a) - rank(b))), ...rows.filter((row) => row[column] === null)];
}

function save(columns, rows, name) {
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column] ?? ""))].map((line) => line.join(","));
  saveText(`${lines.join("\n")}\n`, `${name.replaceAll("/", "-")}.csv`, "text/csv");
}
