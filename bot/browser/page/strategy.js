// The page that walks a strategy file: every decision of its tree, hand by hand.

import { compareLink, TRAINED } from "./compare.js";
import { alertLine, el, field, fill, heading, readdress, words } from "./dom.js";
import { gridValues } from "./reports.js";
import { ask } from "./socket.js";
import { treeView } from "./tree.js";

const HEADS_UP = ["Big blind", "Button"];

export function show(main, [wanted, line = "", board = ""]) {
  let facts = null;
  let cards = board;
  let turn = 0;
  const names = el("select", { "data-testid": "strategy" });
  const about = el("div", { class: "facts", "data-testid": "facts" });
  const { wrong, told: answered } = alertLine();
  const place = el("div", {});
  const others = el("div", { "data-testid": "other-strategies" });
  let tree = null;
  fill(main, heading("Walk a strategy", "How a bot's strategy plays each hand: the buttons lead to the decision after that action."), el("div", { class: "row" }, field("Strategy", names)), about, wrong, place, others);
  names.addEventListener("change", () => open(names.value, "", ""));
  begin();

  async function begin() {
    const choices = await told(ask({ kind: "strategy.list" }));
    if (!choices) return;
    fill(names, choices.map((choice) => el("option", { value: choice.name, disabled: Boolean(choice.why_not),
      text: `${choice.name}${choice.place === "own" ? " (yours)" : ""}` })));
    fill(others, choices.filter((choice) => choice.why_not).map((choice) => el("p", { class: "muted" }, words(`${choice.name} is ${choice.why_not}.`))));
    const first = choices.find((choice) => choice.name === wanted) ?? choices.find((choice) => choice.name === "hunl-200bb") ?? choices[0];
    names.value = first.name;
    if (wanted && wanted !== first.name) {
      names.selectedIndex = -1;
      wrong.textContent = `There is no strategy ${wanted} to walk; choose one above.`;
      return;
    }
    open(first.name, first.name === wanted ? line : "", first.name === wanted ? board : "");
  }

  async function open(name, betting, onBoard) {
    const mine = ++turn;
    fill(about, el("p", { class: "muted", text: "Opening …" }));
    fill(place);
    const opened = await told(ask({ kind: "strategy.open", name }));
    if (!opened || mine !== turn) return;
    facts = opened.facts;
    cards = onBoard;
    fill(about, factsLine(facts));
    const players = playerNames(facts);
    tree = treeView({ go, names: players, values: (node, hands) => gridValues({ node, names: players }, hands), deck: facts.deck, extra: facts.heads_up ? comparing : undefined });
    fill(place, tree.element);
    if (betting || onBoard) go(betting, null);
    else tree.show(opened.node);
  }

  // Load a decision. `more` are the cards of its street; an empty text asks for others.
  async function go(betting, more) {
    const mine = ++turn;
    if (more !== null) cards = `${boardOf(betting)}${more}`;
    const began = performance.now();
    const node = await told(ask({ kind: "strategy.node", name: facts.name, betting, board: cards }));
    if (!node || mine !== turn) return;
    tree.show(node);
    tree.element.dataset.milliseconds = Math.round(performance.now() - began);
    const words = ["strategy", facts.name, node.line, cards].map(encodeURIComponent);
    readdress(place, `#/${words.join("/")}`);
  }

  function comparing(node) {
    return el("p", {}, compareLink({ folder: TRAINED + facts.name, line: wordsTo(node) }));
  }

  // Return the line to a decision in words, with the cards where they fall.
  function wordsTo(node) {
    const streets = [...new Set([...node.path, node].map((step) => step.street))];
    const way = streets.flatMap((street, round) => [...(node.board.match(/../g) ?? []).slice(round && facts.board_cards[round - 1], facts.board_cards[round]),
      ...node.path.filter((step) => step.street === street).map((step) => step.label.replace(/ bb$/, ""))]);
    return way.join(", ");
  }

  // Return the board's cards of the streets before the one that a line has reached.
  function boardOf(betting) {
    const round = betting.split("/").length - 1;
    return cards.slice(0, 2 * (facts.board_cards[Math.max(round - 1, 0)] ?? 0));
  }

  // Return what a promise gives, or null after showing why it failed.
  async function told(promise) {
    const value = await answered(promise);
    if (value === null) fill(about, facts ? factsLine(facts) : null);
    return value;
  }
}

function playerNames(facts) {
  if (facts.players === 2 && facts.deck.length === 52) return HEADS_UP;
  return Array.from({ length: facts.players }, (_, position) => `Player ${position + 1}`);
}

function factsLine(facts) {
  const parts = [
    `${facts.players} players`, facts.stacks_bb.length ? `${facts.stacks_bb[0]} bb` : "fixed bets",
    `${facts.algorithm}, ${facts.iterations.toLocaleString("en")} iterations`,
    `${facts.decisions.toLocaleString("en")} decisions`, `${facts.infosets.toLocaleString("en")} infosets`,
    facts.bytes < 2 ** 20 ? `${(facts.bytes / 2 ** 10).toFixed(0)} KiB` : `${(facts.bytes / 2 ** 20).toFixed(1)} MiB`, `never trained: ${facts.untrained_percent} %`,
  ];
  return el("p", { class: "muted", text: parts.join(" · ") });
}
