// Forms for new tables and tournaments, and the bankroll.

import { alertLine, el, field, fill, words } from "./dom.js";
import { ask } from "./socket.js";

// Return the forms; `sitAt(key)` is called with the seat of a table that was opened.
export function lobby(hello, sitAt) {
  return el("div", { class: "lobby" }, cash(hello, sitAt), tournament(hello, sitAt), money(hello));
}

function number(name, min, max, value, step = "1") {
  return el("input", { type: "number", min, max, value, step, "data-testid": name });
}

function bots(hello, fits) {
  return hello.opponents.filter(fits).map((bot) => el("option", { value: bot.config }, `${bot.name}: ${bot.about}`));
}

// Return a form that asks for a table with what `message()` returns.
function opening(title, testid, sitAt, message, ...parts) {
  const { wrong, told } = alertLine();
  const send = (event) => {
    event.preventDefault();
    told(ask(message()).then(({ key }) => sitAt(key)));
  };
  return el("form", { class: "panel", on: { submit: send } }, el("h2", { text: title }), parts,
    el("p", {}, el("button", { class: "main", "data-testid": testid }, "Sit down")), wrong);
}

// Return the bots of a new table: `list`, from which one is chosen, `about` with what it is, `count` of it, and `more` kinds.
// `find()` returns the chosen one, `configs()` those of all, and `others()` those of the further kinds.
function party(hello, fits, prefix, least, usual) {
  const list = el("select", { "data-testid": `${prefix}opponent` }, bots(hello, fits));
  const about = el("p", { class: "muted about" });
  const count = number(`${prefix}bots`, least, 9, usual);
  const rows = el("div", { class: "rows" });
  const find = () => hello.opponents.find((bot) => bot.config === list.value);
  const tell = () => { const bot = find(); fill(about, bot ? [el("b", { text: bot.name }), ": ", words(bot.about)] : null); };
  const add = () => {
    const row = el("div", { class: "row" }, el("select", { "aria-label": "Another opponent" }, bots(hello, (bot) => bot.holdem)),
      el("input", { type: "number", min: 1, max: 8, value: 1, "aria-label": "How many of it" }), el("button", { type: "button", on: { click: () => row.remove() } }, "Remove"));
    rows.append(row);
  };
  const others = () => [...rows.children].flatMap(({ children: [each, how] }) => Array(Number(how.value)).fill(each.value));
  list.addEventListener("change", tell);
  tell();
  return { list, about, count, more: el("div", {}, rows, el("button", { type: "button", on: { click: add } }, "Another kind of opponent")),
    find, others, configs: () => [...Array(Number(count.value)).fill(list.value), ...others()] };
}

function cash(hello, sitAt) {
  const { list, about, count, more, find, configs } = party(hello, () => true, "", 0, 1);
  const people = number("people", 0, 9, 0);
  const stack = number("stack", 10, 400, 200, "any");
  const reveal = el("input", { type: "checkbox", "data-testid": "reveal" });
  const carry = el("input", { type: "checkbox", "data-testid": "carry" });
  const style = el("input", { type: "range", min: -1, max: 1, step: 0.25, value: 0, "data-testid": "style" });
  const knob = field("Style, from tight to loose", style);
  const fit = () => {
    knob.hidden = !find()?.style;
    stack.disabled = !find()?.holdem;
    if (!find()?.holdem) count.value = find().players - 1;
  };
  list.addEventListener("change", fit);
  fit();
  return opening("A new table", "sit", sitAt, () => ({
    kind: "play.open", bots: configs(), people: Number(people.value),
    stack: Number(stack.value), reveal: reveal.checked, carry: carry.checked, style: knob.hidden ? 0 : Number(style.value),
  }), el("div", { class: "row" }, field("Opponent", list), field("How many of it", count), field("Other people", people),
    field("Stacks in big blinds (10 to 400)", stack), knob), about, more,
  el("p", {}, el("label", {}, reveal, " Show all hands when a hand is over")),
  el("p", {}, el("label", {}, carry, " Carry stacks from hand to hand, against bots that play any stacks")));
}

function tournament(hello, sitAt) {
  const structure = el("select", { "data-testid": "structure" }, hello.structures.map(
    (one) => el("option", { value: one.name }, `${one.name} (buy-in ${one.buy_in})`)));
  if (hello.structures.some((one) => one.name === "turbo")) structure.value = "turbo";
  const prizes = el("p", { class: "muted about" });
  const { list, about, count, more, others, configs } = party(hello, (bot) => bot.holdem, "tournament-", 1, 2);
  list.value = hello.opponents.some((bot) => bot.config === "pushfold") ? "pushfold" : list.value;
  list.dispatchEvent(new Event("change"));
  const people = number("tournament-people", 0, 8, 0);
  const fit = () => {
    const chosen = hello.structures.find((one) => one.name === structure.value);
    fill(prizes, words(chosen.about));
    count.disabled = chosen.seats !== null;
    if (chosen.seats) count.value = chosen.seats - 1 - Number(people.value) - others().length;
  };
  structure.addEventListener("change", fit);
  people.addEventListener("change", fit);
  more.addEventListener("input", fit);
  more.addEventListener("click", fit);
  fit();
  return opening("A sit-and-go", "enter", sitAt, () => ({
    kind: "play.enter", structure: structure.value, bots: configs(), people: Number(people.value),
  }), el("div", { class: "row" }, field("Structure", structure), field("Opponent", list), field("How many of it", count),
    field("Other people", people)), prizes, about, more);
}

function money(hello) {
  const amount = el("strong", { "data-testid": "bankroll", text: hello.bankroll.money.toFixed(2) });
  const { wrong, told } = alertLine("span");
  const sure = el("input", { type: "checkbox", on: { change: () => { reset.disabled = !sure.checked; } } });
  const reset = el("button", { disabled: true, "data-testid": "reset", on: { click: begin } }, "Reset the bankroll");
  async function begin() {
    await told(ask({ kind: "play.reset" }).then(({ money: left }) => { amount.textContent = left.toFixed(2); }));
    sure.checked = false;
    reset.disabled = true;
  }
  return el("section", { class: "panel" }, el("h2", { text: "Bankroll" }),
    el("p", {}, "Play money for tournaments: ", amount, `, ${hello.bankroll.tournaments} entered, ${hello.bankroll.prizes} with a prize.`),
    el("div", { class: "row" }, el("label", {}, sure, " I want to begin anew"), reset), wrong);
}
