// One table as its person sees it: players, cards, pots, the person's controls, history and result.

import { bettingControls } from "./betting.js";
import { cardWords, showCards } from "./cards.js";
import { el, fill } from "./dom.js";
import { seatPanel } from "./inside.js";
import { ask } from "./socket.js";
import { drawControls } from "./drawing.js";
import { options } from "./options.js";
import { placeText, sessionPanel, signed } from "./session.js";

const STREET_PAUSE = 600;  // milliseconds between the streets of an all-in run-out
const FIRST_DEAL = 2000;   // milliseconds after which the first hand is dealt by itself
const ENDLESS = 2 ** 30;   // stacks from here on are those of games without stacks, and not shown

const GUARD = 300;         // milliseconds in which a new decision takes no answer: a click or key may be meant for the last one

const still = matchMedia("(prefers-reduced-motion: reduce)");

// Return {element, begin(seen), update(view), key(event), fit(), waits(), forfeits(), end()} for the seat with this key.
export function tableView(key) {
  let view = null;
  let seats = [];
  let dealTimer = 0;
  let runout = 0;
  let busy = false;
  let acting = 0;
  let listed = 0;
  let offered = "";
  let guard = 0;
  const board = el("div", { class: "board", "data-testid": "board", role: "group", "aria-label": "Board", "aria-live": "polite" });
  const pot = el("div", { class: "pot", "data-testid": "pot" });
  const felt = el("div", { class: "felt" }, el("div", { class: "middle" }, board, pot));
  const note = el("p", { class: "note", role: "status", "aria-live": "polite" });
  const deal = el("button", { class: "main", "data-testid": "deal", "aria-keyshortcuts": "d", on: { click: next } }, "Deal");
  const controls = bettingControls(act);
  const retry = el("button", { hidden: true, on: { click: () => ask({ kind: "play.sit", key }).then(({ view: newer }) => update(newer), say) } }, "Try again");
  const drawing = drawControls((cards) => act("d", 0, cards));
  const session = sessionPanel();
  const looking = lookInside(key);
  const history = el("ol", { class: "history", "data-testid": "history", "aria-label": "Hands played" });
  const stage = el("div", { class: "stage" }, felt, el("div", { class: "turn" }, note, drawing.element, retry, deal), controls.element);
  const element = el("section", { class: "table", "aria-label": "Table" },
    stage,
    el("aside", { class: "side" }, session.element, options.element(), el("h3", { text: "History" }), history),
    looking.element);
  const clock = setInterval(tick, 100);
  addEventListener("resize", fit);

  // Give the felt what the window leaves beside its head and the controls, so that these are in view.
  function fit() {
    if (stage.isConnected) stage.style.setProperty("--above", `${Math.ceil(stage.getBoundingClientRect().top + scrollY)}px`);
  }
  function next() {
    clearTimeout(dealTimer);
    deal.disabled = true;
    ask({ kind: "play.deal", key }).catch(say);
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
    if (hand && seats.length !== hand.players.length) sitAround(hand.players.length);
    hand?.players.forEach((player, place) => drawSeat(seats[place], player, hand, whole));
    showCards(board, hand ? hand.board.slice(0, boardSize) : []);
    pot.textContent = hand ? `Pot ${hand.pot}` : "";
    pot.dataset.chips = hand?.pot ?? 0;
    pot.dataset.betting = hand ? `${view.result.hands} ${hand.hand} ${hand.betting}` : "";
    if (hand && hand.pots.length > 1) pot.append(el("span", { class: "side-pots",
      text: ` (${hand.pots.map((part, number) => `${part.places.length === 1 ? "not called" : number ? "side" : "main"} ${part.chips}`).join(", ")})` }));
    fit();
    guardNew(hand, whole);
    offer(hand, whole);
    acting = performance.now();
    const over = whole && view.between;
    deal.disabled = !over || Boolean(view.loading);
    deal.hidden = !over;
    retry.hidden = !view.fault;
    note.textContent = words(hand, whole);
    if (whole) drawSession(view);
    if (whole) looking.update(hand);
    clearTimeout(dealTimer);
    if (over && !view.loading && !view.fault) {
      const wait = !hand ? FIRST_DEAL : options.auto ? options.pause : 0;
      if (wait) dealTimer = setTimeout(next, wait);
    }
  }

  // Take no answer to a decision that has just come.
  function guardNew(hand, whole) {
    const now = hand?.choice && whole ? `${hand.hand} ${hand.betting}` : "";
    if (now === offered) return;
    offered = now;
    clearTimeout(guard);
    guard = now ? setTimeout(() => { guard = 0; offer(view.hand, true); }, window.limpetGuard ?? GUARD) : 0;
  }

  function offer(hand, whole) {
    const turn = hand?.choice && whole && !busy && !guard;
    controls.show(turn ? hand.choice : null, hand?.big_blind ?? 1);
    drawing.show(turn && hand.choice.discards ? hand : null, seats[0]?.cards);
  }

  function sitAround(count) {
    seats.forEach((seat) => seat.element.remove());
    seats = Array.from({ length: count }, (_, place) => seatBox(place, count));
    felt.append(...seats.map((seat) => seat.element));
    felt.classList.toggle("ring", count > 2);
    felt.classList.toggle("crowd", count > 7);
  }

  function drawSession(seen) {
    session.show(seen);
    if (seen.hand?.over && listed !== seen.result.hands) {
      listed = seen.result.hands;
      history.prepend(handLine(seen.hand, listed, key));
    }
  }

  // List the hands that were played before this page was loaded, the oldest first; `hands` is the number of all hands.
  function begin(seen, hands) {
    listed = hands;
    fill(history, seen.map((hand, at) => handLine(hand, hands - seen.length + at + 1, key)).reverse());
  }

  function words(hand, whole) {
    if (view.fault) return `The table stands still: ${view.fault}`;
    if (view.loading) return "Waiting until the others are ready …";
    if (!hand) return "The hand is dealt in a moment.";
    if (!whole) return "All-in: the board is dealt.";
    if (hand.over && view.standing?.places[view.standing.you]) return placeWords(view.standing);
    if (hand.over) {
      const won = hand.players.filter((player) => player.won > 0).map((player) => `${player.name} ${signed(player.won)}`);
      return `Hand ${view.result.hands} is over: ${won.join(", ") || "nobody wins a chip"}.`;
    }
    if (hand.choice?.discards) return `Choose up to ${hand.choice.discards} cards to exchange.`;
    if (hand.choice) return `Your turn: ${hand.choice.call ? `${hand.choice.call} to call` : "check or bet"}.`;
    return `${hand.players.find((player) => player.acts)?.name ?? "Somebody"} thinks.`;
  }

  function tick() {
    const seconds = (performance.now() - acting) / 1000;
    view?.hand?.players.forEach((player, place) => {
      const shown = player.acts && seconds > 0.3 ? `${seconds.toFixed(1)} s` : "";
      if (seats[place] && seats[place].clock.textContent !== shown) seats[place].clock.textContent = shown;
    });
  }

  // Act on a key of the keyboard; returns whether it was one of ours.
  function keyPressed(event) {
    if (!deal.disabled && !deal.hidden && ["d", "Enter", " "].includes(event.key)) { next(); return true; }
    return controls.key(event);
  }
  function end() {
    removeEventListener("resize", fit);
    clearInterval(clock);
    clearTimeout(guard);
    clearTimeout(dealTimer);
    clearTimeout(runout);
  }
  return { element, begin, update, key: keyPressed, end, fit, waits: () => Boolean(view?.hand?.choice),
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
  function update(newer) {
    hand = newer;
    element.hidden = hand?.players.length !== 2;
    look.disabled = !hand?.over;
    if (study.checked) refresh();
    else if (hand && !hand.over) { panel.clear(); looked = ""; }
  }
  return { element, update };
}

function seatBox(place, count) {
  const angle = Math.PI / 2 + (2 * Math.PI * place) / count;
  const cards = el("div", { class: "hole", "data-testid": place ? "villain-cards" : "hero-cards", "data-place": place, "aria-live": place ? "off" : "polite" });
  const name = el("span", { class: "name" });
  const stack = el("span", { class: "stack" });
  const did = el("span", { class: "did" });
  const clock = el("span", { class: "clock", "aria-hidden": "true" });  // stands in the place of what the player did before
  const bet = el("span", { class: "bet" });
  const dealer = el("span", { class: "dealer", text: "D", title: "on the button" });
  const x = Math.sign(Math.cos(angle)) * Math.abs(Math.cos(angle)) ** 0.7;  // wider and higher than a circle, so that neighbours do not touch
  const y = Math.max(-1, Math.min(1, 1.2 * Math.sin(angle)));
  const element = el("div", { class: `seat${x > 0.1 ? " right" : ""}${count > 2 && y < -0.7 ? " upper" : count > 2 && !place ? " lower" : ""}`, role: "group",
    style: { "--x": x.toFixed(4), "--y": y.toFixed(4), "--bet": y > 0.7 ? "20%" : "80%" } }, cards, el("div", { class: "plate" }, name, stack, clock, did), dealer, bet);
  return { element, cards, name, stack, did, clock, dealer, bet };
}

function drawSeat(seat, player, hand, whole) {
  const place = Number(seat.cards.dataset.place);
  const count = hand.players[0].cards.length || 2;
  showCards(seat.cards, player.cards, player.folded ? 0 : count);
  seat.name.textContent = seat.name.title = player.name;
  seat.dealer.hidden = !player.button;
  seat.element.setAttribute("aria-label", `${place ? player.name : "You"}${player.button ? ", on the button" : ""}`);
  const paid = hand.over && whole && player.won !== null;
  const chips = paid ? player.after : player.stack;
  seat.stack.textContent = chips < ENDLESS ? chips : "";
  seat.bet.textContent = player.bet && !hand.over ? player.bet : "";
  seat.element.classList.toggle("acts", player.acts);
  seat.element.classList.toggle("folded", player.folded);
  seat.element.classList.toggle("wins", Boolean(hand.over && whole && player.won > 0));
  const last = hand.actions.filter((action) => action.place === place && (action.street === hand.street || action.kind === "f")).at(-1);
  const does = player.stack === 0 && !player.folded ? "all-in" : last ? actionWords(last) : "";
  seat.did.textContent = paid ? signed(player.won) : does;
  seat.did.dataset.kind = paid ? "" : does === "all-in" ? "r" : last?.kind ?? "";
}

// Return what a player does: "calls 200", and of the person "call 200".
function actionWords(action) {
  const s = action.place ? "s" : "";
  if (action.kind === "c") return action.chips ? `call${s} ${action.to}` : `check${s}`;
  if (action.kind === "d") return action.chips ? `draw${s} ${action.chips}` : `stand${s} pat`;
  return action.kind === "r" ? `${action.opens ? `bet${s}` : `raise${s} to`} ${action.to}` : `fold${s}`;
}

// Return the entry of a finished hand for the history, with its number.
function handLine(hand, number, key) {
  const won = hand.players[0].won;
  const streets = hand.streets.map((name, street) => {
    const done = hand.actions.filter((action) => action.street === street);
    return done.length ? `${name}: ${done.map((a) => `${hand.players[a.place].name} ${actionWords(a)}`).join(", ")}` : null;
  }).filter(Boolean);
  const shown = hand.players.slice(1).filter((player) => player.cards.length);
  return el("li", { value: number }, el("details", {},
    el("summary", {}, cardWords(hand.players[0].cards), el("span", { class: won < 0 ? "bad" : "good", text: `${signed(won)} ` }),
      cardWords(hand.board)),
    shown.map((player) => el("p", {}, `${player.name} `, cardWords(player.cards))), streets.map((text) => el("p", { text })),
    hand.players.length === 2 ? el("a", { href: `#/inside/${encodeURIComponent(key)}/${hand.hand}`, text: "Look inside" }) : null));
}
