// One review: what was lost on each street, and the costliest decisions, each a link to look inside, while it goes on.

import { alertLine, el, field, fill, table, wide } from "./dom.js";
import { fixed, percent, suited } from "./grid.js";
import { changes, jobLine, watchJobs } from "./jobs.js";
import { plain } from "./numbers.js";
import { address } from "./replay.js";
import { ask } from "./socket.js";

const STREETS = ["preflop", "flop", "turn", "river"];
const POSITIONS = ["SB", "BB", "BTN", "CO", "HJ", "EP"];
const LOSSES = ["street", "decisions", "with values", "as the bot", "lost in 100 hands, bb", "95 % interval"];
const DECISIONS = ["lost, bb", "±", "cards", "street", "seat", "pot, bb", "done", "what the bot does (wins, bb)", "betting", "where"];
const MORE = 100;        // decisions that a click adds
const MOST = 2000;
const LEAST = 0.005;     // smallest probability of an action that is shown

export function showReview(main, name) {
  let shown = MORE;
  let last = "";         // what was drawn last
  const title = el("h1", { text: name });
  const { wrong, told } = alertLine();
  const state = el("div", { role: "status", class: "row", "data-testid": "review-state" });
  const bar = el("progress", { "aria-label": "Hands judged", max: 1, value: 0 });
  const out = el("ul", { class: "muted", "data-testid": "left-out" });
  const place = el("div", {});
  const choices = [STREETS, POSITIONS].map((names) => names.map((text) => el("button", { type: "button", "aria-pressed": "false", "data-testid": `only-${text}`, text,
    on: { click: ({ target }) => { target.setAttribute("aria-pressed", String(target.getAttribute("aria-pressed") !== "true")); choose(); } } })));
  const pots = ["Pot from, bb", "to"].map((text, at) => [text, el("input", { type: "number", min: 0, step: "any", "data-testid": `pot-${at}`, on: { change: choose } })]);
  fill(main, el("section", { class: "replay" }, el("p", {}, el("a", { href: "#/review", text: "All reviews" })), title, bar, state, wrong, out,
    el("div", { class: "row views" }, choices.map((buttons, at) => el("span", { class: "row views", role: "group", "aria-label": ["Streets", "Positions"][at] }, buttons)),
      pots.map(([text, input]) => field(text, input))), place));
  const { look, end } = watchJobs(read, draw, (view) => view && changes(view.job));
  return end;

  function choose() {
    shown = MORE;
    look(true);
  }

  // `fresh`: whether a person asks, so that what went wrong before is of no interest any more.
  async function read(fresh) {
    const [streets, positions] = choices.map((buttons) => buttons.filter((button) => button.getAttribute("aria-pressed") === "true").map((button) => button.textContent));
    const [low, high] = pots.map(([, input]) => (input.value === "" ? null : Math.max(0, Number(input.value))));
    const question = { kind: "review.read", review: name, streets, positions, min_pot: low ?? 0, max_pot: high, shown };
    const view = await told(ask(question), Boolean(fresh));
    return view && { ...view, now: JSON.stringify([question, view.judged.hands]) };
  }

  function draw({ judged, job, left_out: leftOut, now }) {
    title.textContent = `${judged.hero}, judged by ${judged.bot}`;
    bar.max = Math.max(1, judged.of);
    bar.value = job?.state === "done" ? bar.max : judged.hands;
    fill(state, el("span", { "data-testid": "judged", text: `${plain(judged.hands)} of ${plain(judged.of)} hands judged;` }), jobLine(job, act),
      job || judged.hands >= judged.of ? null : el("button", { "data-testid": "continue-review", on: { click: () => act({ kind: "review.continue", review: name }) } }, "Go on"));
    for (const button of choices[1]) button.hidden = !judged.positions.includes(button.textContent);
    const reasons = Object.entries({ ...leftOut, ...judged.without });
    fill(out, reasons.map(([reason, count]) => el("li", { text: `left out: ${plain(count)} ${reason}` })));
    if (now === last) return;
    last = now;
    fill(place, judged.decisions ? [lossTable(judged.streets), el("h2", { text: `The costliest of ${plain(judged.decisions)} decisions` }),
      el("p", { class: "muted", text: "Bets are to chips of the whole hand, not of the street; what is lost and won is in big blinds, a fold winning 0. A click on a loss looks inside." }),
      decisionTable(judged.rows, name),
      judged.rows.length < Math.min(judged.decisions, MOST) ? el("button", { "data-testid": "more", on: { click: () => { shown = Math.min(shown + MORE, MOST); look(true); } } }, "Show more") : null]
      : el("p", { class: "muted", text: judged.hands ? "No decision fits." : "Nothing is judged yet." }));
  }

  async function act(question) {
    await told(ask(question));
    look();
  }
}

