// A hand looked into: what the bot thought at each decision, both ranges, and other bets tried out.

import { el, field, fill } from "./dom.js";
import { fixed, handGrid, kindsOfHands, percent, suited } from "./grid.js";
import { ask, listen } from "./socket.js";
import { rangePair } from "./tree.js";

// The pages #/inside/KEY/HAND, by the key of the person's seat, #/inside/file/PATH/LINE/DECISION for a recorded hand, and
// #/inside/review/REVIEW/PATH/LINE/DECISION for a hand that is judged from the seat of the one who played it.
export function show(main, [key, ...words]) {
  const [panel, back, address] = { file: ofFile, review: ofReview }[key]?.(...words)
    ?? [seatPanel(key), "Back to the table", "#/play"];
  fill(main, el("h1", { text: "Look inside a hand" }), el("p", {}, el("a", { href: address, text: back })), panel.element);
  panel.look(Number(words[0]), false);
}

function ofFile(path, line, decision) {
  const question = () => ({ kind: "inside.file", path, line: Number(line), decision: Number(decision) });
  return [insidePanel(question, "Opponent", { first: Number(decision) }), "Back to the replay", `#/replay/${encodeURIComponent(path)}/${line}`];
}

function ofReview(review, file, line, decision) {
  const question = () => ({ kind: "review.inside", review, file, line: Number(line) });
  return [insidePanel(question, "Opponent", { first: Number(decision), own: "You" }), "Back to the review", `#/review/${encodeURIComponent(review)}`];
}

// Return the panel for the hands of a seat.
export function seatPanel(key) {
  return insidePanel((hand, study) => ({ kind: "inside.hand", key, hand, study }), "You");
}

// Return {element, look(hand, study), clear()}. `question(hand, study)` is what the server is asked; `other` is what the
// bot's opponent is called, `first` the decision shown first, `own` who played the bot's seat if the bot did not. `study` is
// for a hand that is being played.
function insidePanel(question, other, { first = 0, own = "" } = {}) {
  const element = el("section", { class: "inside", "aria-label": "Inside the hand", "data-testid": "inside" });
  let turn = 0;
  let chosen = first;

  async function look(hand, study) {
    const mine = ++turn;
    if (!element.firstChild) fill(element, el("p", { role: "status", text: "The bot works the hand out again …" }));
    try {
      const seen = await ask(question(hand, study));
      if (mine !== turn) return;
      draw(seen, study);
    } catch (error) {
      if (mine === turn) fill(element, el("p", { class: "bad", role: "alert", text: error.message }));
    }
  }

  function draw(seen, study) {
    const names = [0, 1].map((position) => `${position === seen.bot ? own || seen.name : other} (${seen.places[position]})`);
    const place = el("div", { class: "inside-decision" });
    const progress = el("p", { class: "muted", role: "status" });
    const buttons = seen.steps.map((step) => el("button", { type: "button", "data-testid": `step-${step.number}`, on: { click: () => choose(step.number) } },
      el("small", { text: `${step.street}, pot ${step.pot_bb} bb` }), `${step.is_bot ? own || seen.name : other}: ${step.taken || "to decide"}`));
    fill(element, study ? el("p", { class: "study", "data-testid": "study-note", text: "Study mode: this shows the bot's cards and what it thinks while the hand is played." },
      seen.holes[seen.bot] ? [" The bot holds ", el("span", { "data-testid": "study-cards" }, suited(seen.holes[seen.bot])), "."] : " The bot's cards are not known here.") : null,
      el("h2", {}, own ? `Hand ${seen.hand + 1} as ${seen.name} sees it ` : `Hand ${seen.hand + 1} as ${seen.name} saw it `, seen.board ? suited(seen.board) : null), el("p", { class: "muted", text: own ? `${seen.name} works everything out as if it had played your seat.` : seen.note }),
      el("ol", { class: "steps" }, buttons.map((button) => el("li", {}, button))), progress, place);
    if (!seen.steps.length) return fill(place, el("p", { text: "Nobody had anything to decide in this hand." }));

    async function choose(number) {
      const mine = turn;
      chosen = number;
      buttons.forEach((button, at) => at === number ? button.setAttribute("aria-current", "step") : button.removeAttribute("aria-current"));
      place.setAttribute("aria-busy", "true");
      place.inert = true;  // what is shown there is about to go
      const stop = listen("inside.progress", (told) => { if (told.number === number) progress.textContent = played(told.state); });
      try {
        const decision = await ask({ kind: "inside.decision", number });
        if (mine === turn && chosen === number) fill(place, decisionView(decision, names), whatIf(number, decision, names));
      } catch (error) {
        fill(place, el("p", { class: "bad", role: "alert", text: error.message }));
      }
      stop();
      if (chosen !== number) return;
      progress.textContent = "";
      place.removeAttribute("aria-busy");
      place.inert = false;
    }
    choose(study ? seen.steps.length - 1 : Math.min(chosen, seen.steps.length - 1));
  }
  function clear() {
    turn += 1;
    fill(element);
  }
  return { element, look, clear };
}

