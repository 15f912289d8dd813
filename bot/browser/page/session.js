// The result of a session, the standing of a tournament, and the links for people who are invited.

import { lineChart } from "./chart.js";
import { alertLine, el, fill, table } from "./dom.js";
import { inUnit, options } from "./options.js";
import { ask } from "./socket.js";

const CURVES = { raw: "won", fair: "without the luck of all-in boards", clean: "without luck (AIVAT)" };

export function signed(value, digits = Number.isInteger(value) ? 0 : 2) {
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(digits)}`;
}

// Return won chips as the person reads amounts.
export function signedAmount(chips, blind) {
  return options.blinds ? `${signed(inUnit(chips, blind))} bb` : signed(chips);
}

// Return a place, or the places that players share who left together: of those in the middle of 3 and 4, "3–4".
export function placeText(places, place) {
  const others = (places.filter((other) => other !== null && other === place).length - 1) / 2;
  return others > 0 ? `${place - others}–${place + others}` : `${place ?? ""}`;
}

function rate(mean, margin) {
  if (mean === null) return "";
  return `${signed(mean, 0)}${margin === null ? "" : ` ± ${margin.toFixed(0)}`} mbb/g`;
}

// Return {element, show(view)} for the seat with this key.
export function sessionPanel(key) {
  const result = el("div", { class: "result panel", "data-testid": "result", "aria-label": "Result" });
  const standing = el("div", {});
  const others = el("ul", { class: "bots muted", "data-testid": "bots-here", "aria-label": "The bots here" });
  const invited = el("div", {});
  const body = el("div", {});
  const { wrong, told } = alertLine();
  const graph = el("details", { class: "panel", "data-testid": "session-graph", on: { toggle: draw } }, el("summary", { text: "Graph of the session" }), wrong, body);
  const element = el("div", { class: "session" }, result, others, graph, standing, invited);
  let last = "";

  // Draw what was won, while the graph is open.
  async function draw() {
    if (!graph.open) return;
    const curves = await told(ask({ kind: "play.graph", key }));
    if (!curves) return;
    const known = Object.entries(CURVES).filter(([name]) => curves[name].samples.at(-1) > 0);
    fill(body, known.length ? lineChart("Big blinds", "hands", known.map(([name, words]) => ({ ...curves[name], name: words, half: curves[name].samples.map(() => null) })))
      : el("p", { class: "muted", text: "No hand is over yet." }));
  }

  function show(view) {
    const { hands, chips, big_blinds: blinds, rate: mean, margin, fair, fair_margin: fairMargin, clean, clean_margin: cleanMargin, clean_hands: cleanHands, clean_why: why } = view.result;
    if (view.standing) {
      result.hidden = true;
      fill(standing, standingTable(view.standing));
    } else {
      fill(result, el("p", {}, el("strong", { text: `${signed(blinds)} bb` }), ` in ${hands} hand${hands === 1 ? "" : "s"} (${signed(chips)} chips)`),
        mean === null ? null : el("p", {}, rate(mean, margin)),
        fair === null || fair === mean ? null : el("p", {}, `${rate(fair, fairMargin)} without the luck of all-in boards`),
        clean === null ? null : el("p", { "data-testid": "aivat" }, el("strong", { text: `${signed(clean * cleanHands / 1000)} bb` }),
          ` or ${rate(clean, cleanMargin)} with the luck taken out (AIVAT${cleanHands < hands ? `, ${cleanHands} hands so far` : ""})`),
        why ? el("p", { class: "muted", text: `No AIVAT: ${why.replaceAll("`", "")}.` }) : null);
      result.dataset.chips = chips;
      result.dataset.hands = hands;
    }
    fill(others, Object.entries(view.kinds).map(([name, kind]) => el("li", {}, el("b", { text: name }), `: ${kind}`)));
    graph.hidden = Boolean(view.standing);
    const now = JSON.stringify([hands, fair, clean]);
    if (now !== last) draw();
    last = now;
    const guests = Object.entries(view.invited);
    fill(invited, guests.length ? el("h2", { text: "Invite" }) : null, guests.map(([name, token]) => el("p", {}, `${name}: `,
      el("a", { href: `/?token=${encodeURIComponent(token)}`, "data-testid": "invitation", text: "link to this seat" }))));
  }
  return { element, show };
}

function standingTable(now) {
  const blinds = `Level ${now.level + 1}: blinds ${now.blinds.join("/")}${now.ante ? `, ante ${now.ante}` : ""}, ${now.next_level} hands to the next`;
  const prizes = now.prizes.filter((prize) => prize > 0).map((prize, place) => `${place + 1}. ${prize.toFixed(2)}`).join(", ");
  return el("div", { class: "panel", "data-testid": "standing" }, el("p", { text: now.over ? "The tournament is over." : blinds }),
    el("p", { class: "muted", text: `Buy-in ${now.buy_in}; prizes ${prizes}` }),
    table({}, ["player", "chips", "place", "prize"],
      now.names.map((name, seat) => el("tr", {}, el("td", { text: name }), el("td", { text: now.stacks[seat] }),
        el("td", { text: placeText(now.places, now.places[seat]) }), el("td", { text: now.won[seat] ? now.won[seat].toFixed(2) : "" })))));
}
