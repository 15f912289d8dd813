// What works in the background: the page of all jobs, and the line that says how far one of them is.

import { alertLine, el, fill, words } from "./dom.js";
import { ask, listen } from "./socket.js";

const POLL = 3000;  // milliseconds between two looks at jobs

const KINDS = { review: "review", boards: "many boards", solve: "solve" };
const STATES = { waiting: "waits for its turn", running: "running", paused: "paused", done: "done", failed: "has failed" };

// Return whether a job may change by itself.
export function changes(job) {
  return job !== null && (job.active || job.state === "waiting");
}

// Look at jobs, and again while they change. `read(order)` returns a promise of what is there, null after a failure, `draw(view)` shows
// it, and `changing(view)` says whether it may change by itself. Returns {look(order), end()}; `order` is empty but for a person's.
export function watchJobs(read, draw, changing) {
  let clock = null;
  let ended = false;
  async function look(order = null) {
    clearTimeout(clock);
    const view = await read(order);
    if (ended) return;
    if (view) draw(view);
    clearTimeout(clock);
    if (changing(view)) clock = setTimeout(look, POLL);
  }
  const deaf = listen("open", () => look());
  look();
  return { look, end: () => { ended = true; clearTimeout(clock); deaf(); } };
}

function stateText(job) {
  if (!job) return "taken from the list of jobs";
  const state = job.active && job.state !== "running" ? "pausing, once the piece at hand is done" : STATES[job.state];
  return `${state}${job.said && !(job.state === "done" && job.kind !== "boards") ? `: ${job.said}` : ""}`;
}

// Return the state of a job and the buttons for it. `act(question)` is called with what the server is to be asked.
export function jobLine(job, act) {
  const button = (kind, text) => el("button", { "data-testid": kind, on: { click: () => act({ kind: `jobs.${kind}`, folder: job.folder }) } }, text);
  const ends = job && ["waiting", "running"].includes(job.state);
  return [el("span", { class: job?.state === "failed" ? "bad" : "", "data-testid": "job-state", text: stateText(job) }),
    !job ? null : ends ? button("pause", "Pause") : ["paused", "failed"].includes(job.state) ? button("resume", "Resume") : null];
}

// Return the address at which a job's results are shown; null for a solve that is not kept yet.
function address({ kind, folder, state }) {
  if (kind === "solve") return state === "done" ? `#/solve/${encodeURIComponent(folder)}` : null;
  return kind === "review" ? `#/review/${encodeURIComponent(folder.split("/").at(-1))}` : `#/boards/${encodeURIComponent(folder)}`;
}

// The page #/jobs.
export function show(main) {
  const { wrong, told } = alertLine();
  const place = el("div", { role: "status", "data-testid": "jobs" });
  fill(main, el("section", { class: "watch" }, el("h1", { text: "Jobs" }),
    el("p", {}, words("One works at a time, in a process of its own, whether a page is open or not. What had not ended with `limpet table` goes on when it is started again.")), wrong, place));
  // Ask for what a person has ordered, or for the list alone. What was refused stands there until the next order.
  const { look, end } = watchJobs((order) => told(ask(order ?? { kind: "jobs.list" }), order !== null), draw, () => true);
  return end;

  function draw(jobs) {
    if (!jobs.length) return fill(place, el("p", { class: "muted" }, words("There are none. Review begins some, and so does Solve, for one board or many.")));
    fill(place, el("ul", { class: "jobs" }, jobs.map((job) => el("li", { class: "panel row" },
      el(address(job) ? "a" : "b", { href: address(job), text: job.folder.split("/").at(-1) }), el("span", { class: "muted", text: KINDS[job.kind] ?? job.kind }), jobLine(job, look),
      job.active || job.state === "waiting" ? null : el("button", { "data-testid": "forget", title: "Its results stay in its folder",
        on: { click: () => look({ kind: "jobs.forget", folder: job.folder }) } }, "Take from the list")))));
  }
}