function lossTable(streets) {
  const line = ([street, loss]) => {
    const known = loss.valued ? [fixed(loss.lost, 2), loss.interval[0] === null ? "" : `${fixed(loss.interval[0], 2)} to ${fixed(loss.interval[1], 2)}`] : ["–", "–"];
    return el("tr", {}, el("th", { scope: "row", text: street }), [plain(loss.decisions), plain(loss.valued), percent(loss.probability), ...known].map((text) => el("td", { text })));
  };
  return wide(table({ "data-testid": "losses" }, LOSSES.map(heading), Object.entries(streets).map(line)));
}

function decisionTable(rows, name) {
  return wide(table({ class: "judged", "data-testid": "decisions" }, DECISIONS.map(heading), rows.map((row) => el("tr", {},
    el("td", {}, row.decision === null ? "–" : el("a", { href: inside(name, row), title: "Look inside", text: row.lost === null ? "look inside" : fixed(row.lost, 2) })),
    el("td", { text: row.lost === null || !row.error ? "–" : fixed(row.error, 2) }),
    el("td", { class: "left" }, suited(row.hole), " ", row.board ? suited(row.board) : null),
    el("td", { class: "left", text: row.street }), el("td", { class: "left", text: row.position }), el("td", { text: plain(row.pot, 1) }),
    el("td", { class: "left", text: actionText(row.taken, row) }), el("td", { class: "words told" }, answerText(row)),
    el("td", { class: "words wide-words", text: bettingText(row.betting) }),
    el("td", { class: "words" }, el("a", { href: address(row.file, row.line), title: "Replay the hand", text: row.where }))))));
}

const heading = (text) => el("th", { scope: "col", class: "words", text });

function inside(name, row) {
  return `#/inside/review/${[name, row.file, row.line, row.decision].map(encodeURIComponent).join("/")}`;
}

// Return what the bot does, with what each action wins.
function answerText(row) {
  const { actions, values, taken } = row;
  const names = [...new Set([...Object.keys(actions), ...Object.keys(values ?? {})])];
  return names.filter((name) => (actions[name] ?? 0) >= LEAST || name === taken)
    .map((name) => `${actionText(name, row)} ${percent(actions[name] ?? 0)}${values && name in values ? ` (${fixed(values[name], 2)})` : ""}`).join(", ");
}

// Return an action of the wire at a decision in words.
function actionText(action, { street, position, betting }) {
  const raised = betting.split("/").at(-1).includes("r");
  return inWords(action, raised, street === "preflop", !raised && (street !== "preflop" || position === "BB"));
}

function inWords(action, raised, preflop, free) {
  if (action[0] === "f") return "fold";
  if (action[0] === "r") return `${raised || preflop ? "raise" : "bet"} to ${action.slice(1)}`;
  return free ? "check" : "call";
}

// Return the betting of the wire in words. Before the flop only the last one of a street without a raise checks.
function bettingText(betting) {
  const streets = betting.split("/").map((street) => street.match(/r\d+|[cf]/g) ?? []);
  return streets.map((actions, at) => {
    const free = (index) => at > 0 || (index === actions.length - 1 && at < streets.length - 1);
    const words = actions.map((action, index) => {
      const raised = actions.slice(0, index).some((before) => before[0] === "r");
      return inWords(action, raised, at === 0, !raised && free(index));
    });
    return words.length ? `${at ? `${STREETS[at]}: ` : ""}${words.join(", ")}` : "";
  }).filter(Boolean).join("; ");
}
