// A player's place at the table: cards, name, stack, what the player does, the bet in front of it, and the dealer button.

import { showCards } from "./cards.js";
import { chipPile } from "./chips.js";
import { el, fill } from "./dom.js";
import { amountText } from "./options.js";
import { signedAmount } from "./session.js";

const ENDLESS = 2 ** 30;   // stacks from here on are those of games without stacks, and not shown

// Return the box of a place, counted clockwise from the person's own, in one of `count` seats, counted clockwise from the one at the bottom.
export function seatBox(place, seat, count) {
  const angle = Math.PI / 2 + (2 * Math.PI * seat) / count;
  const cards = el("div", { class: "hole", "data-testid": place ? "villain-cards" : "hero-cards", "data-place": place, "aria-live": place ? "off" : "polite" });
  const name = el("bdi");
  const stack = el("span", { class: "stack" });
  const did = el("span", { class: "did" });
  const clock = el("span", { class: "clock", "aria-hidden": "true" });  // stands in the place of what the player did before
  const bet = el("span", { class: "bet" });
  const dealer = el("span", { class: "dealer", text: "D", title: "on the button" });
  const x = Math.sign(Math.cos(angle)) * Math.abs(Math.cos(angle)) ** 0.7;  // wider and higher than a circle, so that neighbours do not touch
  const y = Math.max(-1, Math.min(1, 1.2 * Math.sin(angle)));
  const side = seat === 0 ? " near" : Math.abs(x) < 0.1 ? " far" : x > 0 ? " right" : "";
  const element = el("div", { class: `seat${side}${y < -0.5 ? " upper" : y > 0.5 ? " lower" : ""}`, role: "group",
    style: { "--x": x.toFixed(4), "--y": y.toFixed(4), "--bet": y > 0.7 ? "20%" : "80%" } }, cards, el("div", { class: "plate" }, el("span", { class: "name" }, name), stack, clock, did, dealer), bet);
  return { element, cards, name, stack, did, clock, dealer, bet };
}

// Draw a player; `whole` says that the hand is shown to its end.
export function drawSeat(seat, player, hand, whole) {
  const place = Number(seat.cards.dataset.place);
  const count = hand.players[0].cards.length || 2;
  const blind = hand.big_blind;
  showCards(seat.cards, player.cards, player.folded ? 0 : count);
  seat.name.textContent = seat.name.title = player.name;
  seat.dealer.hidden = !player.button;
  seat.element.setAttribute("aria-label", `${place ? player.name : "You"}${player.button ? ", on the button" : ""}`);
  const paid = hand.over && whole && player.won !== null;
  const chips = paid ? player.after : player.stack;
  seat.stack.textContent = chips < ENDLESS ? amountText(chips, blind) : "";
  fill(seat.bet, player.bet && !hand.over ? [chipPile(player.bet, blind), amountText(player.bet, blind)] : null);
  seat.element.classList.toggle("acts", player.acts);
  seat.element.classList.toggle("folded", player.folded);
  seat.element.classList.toggle("wins", Boolean(hand.over && whole && player.won > 0));
  const last = hand.actions.filter((action) => action.place === place && (action.street === hand.street || action.kind === "f")).at(-1);
  const does = player.stack === 0 && !player.folded ? "all-in" : last ? actionWords(last, blind) : "";
  seat.did.textContent = paid ? signedAmount(player.won, blind) : does;
  seat.did.dataset.kind = paid ? "" : does === "all-in" ? "r" : last?.kind ?? "";
}

// Return what a player does: "calls 200", and of the person "call 200".
export function actionWords(action, blind) {
  const s = action.place ? "s" : "";
  const to = amountText(action.to, blind);
  if (action.kind === "c") return action.chips ? `call${s} ${to}` : `check${s}`;
  if (action.kind === "d") return action.chips ? `draw${s} ${action.chips}` : `stand${s} pat`;
  return action.kind === "r" ? `${action.opens ? `bet${s}` : `raise${s} to`} ${to}` : `fold${s}`;
}
