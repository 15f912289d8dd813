// The page on prize money: what stacks are worth by the independent chip model, and what all-ins risk.

import { alertLine, el, field, fill, heading, readdress, table, wide } from "./dom.js";
import { percent } from "./grid.js";
import { ask } from "./socket.js";

export function show(main, [stacks = "5000,3000,2000", payouts = "50,30,20"]) {
  const chips = el("input", { "data-testid": "stacks", value: stacks, size: 40 });
  const prizes = el("input", { "data-testid": "payouts", value: payouts, size: 30 });
  const { wrong, told } = alertLine();
  const place = el("div", {});
  fill(main, heading("Prize money (ICM)", "What stacks are worth in prize money, and how much more an all-in must win than it loses."),
    el("form", { class: "panel row", on: { submit } }, field("Stacks", chips), field("Prizes from the first place down", prizes),
      el("button", { class: "main", "data-testid": "work-out" }, "Work out")), wrong, place);
  submit();

  async function submit(event) {
    event?.preventDefault();
    const answer = await told(ask({ kind: "icm.ask", stacks: numbers(chips.value), payouts: numbers(prizes.value) }));
    if (!answer) return fill(place);  // not what the numbers before were worth
    fill(place, shares(answer), answer.bubble_factor && answer.stacks.length > 1 ? bubbles(answer) : null);
    readdress(place, `#/icm/${encodeURIComponent(chips.value)}/${encodeURIComponent(prizes.value)}`);
  }
}

export function numbers(text) {
  return text.split(/[,;\s]+/).filter(Boolean).map(Number);
}

// Return a table with a bar for each player's share of the chips, and one for the share of the prize money.
function shares(answer) {
  const pool = answer.payouts.slice(0, answer.stacks.length).reduce((sum, prize) => sum + prize, 0);
  const most = Math.max(...answer.share, ...answer.equity.map((equity) => equity / pool));
  const bar = (share, colour) => el("div", { class: "bar-row", style: { width: `${(100 * share) / most}%`, background: colour } });
  return wide(table({ "data-testid": "equities" }, ["player", "stack", "chips", "equity", "of the prizes", "shares"],
    answer.stacks.map((stack, player) => el("tr", {}, el("th", { scope: "row", text: player + 1 }), el("td", { text: stack.toLocaleString("en") }),
      el("td", { text: percent(answer.share[player], 2) }), el("td", { text: answer.equity[player].toFixed(pool >= 10 ? 2 : 4) }), el("td", { text: percent(answer.equity[player] / pool, 2) }),
      el("td", { class: "bars", title: "above: share of the chips; below: share of the prizes" }, bar(answer.share[player], "var(--muted)"), bar(answer.equity[player] / pool, "var(--accent)"))))));
}

function bubbles(answer) {
  const factors = answer.bubble_factor;
  return [el("h2", { text: "Bubble factors" }),
    el("p", { class: "muted", text: "Each player (row) against each opponent (column): the prize money that losing an all-in costs ÷ what winning it gains. At 1 chips are money; at 2 an all-in must be won twice as often as it is lost." }),
    wide(table({ "data-testid": "bubbles" }, ["player", ...factors.map((_, player) => player + 1)],
      factors.map((row, player) => el("tr", {}, el("th", { scope: "row", text: player + 1 }), row.map((factor, other) =>
        el("td", { style: factor === null ? {} : { background: `color-mix(in srgb, var(--bad) ${Math.max(0, Math.min(45, 30 * (factor - 1)))}%, transparent)` },
          text: player === other ? "" : factor === null ? "–" : factor.toFixed(3) }))))))];
}
