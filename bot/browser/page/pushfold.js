// The page on short stacks: who goes all-in with what when everybody goes all-in or folds.

import { alertLine, el, field, fill, heading, scrolls } from "./dom.js";
import { handGrid } from "./grid.js";
import { numbers } from "./icm.js";
import { saveText } from "./picture.js";
import { rangeField } from "./rangefield.js";
import { ask } from "./socket.js";

const VERBS = { push: "pushes", call: "calls", overcall: "overcalls" };

export function show(main) {
  const input = (testid, value, more = {}) => el("input", { "data-testid": testid, value, ...more });
  const stacks = input("stacks", "10, 10");
  const blinds = input("blinds", "0.5, 1");
  const ante = input("ante", "0");
  const payouts = input("payouts", "", { placeholder: "none: chips count" });
  const decisions = el("datalist", { id: "decisions" });
  const rows = el("div", { class: "given", "data-testid": "given" });
  const given = new Map();  // ranges that are given: {decision, range} by the row that shows them
  const begin = el("button", { class: "main", "data-testid": "work-out" }, "Solve");
  const { wrong, told } = alertLine();
  const said = el("p", { role: "status", "data-testid": "solved" });
  const slots = el("div", { class: "slots", role: "group", "aria-label": "Decisions" });
  const seat = el("select", { "data-testid": "my-seat", on: { change: () => { slots.children[seat.selectedIndex]?.click(); } } });
  const hand = el("input", { "data-testid": "my-hand", placeholder: "A8s or As8s", size: 10, autocomplete: "off", maxlength: 20, on: { change: () => { if (slots.firstChild) slots.children[seat.selectedIndex].click(); } } });
  const line = el("p", { role: "status", "data-testid": "my-line" });
  const place = el("div", {});
  const [first, last] = [[2, "first-depth"], [20, "last-depth"]].map(([value, testid]) => input(testid, value, { type: "number", min: 1, max: 200 }));
  const drawing = el("button", { "data-testid": "draw-depths" }, "Draw");
  const chart = el("div", { "data-testid": "depths" });
  const depths = el("details", { class: "both-ranges", hidden: true }, el("summary", { "data-testid": "by-depth", text: "How deep each hand goes all-in here" }),
    el("form", { class: "row", on: { submit: draw } }, field("Shortest stack from, in big blinds", first), field("to", last), drawing), chart);
  let numbered = 0;
  let turn = 0;
  let unit = "big blinds";
  fill(main, heading("Push or fold", "Which hands go all-in, and which call, with short stacks: an equilibrium as charts."),
    el("form", { class: "panel", on: { submit } }, el("div", { class: "form-grid" }, el("div", { class: "broad" }, field("Stacks, first to act first, SB and BB last", stacks)), field("Blinds", blinds), field("Ante", ante),
      field("Prizes, for prize money by ICM", payouts)), decisions, rows, el("p", { class: "row" }, begin,
      el("button", { type: "button", "data-testid": "give-range", on: { click: () => give("", "").decision.focus() } }, "Give a range"))), wrong, said,
    el("div", { class: "row" }, field("My seat", seat), field("My hand", hand)), line, slots, place, depths);
  submit();

  // Add a row for a range that a decision is given, whatever is best.
  function give(name, text) {
    const id = `given-${numbered++}`;
    const decision = el("input", { value: name, list: "decisions", autocomplete: "off", placeholder: "BTN, or BB for all its calls", "data-testid": `${id}-decision` });
    const range = rangeField({ words: "Range that is given", testid: id });
    const remove = el("button", { type: "button", on: { click: () => { given.delete(row); row.remove(); } } }, "Take it back");
    const row = el("section", { class: "panel", "aria-label": "A range that is given" }, el("div", { class: "row" }, field("Decision", decision), remove), range.element);
    range.input.value = text;
    range.refresh();
    given.set(row, { decision, range });
    rows.append(row);
    return given.get(row);
  }

  async function submit(event) {
    event?.preventDefault();
    const mine = ++turn;
    said.textContent = "Solving …";
    begin.disabled = true;
    const answer = await told(ofSpot({ kind: "pushfold.ask" }));
    begin.disabled = false;
    if (mine !== turn) return;
    if (!answer) return clear();
    unit = answer.unit === "bb" ? "big blinds" : "the prizes' unit";
    said.textContent = `Within ${answer.epsilon.toPrecision(2)} ${answer.unit === "bb" ? unit : `of ${unit}`} of an equilibrium; no decision loses more than ${answer.conditional_loss.toPrecision(2)} ` +
      `where the hand has come to it (${answer.solver}, ${answer.seconds.toFixed(2)} s; folded cards are put back). ` +
      `EV: ${answer.seats.map((seat, at) => `${seat} ${answer.ev[at].toFixed(3)}`).join(", ")}.`;
    fill(decisions, [...answer.slots.map((slot) => slot.name), answer.seats.at(-1)].map((value) => el("option", { value })));
    const kept = seat.value;
    fill(seat, answer.slots.map((slot) => el("option", { value: slot.name, text: slot.name })));
    fill(slots, answer.slots.map((slot) => el("button", { type: "button", "aria-pressed": "false", "data-testid": `slot-${slot.name}`, title: slot.range,
      on: { click: (click) => choose(slot, click.currentTarget) } }, `${"› ".repeat(slot.name.split(",").length - 1)}${slot.name.split(",").at(-1)} ${VERBS[slot.kind]} `,
      el("b", { text: slot.reached ? `${slot.percent.toFixed(1)} %` : slot.range }), slot.locked ? " (given)" : "")));
    depths.hidden = false;
    const at = Math.max(answer.slots.findIndex((slot) => slot.name === kept), 0);
    choose(answer.slots[at], slots.children[at]);
  }

  // Show no answer any more: what is there is not of the spot that the form says.
  function clear() {
    said.textContent = line.textContent = "";
    for (const shown of [slots, place, chart]) fill(shown);
    depths.hidden = true;
  }

  // Ask something of the spot that the form says.
  async function ofSpot(question) {
    await Promise.all([...given.values()].map(({ range }) => range.ready()));
    const locks = [...given.values()].map(({ decision, range }) => `${decision.value.trim()}=${range.input.value}`);
    const [small, big, ...more] = numbers(blinds.value);
    if (big === undefined || more.length) throw new Error("Blinds: write two numbers, the small blind and the big one, such as 0.5, 1.");
    return ask({ ...question, stacks: numbers(stacks.value), small_blind: small, big_blind: big, ante: Number(ante.value || 0), payouts: numbers(payouts.value), locks });
  }

  // Draw how deep each hand goes all-in at the decision that is shown: all stacks are multiplied.
  async function draw(event) {
    event.preventDefault();
    const name = seat.value;
    drawing.disabled = true;
    fill(chart, el("p", { class: "muted", role: "status", text: "Solving the spot at each depth …" }));
    const found = await told(ofSpot({ kind: "pushfold.depths", name, first: Number(first.value), last: Number(last.value) }));
    drawing.disabled = false;
    const text = found ? `${found.title}\n${found.rows.map((row) => row.map((cell) => cell.padEnd(9)).join("").trimEnd()).join("\n")}\n` : "";
    fill(chart, found && [el("img", { class: "depths", alt: `${found.title}; the text below says the same`, src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(found.svg)}` }),
      el("p", { class: "row" }, el("button", { type: "button", "data-testid": "save-picture", on: { click: () => saveText(found.svg, `${name}.svg`, "image/svg+xml") } }, "Save as picture"),
        el("button", { type: "button", "data-testid": "save-text", on: { click: () => saveText(text, `${name}.txt`) } }, "Save as text")),
      el("details", {}, el("summary", { text: "As text" }), scrolls(el("pre", { text })))]);
  }

  // Return a button that gives a decision the range that it has, to be changed.
  function giveThis(slot) {
    return el("p", {}, el("button", { type: "button", "data-testid": "give-this", on: { click: () => {
      const { range } = give(slot.name, slot.reached && slot.range !== "nothing" ? slot.range : "random:0");
      range.open.open = true;
      range.element.scrollIntoView({ block: "center" });
    } } }, "Give this decision another range"));
  }

  // Show a decision, and what the person's hand does there.
  async function choose(slot, button) {
    const mine = turn;
    for (const other of slots.children) other.setAttribute("aria-pressed", String(other === button));
    seat.value = slot.name;
    line.textContent = "";
    fill(chart);
    const found = await told(Promise.all([ask({ kind: "pushfold.slot", name: slot.name }),
      hand.value.trim() ? ask({ kind: "pushfold.hand", name: slot.name, hand: hand.value.trim() }).catch((error) => ({ line: error.message, hand: "" })) : { line: "", hand: "" }]));
    if (!found || mine !== turn || seat.value !== slot.name) return;
    const [grid, own] = found;
    line.textContent = own.line;
    const seats = slot.name.split(",");
    const before = seats.slice(0, -1).join(" and ");
    fill(place, el("h2", { text: `${seats.at(-1)} ${VERBS[slot.kind]}${before ? ` after ${before} went all-in` : ""}` }), el("p", { class: "muted", text: slot.range }), slot.locked ? null : giveThis(slot),
      handGrid(grid, { name: `Range of ${slot.name}`, values: `what a hand wins, in ${unit}`, held: own.hand }));
  }
}
