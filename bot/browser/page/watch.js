// The page to watch: matches and tournaments below the command's folder, and one of them live.
// Addresses: #/watch and #/watch/FOLDER.

import { barChart, lineChart } from "./chart.js";
import { el, fill, table, wide } from "./dom.js";
import { plain, rate, signed, when } from "./numbers.js";
import { address } from "./replay.js";
import { ask, listen } from "./socket.js";

const LEFT = new Set(["board", "betting", "state", "kind"]);  // columns of words
const RUNNING = 30;  // seconds since the last change within which a match is taken to be running

export function show(main, [folder]) {
  const place = el("section", { class: "watch" }, el("p", { class: "muted", text: "Reading …" }));
  fill(main, place);
  if (folder) return showFolder(place, folder);
  showFolders(place).catch((error) => refuse(place, error.message));
  return null;
}

function refuse(place, why) {
  fill(place, el("p", { class: "bad", role: "alert", text: why }), el("p", {}, el("a", { href: "#/watch" }, "All matches")));
}

async function showFolders(place) {
  const folders = await ask({ kind: "watch.folders" });
  fill(place, el("h1", { text: "Watch" }),
    el("p", { text: "Matches, tournaments and sit-and-goes below the folder in which limpet table was started." }),
    folders.length ? wide(table({ "data-testid": "folders" }, ["folder", "state", "kind", "last hand"].map(heading),
      folders.map((each) => el("tr", {},
        el("td", { class: "path" }, el("a", { href: `#/watch/${encodeURIComponent(each.folder)}`, text: each.folder })),
        el("td", { class: "left", text: state(each) }),
        el("td", { class: "left", text: each.kind }),
        el("td", { text: when(each.changed) })))))
      : el("p", { class: "muted", text: "There are none yet. Start one: limpet match blueprint call --hands 3000 --duplicate" }));
}

function state(folder) {
  if (folder.over) return "over";
  return Date.now() / 1000 - folder.changed < RUNNING ? "running" : "stopped";
}

const heading = (text) => el("th", { scope: "col", class: LEFT.has(text) ? "left" : "", text });

// --- One match or tournament ---

function showFolder(place, folder) {
  const facts = el("ul", { class: "facts", "data-testid": "facts" });
  const note = el("p", { role: "status", "data-testid": "note" });
  const chart = el("div", { "data-testid": "chart" });
  const results = wide();
  const tables = wide();
  const hands = wide();
  const title = el("h1");
  let drawn = false;
  const stops = [
    listen("watch.news", ({ progress, speed }) => { if (progress.folder === folder) draw(progress, speed); }),
    listen("watch.trouble", (event) => { if (event.folder === folder) refuse(place, event.why); }),
    listen("open", follow),
  ];
  follow();
  return () => {
    stops.forEach((stop) => stop());
    ask({ kind: "watch.leave", folder }).catch(() => {});
  };

  function follow() {
    ask({ kind: "watch.follow", folder })
      .then(({ progress, speed }) => draw(progress, speed), (error) => refuse(place, error.message));
  }

  function draw(progress, speed) {
    const back = el("p", {}, el("a", { href: "#/watch" }, "All matches"));
    if (!drawn) fill(place, back, title, facts, note, el("div", { class: "halves" }, el("div", {}, chart, results, tables), hands));
    drawn = true;
    title.textContent = progress.title;
    const most = progress.most ? ` of ${plain(progress.most)}` : "";
    fill(facts, fact("hands", `${plain(progress.hands)}${most}`, progress.hands),
      fact("hands a second", speed === null ? "–" : plain(speed)),
      progress.rates.length ? fact(`${progress.sample}s`, plain(Math.max(...progress.rates.map((each) => each.samples)))) : null,
      fact("state", progress.over ? "over" : speed ? "running" : "waiting"));
    note.textContent = progress.note;
    fill(chart, picture(progress));
    fill(results, progress.rates.length ? rateTable(progress) : el("p", { class: "muted", text: "No hand is over yet." }));
    fill(tables, progress.tables.length ? [el("h2", { text: "Tables" }), tableTable(progress)] : null);
    fill(hands, progress.last.length ? [el("h2", { text: "Last hands" }), handTable(progress.last)] : null);
  }
}

function fact(words, value, number) {
  return el("li", { "data-value": number }, el("b", { text: value }), el("span", { class: "muted", text: words }));
}

function picture(progress) {
  if (progress.curves.length) {
    const [first] = progress.curves;
    const whom = progress.curves.length === 1 && progress.rates.length === 2 ? `${first.name}: ` : "";
    return lineChart(`${whom}${progress.unit} with its 95 % band`, `${progress.sample}s`, progress.curves);
  }
  if (!progress.rates.length) return null;
  return barChart(`${progress.unit} with its 95 % interval`, progress.rates.map((each) => (
    { label: each.name, value: each.mean, half: each.half, text: rate(each.mean, each.half) })));
}

function rateTable(progress) {
  return table({ "data-testid": "rates" }, ["player", `${progress.unit} ± 95 %`, `${progress.sample}s`].map(heading), progress.rates.map((each) => (
    el("tr", {}, el("td", { text: each.name }), el("td", { text: rate(each.mean, each.half) }), el("td", { text: plain(each.samples) })))));
}

function tableTable(progress) {
  return table({}, ["table", `first player's ${progress.unit}`, "matches", "hands"].map(heading), progress.tables.map((each) => el("tr", {},
    el("td", { text: each.players.join(" – ") }), el("td", { text: each.rate ? rate(each.rate.mean, each.rate.half) : "–" }),
    el("td", { text: plain(each.matches) }), el("td", { text: plain(each.hands) }))));
}

function handTable(last) {
  return table({ "data-testid": "last" }, ["hand", "won", "pot", "board", "betting"].map(heading), last.map(({ path, row }) => el("tr", {},
    el("td", {}, el("a", { href: address(path, row.line), text: `hand ${row.hand}` })),
    el("td", {}, row.names.map((name, at) => winner(name, row.won[at]))),
    el("td", { text: plain(row.pot) }),
    el("td", { class: "left", text: row.board.join(" ") }),
    el("td", { class: "words told", text: row.betting }))));
}

function winner(name, chips) {
  return el("div", { class: chips < 0 ? "bad" : chips > 0 ? "good" : "", text: `${name} ${signed(chips)}` });
}
