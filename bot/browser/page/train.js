// The page that trains a person: it chooses a drill, asks, takes the answer by click or key, and says what it lost and why.

import { cardWords, showCards } from "./cards.js";
import { el, field, fill, heading, table, wide } from "./dom.js";
import { fixed, percent } from "./grid.js";
import { ask, listen } from "./socket.js";

const OWN = "own";
const PUSH_FOLD = /^pushfold-([\d.,]+)(?:\+([\d.]+))?(?::([\d.,]+))?$/;

export function show(main, [given]) {
  const drill = el("select", { "data-testid": "drill" });
  const stacks = el("input", { autocomplete: "off", value: "10", placeholder: "10, or 8, 12, 10", "data-testid": "stacks" });
  const ante = el("input", { inputmode: "decimal", value: "0", "data-testid": "ante" });
  const prizes = el("input", { autocomplete: "off", placeholder: "none: chips count", "data-testid": "prizes" });
  const path = el("input", { autocomplete: "off", placeholder: "runs/f1, or my.yaml", "data-testid": "path" });
  const short = [field("Stacks in big blinds: one heads-up, or all, first to act first", stacks), field("Ante of each", ante),
    field("Prizes; a big blind is then its share of them", prizes)];
  const own = field("Folder of limpet solve --save, or a spot's file", path);
  const about = el("p", { class: "muted about", role: "status", "data-testid": "about" });
  const abouts = {};  // what is known of a drill besides its name
  const begin = el("button", { class: "main", "data-testid": "begin" }, "Begin");
  const stop = el("button", { type: "button", hidden: true, on: { click: () => ask({ kind: "drill.stop" }).catch(say) } }, "Solved enough");
  const wrong = el("p", { class: "bad", role: "alert" });
  const said = el("p", { role: "status", "data-testid": "status" });
  const place = el("section", { "aria-label": "Question", "data-testid": "question" });
  const result = el("div", { role: "status", "data-testid": "judged" });
  const score = el("div", { "data-testid": "score" });
  let question = null;
  let waiting = false;
  let turn = 0;
  fill(main, heading("Train", "You are asked what to do with a hand; the answer says what that loses against an equilibrium, and why."),
    el("form", { class: "panel", on: { submit } }, el("div", { class: "form-grid" }, el("div", { class: "broad" }, field("What to drill", drill)), short, own), about,
      el("p", { class: "row" }, begin, stop)), wrong, said, place, result, score);
  const ends = [listen("drill.progress", ({ value }) => { said.textContent = `Solving: ${Math.round(value.seconds)} s, about ${Math.round(value.left)} s left.`; })];
  const choose = () => { for (const part of short) part.hidden = drill.value !== "pushfold"; own.hidden = drill.value !== OWN; about.textContent = abouts[drill.value] ?? ""; };
  drill.addEventListener("change", choose);
  ask({ kind: "drill.list" }).then(({ drills, spots }) => {
    const option = (value, text = value) => el("option", { value, text });
    Object.assign(abouts, spots);
    fill(drill, Object.entries(drills).map(([name, said]) => {
      const [what, more] = said.split("; ");
      if (more) abouts[name] = `${more[0].toUpperCase()}${more.slice(1)}.`;
      return option(name, what);
    }), option("pushfold", "push or fold, two players and more"),
      option(OWN, "a solution or spot of your own"), el("optgroup", { label: "Spots that ship, all decisions" }, Object.keys(spots).map((name) => option(name))));
    const push = PUSH_FOLD.exec(given);
    if (given) drill.value = push ? "pushfold" : given;
    if (push) [stacks.value, ante.value, prizes.value] = [push[1], push[2] ?? "0", push[3] ?? ""];
    if (given && !drill.value) [drill.value, path.value] = [OWN, given];
    if (!drill.value) drill.selectedIndex = 0;
    choose();
  }, say);
  document.addEventListener("keydown", key);

  function say(error) { wrong.textContent = error.message; }

  // Ask the server, and call `then` with the answer unless another drill has begun meanwhile.
  async function told(message, then) {
    const mine = turn;
    waiting = true;
    wrong.textContent = "";
    try {
      const answer = await ask(message);
      if (mine === turn) then(answer);
    } catch (error) {
      if (mine === turn) say(error);
    } finally {
      if (mine === turn) waiting = false;
    }
  }

  async function submit(event) {
    event.preventDefault();
    turn += 1;
    question = null;
    fill(place); fill(result); fill(score);
    const name = drill.value === "pushfold" ? pushFold() : drill.value === OWN ? path.value.trim() : drill.value;
    history.replaceState(null, "", `#/train/${encodeURIComponent(name)}`);
    said.textContent = "Preparing …";
    stop.hidden = false;
    await told({ kind: "drill.begin", name }, put);
    said.textContent = "";
    stop.hidden = true;
  }

  // Return the name of the drill of short stacks that the fields describe.
  function pushFold() {
    const list = (text) => text.split(/[,;\s]+/).filter(Boolean).join(",");
    return `pushfold-${list(stacks.value)}${Number(ante.value) ? `+${Number(ante.value)}` : ""}${list(prizes.value) ? `:${list(prizes.value)}` : ""}`;
  }

  function next() { told({ kind: "drill.next" }, put); }

  // Show a question.
  function put(asked) {
    question = asked;
    said.textContent = "";
    fill(result);
    const board = el("div", { class: "cards", "data-testid": "board" });
    const hand = el("div", { class: "cards", "data-testid": "hand" });
    showCards(board, asked.board.match(/../g) ?? []);
    showCards(hand, asked.hand.match(/../g));
    fill(place, asked.again ? el("p", { class: "muted", text: "You missed this one before." }) : null,
      el("div", { class: "drill-cards" }, asked.board ? el("div", {}, el("h2", { text: `The ${asked.street}` }), board) : null, el("div", {}, el("h2", { text: "Your hand" }), hand)),
      el("p", { "data-testid": "situation" }, `You are ${asked.seat}; the pot is ${asked.pot} bb. `, asked.said ? ["Before you: ", words(asked.said), "."] : "You act first."),
      el("div", { class: "row", role: "group", "aria-label": "Your answer" }, asked.labels.map((label, action) => el("button", { type: "button", class: "main", "data-testid": `answer-${action}`,
        "aria-keyshortcuts": String(action + 1), on: { click: () => answer(action) } }, el("kbd", { text: action + 1 }), ` ${label}`))));
  }

  function answer(action) {
    if (waiting || !question) return;
    told({ kind: "drill.answer", action }, (judged) => {
      question = null;
      for (const button of place.querySelectorAll("button")) button.disabled = true;
      tell(judged);
    });
  }

  // Show what an answer lost, the strategy, the ranges, and the session so far.
  function tell(judged) {
    const [mine, theirs] = judged.ranges;
    const side = ({ equity, share }) => `equity ${equity === null ? "unknown" : percent(equity)}, share of the pot ${share === null ? "unknown" : percent(share)}`;
    const again = el("button", { type: "button", class: "main", "data-testid": "next", on: { click: next } }, "Next");
    fill(result, el("p", { class: judged.missed ? "bad" : "", "data-testid": "lost" }, el("b", { text: judged.kind ? `You ${judged.kind}` : judged.lost_bb ? "As the strategy plays" : "The best answer" }),
      `: ${fixed(judged.lost_bb, 3)} bb lost, ${fixed(judged.lost_percent, 2)} % of the pot.`),
      wide(table({}, ["action", "strategy", "EV in bb", "lost"],
        judged.actions.map((each) => el("tr", {}, el("th", { scope: "row", text: each.taken ? `${each.label} (yours)` : each.label }),
          el("td", { text: percent(each.frequency) }), el("td", { text: fixed(each.value, 3) }), el("td", { text: fixed(each.lost, 3) }))))),
      mine ? el("p", { "data-testid": "ranges" }, `Range against range: yours has ${side(mine)}; the other ${side(theirs)}.`) : null, el("p", { class: "row" }, again));
    const { score: sums, mistakes } = judged;
    const mean = (value, half, digits) => `${fixed(value, digits)}${half === null ? "" : ` ± ${fixed(half, digits)}`}`;
    fill(score, el("h2", { text: "This session" }),
      el("p", { text: `${sums.answers} ${sums.answers === 1 ? "answer" : "answers"}, ${sums.missed} missed: ${mean(sums.lost_bb, sums.lost_bb_half, 3)} bb lost a hand, ${mean(sums.lost_percent, sums.lost_percent_half, 2)} % of the pot.` }),
      mistakes.length ? el("ul", {}, mistakes.slice(0, 5).map((each) => el("li", { text: `${each.kind}, ${each.street}, ${each.seat}${each.facing ? ", facing a bet" : ""}: ${fixed(each.lost_bb, 3)} bb in ${each.answers}` }))) : null);
    again.focus({ preventScroll: true });
    result.scrollIntoView({ block: "nearest" });
  }

  function key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || event.target.closest?.("input, select, textarea")) return;
    const action = Number(event.key) - 1;
    if (question && action >= 0 && action < question.labels.length) answer(action);
  }

  return () => {
    turn += 1;
    if (!stop.hidden) ask({ kind: "drill.stop" }).catch(() => {});
    document.removeEventListener("keydown", key);
    ends.forEach((end) => end());
  };
}

// Return a line with its cards in their suits' colours.
function words(line) {
  return line.split(", ").map((word, at) => [at ? ", " : "", /^[2-9TJQKA][cdhs]$/.test(word) ? cardWords([word]) : word]);
}
