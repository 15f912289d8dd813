// The page of reviews: a new one is ordered, and all are listed. #/review/NAME shows one.

import { alertLine, el, field, fill, words } from "./dom.js";
import { handFiles } from "./handfiles.js";
import { changes, jobLine, watchJobs } from "./jobs.js";
import { plain } from "./numbers.js";
import { showReview } from "./reviewed.js";
import { ask } from "./socket.js";

export function show(main, [name]) {
  return name ? showReview(main, name) : showReviews(main);
}

function showReviews(main) {
  let turn = 0;
  const { wrong, told } = alertLine();
  const found = el("p", { role: "status", "data-testid": "players" });
  const players = el("select", { "data-testid": "hero", disabled: true });
  const bots = el("select", { "data-testid": "judge" });
  const begin = el("button", { class: "main", "data-testid": "begin-review", disabled: true }, "Review");
  const list = el("div", { "data-testid": "reviews" });
  const files = handFiles({ changed: lookFor, told });
  fill(main, el("section", { class: "watch" }, el("h1", { text: "Review" }),
    el("p", {}, words("A bot judges every decision of yours in hands that you have played, and lists them by what they lost, as `limpet review` does. It works in the background, some 0.5 s a hand and core with limpet-fast and a minute or two with limpet-judge, and goes on when you leave.")),
    el("form", { class: "panel", on: { submit } }, files.element, found,
      el("div", { class: "row" }, field("You are", players), field("Judged by", bots), begin), wrong),
    list));
  const { look, end } = watchJobs(() => told(ask({ kind: "review.list" }), false), draw, (view) => view?.reviews.some((each) => changes(each.job)));
  return end;

  // Say who plays in the files that are chosen.
  async function lookFor(names) {
    const mine = ++turn;
    players.disabled = begin.disabled = true;
    fill(players);
    found.textContent = names.length ? "Reading the hands …" : "";
    if (!names.length) return;
    const view = await told(ask({ kind: "review.players", files: names }));
    if (mine !== turn) return;
    found.textContent = view ? `${plain(view.hands)} hand${view.hands === 1 ? "" : "s"}${view.unread ? `; ${plain(view.unread)} cannot be read, the first at ${view.why}` : ""}.` : "";
    if (!view) return;
    fill(players, view.names.map(([name, hands]) => el("option", { value: name, text: `${name} (${plain(hands)} hand${hands === 1 ? "" : "s"})` })));
    players.disabled = begin.disabled = false;
  }

  async function submit(event) {
    event.preventDefault();
    begin.disabled = true;
    found.textContent = "Reading the hands …";
    const name = await told(ask({ kind: "review.begin", files: files.files(), hero: players.value, bot: bots.value }));
    found.textContent = "";
    begin.disabled = false;
    if (name && list.isConnected) location.hash = `#/review/${encodeURIComponent(name)}`;
  }

  function draw(view) {
    if (!bots.options.length) fill(bots, view.bots.map((bot) => el("option", { value: bot.config, text: `${bot.name}: ${bot.about}` })));
    fill(list, view.reviews.length ? el("h2", { text: "Reviews" }) : null, el("ul", { class: "jobs" }, view.reviews.map((each) => el("li", { class: "panel row" },
      el("a", { href: `#/review/${encodeURIComponent(each.review)}`, text: each.review }),
      el("span", { class: "muted", text: `${each.hero}, ${plain(each.hands)} hands in ${each.files} file${each.files === 1 ? "" : "s"}, judged by ${each.bot}` }), jobLine(each.job, act)))));
  }

  async function act(question) {
    await told(ask(question));
    look();
  }
}