function decisionView(decision, names) {
  const { step, grid, held, equity } = decision;
  const who = names[step.position];
  return [
    el("p", { class: "head" }, el("b", { text: step.street }), " ", step.board ? suited(step.board) : null, ` pot ${step.pot_bb} bb${step.to_call_bb ? `, ${step.to_call_bb} bb to call` : ""}: `,
      el("b", { text: who }), step.taken ? ` – ${step.taken}` : " decides"),
    el("p", { "data-testid": "source", text: `${step.is_bot ? "The bot decided" : "The bot expects its opponent to decide"} ${step.source}${step.seconds < 0.005 ? "" : `; ${step.seconds.toFixed(2)} s`}.` }),
    held ? heldView(held, grid) : null,
    handGrid(grid, { name: `What ${who} does`, held: held?.cards ?? "", taken: decision.taken }),
    el("p", { class: "muted", text: equity[0] === null ? "" : `Equity of the ranges: ${names[0]} ${percent(equity[0])}, ${names[1]} ${percent(equity[1])}.` }),
    grid.measure && el("p", { class: "muted", "data-testid": "how", text: decision.how ? `EVs: ${decision.how}${decision.error ? `; standard error of one hand ${decision.error.toFixed(2)} bb` : ", exact"}.`
      : "Values here are equities against the other range: there is no blueprint that could be played on from here." }),
    kindsOfHands(grid, [who, names[1 - step.position]]),
    decision.ranges.length ? rangePair(decision.ranges, names) : null,
  ];
}

function played({ done, total }) {
  return `Playing out ${done} of ${total} sampled deals …`;
}

// Return a line on the hand that was held.
function heldView(held, grid) {
  const does = grid.actions.map((action, a) => `${action.label} ${percent(held.frequencies[a] ?? 0, 0)}${held.evs.length && held.evs[a] !== null ? ` (EV ${fixed(held.evs[a], 2)} bb)` : ""}`);
  const value = held.ev === null ? "" : grid.measure === "equity" ? `, equity ${percent(held.ev)}` : `, EV ${fixed(held.ev, 2)} bb`;
  return el("p", { "data-testid": "held" }, suited(held.cards), ` ${does.join(", ")}${value}`);
}

function whatIf(number, decision, names) {
  if (!decision.step.may_raise) return null;
  const size = el("input", { type: "number", min: 1, max: 1000, value: 75, "data-testid": "what-if-size" });
  const answer = el("div", { "data-testid": "what-if-answer" });
  const submit = async (event) => {
    event.preventDefault();
    fill(answer, el("p", { role: "status", text: "Working it out …" }));
    try {
      const tried = await ask({ kind: "inside.what_if", number, percent: Number(size.value) });
      const own = decision.held && tried.values?.combos.names.indexOf(decision.held.cards);
      const won = own >= 0 ? tried.values?.combos.ev[own] : null;
      fill(answer, el("h3", { text: `After a ${tried.words}` }),
        won !== null && won !== undefined ? el("p", { "data-testid": "what-if-ev" }, suited(decision.held.cards), ` would have an EV of ${won.toFixed(2)} bb`) : null,
        decisionView(tried.answer, names),
        tried.values ? [el("h3", { text: `What each hand of ${names[decision.step.position]} wins with this bet` }), handGrid(tried.values, { name: "Values after the bet", testid: "what-if-values", held: decision.held?.cards ?? "", listed: false })] : null);
    } catch (error) {
      fill(answer, el("p", { class: "bad", role: "alert", text: error.message }));
    }
  };
  return el("section", { class: "what-if" }, el("form", { class: "panel row", on: { submit } },
    field(`What if ${names[decision.step.position]} had bet, in % of the pot`, size), el("button", { "data-testid": "what-if" }, "Try it")), answer);
}
