// The controls of a decision: only what is legal, by click, slider, typing or key. Amounts are totals of the street.

import { el, fill } from "./dom.js";
import { amountText, betSizes, inUnit, isKey, options } from "./options.js";

const LAST = 1000;   // the slider's right end; from the smallest to the largest raise every step multiplies by as much
const SNAP = 20;     // the slider stops at fractions of the pot with this denominator

// Return the nearest size that a choice allows.
export function clamped(choice, size) {
  if (!Number.isFinite(size)) return choice.low;
  if (choice.sizes) return choice.sizes.reduce((a, b) => (Math.abs(b - size) < Math.abs(a - size) ? b : a));
  return Math.min(choice.high, Math.max(choice.low, Math.round(size)));
}

// Return the controls: {element, show(choice, bigBlind)} and act by key. `act(action, size)` is called with the answer.
export function bettingControls(act) {
  let choice;
  let bigBlind = 1;
  let shown = "";
  const fold = el("button", { "data-testid": "fold", on: { click: () => act("f", 0) } }, "Fold");
  const call = el("button", { "data-testid": "call", on: { click: () => act("c", 0) } }, "Check");
  const raise = el("button", { "data-testid": "raise", class: "main", on: { click: bet } }, "Bet");
  const amount = el("input", { "data-testid": "amount", inputmode: "decimal", size: 7, autocomplete: "off", "aria-label": "Amount",
    on: { change: () => set(typed()), input: name, keydown: typedKey } });
  const slider = el("input", { type: "range", "data-testid": "slider", min: 0, max: LAST, step: 1, "aria-label": "Amount of the bet",
    on: { input: slide, keydown: slideKey } });
  const says = el("output", { class: "says", "data-testid": "says", "aria-hidden": "true" });  // the slider has it as its text
  const shares = el("div", { class: "shares", role: "group", "aria-label": "Usual bets" });
  const sizing = el("div", { class: "sizing" }, amount, el("div", { class: "sliding" }, slider, says), shares);
  const element = el("div", { class: "controls" }, sizing, el("div", { class: "actions" }, fold, call, raise));

  // A comma is a decimal point in big blinds, and stands between thousands of chips.
  function typed() { return Number(amount.value.replaceAll(",", options.blinds ? "." : "").replace(/[^0-9.]/g, "") || NaN) * (options.blinds ? bigBlind : 1); }
  function size() { return choice ? clamped(choice, typed()) : 0; }
  function set(wanted) {
    if (!choice?.raises) return;
    amount.value = String(inUnit(clamped(choice, wanted), bigBlind));
    name();
  }
  // Write the amount that is typed on the button, and move the slider there.
  function name() {
    if (!choice) return;
    const to = size();
    const words = choice.fixed ? (choice.opens ? "Bet" : "Raise") : `${choice.opens ? "Bet" : "Raise to"} ${amountText(to, bigBlind)}`;
    raise.textContent = to === choice.stack && !choice.fixed ? `All-in ${amountText(to, bigBlind)}` : words;
    slider.value = String(choice.high > choice.low ? LAST * Math.log(to / choice.low) / Math.log(choice.high / choice.low) : 0);
    says.textContent = `${Math.round(100 * (to - choice.to) / choice.pot)}% pot`;
    slider.setAttribute("aria-valuetext", `${says.textContent}, ${amountText(to, bigBlind)}`);
  }
  function slide() {
    const way = Number(slider.value);
    const to = choice.low * (choice.high / choice.low) ** (way / LAST);
    set(way === LAST ? choice.high : way ? choice.to + Math.round(SNAP * (to - choice.to) / choice.pot) / SNAP * choice.pot : choice.low);
  }
  function bet() {
    if (!choice?.raises) return;
    set(typed());
    act("r", choice.fixed ? 0 : size() + choice.base);
  }
  function begin() { set(choice.to + choice.pot / 2); }
  function typedKey(event) {
    if (event.key === "Enter") { event.preventDefault(); if (!event.repeat) { amount.blur(); bet(); } }
    else if (event.key === "Escape") { event.preventDefault(); amount.blur(); if (choice?.raises) begin(); }
    else if (event.key.length === 1 && !/[0-9.,]/.test(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      amount.blur();
      if (!event.repeat) key(event);
    }
    if (event.key === "ArrowUp" || event.key === "ArrowDown") slideKey(event);
  }
  function slideKey(event) {
    const step = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 10, PageDown: -10 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    set(typed() + step * bigBlind);
  }

  // Show a choice, or disable everything for null.
  function show(next, blind) {
    bigBlind = blind;
    if (next?.discards) next = null;  // cards are exchanged by other controls
    const now = JSON.stringify([next, options]);
    choice = next;
    fold.disabled = !next?.fold;
    call.disabled = !next;
    call.textContent = !next || next.call === 0 ? "Check" : `Call ${amountText(next.call, blind)}`;
    for (const control of [raise, amount, slider]) control.disabled = !next?.raises;
    if (next) sizing.hidden = next.fixed;
    if (now === shown) return;
    shown = now;
    for (const [button, action] of [[fold, "fold"], [call, "call"], [raise, "raise"]]) button.setAttribute("aria-keyshortcuts", options.keys[action]);
    fill(shares, betSizes().map(({ words, percent, blinds }) => el("button", { disabled: !next?.raises, "aria-label": percent ? `${percent} percent of the pot` : words,
      on: { click: () => set(blinds ? blinds * bigBlind : choice.to + percent / 100 * choice.pot) } }, words)),
    el("button", { disabled: !next?.raises, on: { click: () => set(next.high) } }, next && next.high < next.stack ? "Most" : "All-in"));
    if (next?.raises) return begin();
    amount.value = says.textContent = "";
    raise.textContent = "Bet";
  }

  // Act on a key; returns whether it was one of ours.
  function key(event) {
    if (!choice) return false;
    if (isKey(event, "fold") && !fold.disabled) act("f", 0);
    else if (isKey(event, "call")) act("c", 0);
    else if (isKey(event, "raise") && choice.raises) bet();
    else if (/^[0-9]$/.test(event.key) && choice.raises && !choice.fixed) {
      amount.focus();
      amount.value = event.key;
      amount.dispatchEvent(new Event("input"));
    } else return false;
    return true;
  }
  show(null, 1);
  return { element, show, key };
}
