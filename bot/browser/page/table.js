// One table as its person sees it: players, cards, pots, the person's controls, history and result.

import { aheadControls } from "./ahead.js";
import { bettingControls } from "./betting.js";
import { cardWords, showCards } from "./cards.js";
import { chipPile } from "./chips.js";
import { drawControls } from "./drawing.js";
import { el, fill, scrolls } from "./dom.js";
import { seatPanel } from "./inside.js";
import { amountText, isKey, options } from "./options.js";
import { actionWords, drawSeat, seatBox } from "./seat.js";
import { placeText, sessionPanel, signedAmount } from "./session.js";
import { ask } from "./socket.js";
import { soundOf } from "./sound.js";

const STREET_PAUSE = 600;  // milliseconds between the streets of an all-in run-out
const FIRST_DEAL = 2000;   // milliseconds after which the first hand is dealt by itself, and at once against one bot
const AHEAD = 300;         // milliseconds of others' thinking after which the person may decide ahead
const GUARD = 300;         // milliseconds in which a new decision takes no answer: a click or key may be meant for the last one
export const ENDED = "The host has left: this table is over.";
const LISTED = 100;        // hands in the history; those before are in the table's log

const still = matchMedia("(prefers-reduced-motion: reduce)");

// Return {element, begin(seen), update(view), redraw(), key(event), show(), waits(), forfeits(), end()} for the seat with this key.
// `settings` is the form of the options, which stands beside the table that is shown.
export function tableView(key, settings) {
  let view = null;
  let seats = [];
  let turned = 0;  // seats that the table is turned by
  let dealTimer = 0;
  let runout = 0;
  let busy = false;
  let acting = 0;
  let played = [];  // finished hands with their numbers, the last one first
  let looks = false;  // whether hands may be looked into
  let offered = "";
  let guard = 0;
  let aheadOf = 0;  // number of the hand that decisions ahead are for
  const board = el("div", { class: "board", "data-testid": "board", role: "group", "aria-label": "Board", "aria-live": "polite" });
  const pot = el("div", { class: "pot", "data-testid": "pot" });
  const made = el("div", { class: "made", "data-testid": "made" });
  const felt = el("div", { class: "felt" }, el("div", { class: "middle" }, board, pot, made));
  const note = el("p", { class: "note", role: "status", "aria-live": "polite" });
  const deal = el("button", { class: "main", "data-testid": "deal", on: { click: next } }, "Deal");
  const back = el("button", { class: "main", "data-testid": "back", hidden: true, on: { click: () => sitOut(false) } }, "I'm back");
  const out = el("button", { "data-testid": "sit-out", on: { click: () => sitOut(true) } }, "Sit out");
  const topUp = el("button", { "data-testid": "top-up", hidden: true, on: { click: () => ask({ kind: "play.top_up", key }).catch(say) } });
  const controls = bettingControls(act);
  const retry = el("button", { hidden: true, on: { click: () => ask({ kind: "play.sit", key }).then(({ view: newer }) => update(newer), say) } }, "Try again");
  const ahead = aheadControls();
  const drawing = drawControls((cards) => act("d", 0, cards));
  const session = sessionPanel(key);
  const looking = lookInside(key);
  const history = scrolls(el("ol", { class: "history", "data-testid": "history", "aria-label": "Hands played" }));
  const stage = el("div", { class: "stage" }, felt, el("div", { class: "turn" }, note, ahead.element, drawing.element, retry, topUp, back, deal), controls.element);
  const side = scrolls(el("aside", { class: "side", "aria-label": "Session" }, session.element, el("p", {}, out), el("h2", { text: "History" }), history));
  const element = el("section", { class: "table", "aria-label": "Table" },
    stage, side, looking.element);
  const clock = setInterval(tick, 100);
  addEventListener("resize", fit);

  // The table is on the page now.
  function show() {
    session.element.after(settings);
    fit();
  }
  // Give the felt what the window leaves beside its head and the controls, so that these are in view.
  function fit() {
    if (stage.isConnected) stage.style.setProperty("--above", `${Math.ceil(stage.getBoundingClientRect().top + scrollY)}px`);
  }
  function next() {
    clearTimeout(dealTimer);
    deal.disabled = true;
    ask({ kind: "play.deal", key }).catch(say);
  }
  function sitOut(away) {
    clearTimeout(dealTimer);
    ask({ kind: "play.sit_out", key, out: away }).catch(say);
  }
  function act(action, size, cards = "") {
    if (!view?.hand?.choice || busy || guard) return;
    busy = true;
    controls.show(null, 1);
    const { hand, betting } = view.hand;
    ask({ kind: "play.act", key, hand, betting, action, size, cards })
      .catch((error) => { say(error); controls.show(view.hand?.choice, view.hand?.big_blind); })
      .finally(() => { busy = false; });
  }
  function say(error) { note.textContent = error.message; }

  // Show the table as the server describes it.
  function update(newer) {
    const before = view?.hand;
    view = newer;
    const hand = view.hand;
    clearTimeout(runout);
    soundOf(before, hand);
    if (hand && before && hand.hand === before.hand && hand.over && hand.showdown && !still.matches) {
      return reveal(hand, Math.max(before.board.length, 0));
    }
    draw(hand, hand?.board.length ?? 0, true);
  }

  // Deal the rest of the board street by street, and only then say who wins.
  function reveal(hand, seen) {
    const sizes = [3, 4, 5].filter((size) => size > seen && size <= hand.board.length);
    const step = () => {
      const size = sizes.shift() ?? hand.board.length;
      draw(hand, size, size === hand.board.length);
      if (size < hand.board.length) runout = setTimeout(step, STREET_PAUSE);
    };
    draw(hand, seen, seen === hand.board.length);
    if (seen < hand.board.length) runout = setTimeout(step, STREET_PAUSE);
  }

  function draw(hand, boardSize, whole) {
    if (hand && (seats.length !== hand.players.length || turned !== options.turn)) sitAround(hand.players.length);
    hand?.players.forEach((player, place) => drawSeat(seats[place], player, hand, whole));
    showCards(board, hand ? hand.board.slice(0, boardSize) : []);
    const money = (chips) => amountText(chips, hand.big_blind);
    fill(pot, hand ? [chipPile(hand.pot, hand.big_blind), `Pot ${money(hand.pot)}`] : null);
    pot.dataset.chips = hand?.pot ?? 0;
    pot.dataset.betting = hand ? `${view.result.hands} ${hand.hand} ${hand.betting}` : "";
    if (hand && hand.pots.length > 1) pot.append(el("span", { class: "side-pots",
      text: ` (${hand.pots.map((part, number) => `${part.places.length === 1 ? "not called" : number ? "side" : "main"} ${money(part.chips)}`).join(", ")})` }));
    raiseWinners(hand, whole);
    fit();
    if (!hand || hand.over || hand.hand !== aheadOf) ahead.clear();
    aheadOf = hand?.hand;
    guardNew(hand, whole);
    offer(hand, whole);
    acting = performance.now();
    const over = whole && view.between && !view.away && !view.ended;
    back.hidden = !view.away || view.ended;
    out.hidden = view.away !== false || view.ended;
    deal.disabled = !over || Boolean(view.loading);
    deal.hidden = !over;
    deal.setAttribute("aria-keyshortcuts", options.keys.deal);
    const { stack, buy_in: buyIn } = view.purse ?? {};
    deal.textContent = over && stack === 0 ? "Buy in again" : "Deal";
    topUp.hidden = !(over && hand && stack > 0 && stack < buyIn);
    topUp.textContent = `Top up to ${amountText(buyIn, hand?.big_blind)}`;
    retry.hidden = !view.fault || view.ended;
    note.textContent = words(hand, whole);
    if (whole) drawSession(view);
    if (whole) looking.update(hand, looks);
    clearTimeout(dealTimer);
    if (over && !view.loading && !view.fault) {
      const first = view.looks ? 0 : FIRST_DEAL;
      const wait = !hand ? first : options.auto && stack !== 0 ? options.pause : null;
      if (wait !== null) dealTimer = setTimeout(next, wait);
    }
  }

  // Lift the five cards of each winner of a showdown, and of all who share its pot even, and name the hands.
  function raiseWinners(hand, whole) {
    const winners = hand && whole ? hand.players.filter((player) => player.won >= 0 && player.made) : [];
    made.textContent = [...new Set(winners.map((winner) => winner.made))].join(" · ");
    felt.classList.toggle("shown", winners.length > 0);
    for (const card of felt.querySelectorAll(".card")) {
      card.classList.toggle("best", winners.some((winner) => winner.best.includes(card.dataset.card)));
    }
  }

  // Take no answer to a decision that has just come, but the one that was decided ahead.
  function guardNew(hand, whole) {
    const now = hand?.choice && whole ? `${hand.hand} ${hand.betting}` : "";
    if (now === offered) return;
    offered = now;
    clearTimeout(guard);
    guard = 0;
    const answer = now && ahead.answer(hand.choice);
    if (answer) return act(answer, 0);
    guard = now ? setTimeout(() => { guard = 0; offer(view.hand, true); }, window["limpetGuard"] ?? GUARD) : 0;
  }

  function offer(hand, whole) {
    const turn = hand?.choice && whole && !busy && !guard && !view.fault && !view.ended;
    controls.show(turn ? hand.choice : null, hand?.big_blind ?? 1);
    drawing.show(turn && hand.choice.discards ? hand : null, seats[0]?.cards);
  }

  function sitAround(count) {
    turned = options.turn;
    seats.forEach((seat) => seat.element.remove());
    seats = Array.from({ length: count }, (_, place) => seatBox(place, (place + turned) % count, count));
    felt.append(...seats.map((seat) => seat.element));
    felt.classList.toggle("ring", count > 2);
    felt.classList.toggle("crowd", count > 7);
  }

  function drawSession(seen) {
    session.show(seen);
    if (seen.hand?.over && played[0]?.number !== seen.result.hands) {
      played.unshift({ hand: seen.hand, number: seen.result.hands });
      history.prepend(handLine(played[0], key, looks));
      played.length = Math.min(played.length, LISTED);
      while (history.children.length > LISTED) history.lastChild.remove();
    }
  }

  // List the hands that were played before this page was loaded, the oldest first, at the table of `view`.
  function begin(seen, { result, looks: may }) {
    looks = may;
    played = seen.map((hand, at) => ({ hand, number: result.hands - seen.length + at + 1 })).reverse();
    list();
  }
  function list() { fill(history, played.map((each) => handLine(each, key, looks))); }
  // Draw again, by other options.
  function redraw() {
    list();
    if (view) update(view);
  }

  function words(hand, whole) {
    if (view.ended) return ENDED;
    if (view.fault) return `The table stands still: ${view.fault}`;
    if (view.loading) return "Waiting until the others are ready …";
    if (!hand) return view.away ? "You sit out." : "The hand is dealt in a moment.";
    if (!whole) return "All-in: the board is dealt.";
    if (hand.over && view.standing?.places[view.standing.you]) return placeWords(view.standing);
    if (hand.over) {
      const away = view.away ? ` You sit out${view.between ? ": nothing is dealt" : ""}.` : "";
      const won = hand.players.filter((player) => player.won > 0).map((player) => (
        `${player.name} ${signedAmount(player.won, hand.big_blind)}${player.made ? ` with ${player.made}` : ""}`));
      return `Hand ${view.result.hands}: ${won.join(", ") || "nobody wins a chip"}.${
        view.purse && view.purse.stack > hand.players[0].after ? ` You have ${amountText(view.purse.stack, hand.big_blind)} now.` : ""}${away}`;
    }
    if (hand.choice?.discards) return `Choose up to ${hand.choice.discards} cards to exchange.`;
    if (hand.choice) return `Your turn: ${hand.choice.call ? `${amountText(hand.choice.call, hand.big_blind)} to call` : !hand.choice.raises ? "check" : hand.choice.opens ? "check or bet" : "check or raise"}.`;
    return `${hand.players.find((player) => player.acts)?.name ?? "Somebody"} thinks.`;
  }

  function tick() {
    const seconds = (performance.now() - acting) / 1000;
    view?.hand?.players.forEach((player, place) => {
      const shown = player.acts && !view.ended && seconds > 0.3 ? `${place ? "thinks " : ""}${seconds.toFixed(1)} s` : "";
      if (seats[place] && seats[place].clock.textContent !== shown) seats[place].clock.textContent = shown;
    });
    const [own] = view?.hand?.players ?? [];
    ahead.show(Boolean(own) && !view.ended && !view.hand.over && !view.hand.choice && !own.folded && own.stack > 0 && 1000 * seconds > AHEAD);
  }

  // Act on a key of the keyboard; returns whether it was one of ours.
  function keyPressed(event) {
    if (!deal.disabled && !deal.hidden && (isKey(event, "deal") || ["Enter", " "].includes(event.key))) { next(); return true; }
    return ahead.key(event) || controls.key(event);
  }
  function end() {
    removeEventListener("resize", fit);
    clearInterval(clock);
    clearTimeout(guard);
    clearTimeout(dealTimer);
    clearTimeout(runout);
  }
  return { element, begin, update, redraw, key: keyPressed, end, show, waits: () => Boolean(view?.hand?.choice),
    forfeits: () => Boolean(view?.standing && !view.standing.places[view.standing.you]) };
}

