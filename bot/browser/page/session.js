// The result of a session, the standing of a tournament, and the links for people who are invited.

import { el, fill } from "./dom.js";
import { ask } from "./socket.js";

export function signed(value, digits = Number.isInteger(value) ? 0 : 2) {
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(digits)}`;
}

function rate(mean, margin) {
  if (mean === null) return "";
  return `${signed(mean, 0)}${margin === null ? "" : ` ± ${margin.toFixed(0)}`} mbb/g`;
}

// Return {element, show(view)} for the seat with this key.
export function sessionPanel(key) {
  const result = el("div", { class: "result panel", "data-testid": "result", "aria-label": "Result" });
  const luck = el("div", {});
  const more = el("button", { "data-testid": "aivat", on: { click: takeLuckOut } }, "Take the luck out (AIVAT)");
  const standing = el("div", {});
  const invited = el("div", {});
  const element = el("div", { class: "session" }, result, more, luck, standing, invited);

  async function takeLuckOut() {
    more.disabled = true;
    luck.textContent = "Working it out …";
    try {
      const { estimators } = await ask({ kind: "play.luck", key });
      fill(luck, el("table", {}, el("thead", {}, el("tr", {}, ["estimator", "mbb/g", "95 %"].map((words) => el("th", { scope: "col", text: words })))),
        el("tbody", {}, estimators.map((row) => el("tr", {}, el("td", { text: row.name }), el("td", { text: signed(row.rate, 0) }),
          el("td", { text: row.low === null ? "–" : `${signed(row.low, 0)} to ${signed(row.high, 0)}` }))))));
    } catch (error) {
      luck.textContent = error.message;
    }
    more.disabled = false;
  }

  function show(view) {
    const { hands, chips, big_blinds: blinds, rate: mean, margin, fair, fair_margin: fairMargin } = view.result;
    if (view.standing) {
      result.hidden = more.hidden = true;
      fill(standing, standingTable(view.standing));
    } else {
      fill(result, el("p", {}, el("strong", { text: `${signed(blinds)} bb` }), ` in ${hands} hand${hands === 1 ? "" : "s"} (${signed(chips)} chips)`),
        mean === null ? null : el("p", {}, rate(mean, margin)),
        fair === null ? null : el("p", {}, `${rate(fair, fairMargin)} without the luck of all-in boards`));
      result.dataset.chips = chips;
      result.dataset.hands = hands;
    }
    const guests = Object.entries(view.invited);
    fill(invited, guests.length ? el("h3", { text: "Invite" }) : null, guests.map(([name, token]) => el("p", {}, `${name}: `,
      el("a", { href: `/?token=${encodeURIComponent(token)}`, "data-testid": "invitation", text: "link to this seat" }))));
  }
  return { element, show };
}

function standingTable(now) {
  const blinds = `Level ${now.level + 1}: blinds ${now.blinds.join("/")}${now.ante ? `, ante ${now.ante}` : ""}, ${now.next_level} hands to the next`;
  const prizes = now.prizes.filter((prize) => prize > 0).map((prize, place) => `${place + 1}. ${prize.toFixed(2)}`).join(", ");
  return el("div", { class: "panel", "data-testid": "standing" }, el("p", { text: now.over ? "The tournament is over." : blinds }),
    el("p", { class: "muted", text: `Buy-in ${now.buy_in}; prizes ${prizes}` }),
    el("table", {}, el("thead", {}, el("tr", {}, ["player", "chips", "place", "prize"].map((words) => el("th", { scope: "col", text: words })))),
      el("tbody", {}, now.names.map((name, seat) => el("tr", {}, el("td", { text: name }), el("td", { text: now.stacks[seat] }),
        el("td", { text: now.places[seat] ?? "" }), el("td", { text: now.won[seat] ? now.won[seat].toFixed(2) : "" }))))));
}
