// The controls of a decision: only what is legal, in chips of the street, by click, slider, typing or key.

import { el, fill, field } from "./dom.js";

const FRACTIONS = [["⅓", 1 / 3], ["½", 1 / 2], ["⅔", 2 / 3], ["Pot", 1], ["1½", 1.5]];

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
  const fold = el("button", { "data-testid": "fold", "aria-keyshortcuts": "f", on: { click: () => act("f", 0) } }, "Fold");
  const call = el("button", { "data-testid": "call", "aria-keyshortcuts": "c", on: { click: () => act("c", 0) } }, "Check");
  const raise = el("button", { "data-testid": "raise", class: "main", "aria-keyshortcuts": "r", on: { click: bet } }, "Bet");
  const amount = el("input", { "data-testid": "amount", inputmode: "numeric", size: 7, autocomplete: "off",
    on: { change: () => set(typed()), input: () => { slider.value = String(clamped2(typed())); name(); }, keydown: typedKey } });
  const slider = el("input", { type: "range", "data-testid": "slider", step: 1, "aria-label": "Amount of the bet",
    on: { input: () => set(Number(slider.value)), keydown: slideKey } });
  const shares = el("div", { class: "shares", role: "group", "aria-label": "Shares of the pot" });
  const sizing = el("div", { class: "sizing" }, field("Amount", amount), slider, shares);
  const element = el("div", { class: "controls" }, sizing, el("div", { class: "actions" }, fold, call, raise));

  function typed() { return Number(amount.value.replace(/[^0-9.]/g, "") || NaN); }
  function clamped2(size) { return choice ? clamped(choice, size) : 0; }
  function set(size) {
    if (!choice?.raises) return;
    amount.value = slider.value = String(clamped2(size));
    name();
  }
  function name() {
    if (!choice) return;
    const size = clamped2(typed());
    const words = choice.fixed ? (choice.to ? "Raise" : "Bet") : choice.to ? `Raise to ${size}` : `Bet ${size}`;
    raise.textContent = size === choice.high && !choice.fixed ? `All-in ${size}` : words;
    slider.setAttribute("aria-valuetext", `${size}, ${(size / bigBlind).toFixed(1)} big blinds`);
  }
  function bet() {
    if (!choice?.raises) return;
    set(typed());
    act("r", choice.fixed ? 0 : clamped2(typed()) + choice.base);
  }
  function typedKey(event) {
    if (event.key === "Enter") { event.preventDefault(); if (!event.repeat) { amount.blur(); bet(); } }
    else if (event.key === "Escape") { event.preventDefault(); amount.blur(); set(choice?.to + choice?.pot / 2); }
    else if (event.key.length === 1 && !/[0-9.]/.test(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey) {
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
  function share(fraction) { set(choice.to + fraction * choice.pot); }

  // Show a choice, or disable everything for null.
  function show(next, blind) {
    bigBlind = blind;
    if (next?.discards) next = null;  // cards are exchanged by other controls
    const fresh = JSON.stringify(next) !== JSON.stringify(choice);
    choice = next;
    fold.disabled = !next?.fold;
    call.disabled = !next;
    call.textContent = !next || next.call === 0 ? "Check" : `Call ${next.call}`;
    for (const control of [raise, amount, slider]) control.disabled = !next?.raises;
    if (next) sizing.hidden = next.fixed;
    if (!fresh) return;
    fill(shares, FRACTIONS.map(([words, fraction]) => el("button", { disabled: !next?.raises, title: `${words} pot`,
      "aria-label": `${words} pot`, on: { click: () => share(fraction) } }, words)),
      el("button", { disabled: !next?.raises, on: { click: () => set(next.high) } }, "All-in"));
    if (next?.raises) {
      slider.min = next.low;
      slider.max = next.high;
      set(next.to + next.pot / 2);
    } else {
      amount.value = "";
      raise.textContent = "Bet";
    }
  }

  // Act on a key; returns whether it was one of ours.
  function key(event) {
    if (!choice) return false;
    if (event.key === "f" && !fold.disabled) act("f", 0);
    else if (event.key === "c") act("c", 0);
    else if (event.key === "r" && choice.raises) bet();
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