function placeWords(standing) {
  const place = standing.places[standing.you];
  const prize = standing.won[standing.you];
  return `You are number ${placeText(standing.places, place)} of ${standing.places.length}${prize ? ` and win ${prize.toFixed(2)}` : ""}.`;
}

// Return {element, update(hand)}: a button that looks into the last hand, and study mode for the one that is played.
function lookInside(key) {
  const panel = seatPanel(key);
  let hand = null;
  let looked = "";
  const study = el("input", { type: "checkbox", "data-testid": "study", on: { change: refresh } });
  const look = el("button", { "data-testid": "look-inside", on: { click: () => panel.look(hand.hand, false) } }, "Look inside this hand");
  const element = el("section", { class: "looking", hidden: true }, el("p", { class: "row" }, look,
    el("label", {}, study, " Study mode: show what the bot thinks during the hand")), panel.element);

  function refresh() {
    const now = hand && `${hand.hand} ${hand.betting}`;
    if (!study.checked || !hand || now === looked) return;
    looked = now;
    panel.look(hand.hand, true);
  }
  function update(newer, may) {
    hand = newer;
    element.hidden = !hand || !may;
    look.disabled = !hand?.over;
    if (study.checked) refresh();
    else if (hand && !hand.over) { panel.clear(); looked = ""; }
  }
  return { element, update };
}

// Return the entry of a finished hand for the history, with its number.
function handLine({ hand, number }, key, looks) {
  const won = hand.players[0].won;
  const streets = hand.streets.map((name, street) => {
    const done = hand.actions.filter((action) => action.street === street);
    return done.length ? `${name}: ${done.map((a) => `${hand.players[a.place].name} ${actionWords(a, hand.big_blind)}`).join(", ")}` : null;
  }).filter(Boolean);
  const shown = hand.players.slice(1).filter((player) => player.cards.length);
  return el("li", { value: number }, el("details", {},
    el("summary", {}, cardWords(hand.players[0].cards), el("span", { class: won < 0 ? "bad" : "good", text: `${signedAmount(won, hand.big_blind)} ` }),
      cardWords(hand.board)),
    shown.map((player) => el("p", {}, `${player.name} `, cardWords(player.cards), player.made)), streets.map((text) => el("p", { text })),
    looks ? el("a", { href: `#/inside/${encodeURIComponent(key)}/${hand.hand}`, text: "Look inside" }) : null));
}
