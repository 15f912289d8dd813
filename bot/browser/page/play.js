// The page to play on: tables in tabs, and a form for new ones.

import { el, fill, field } from "./dom.js";
import { ask, listen } from "./socket.js";
import { tableView } from "./table.js";

export function show(main, [wanted]) {
  const open = new Map();  // tables by the key of the seat
  let chosen = null;
  let hello = null;
  const tabs = el("div", { class: "tabs", role: "tablist", "aria-label": "Tables" });
  const place = el("div", { class: "place" });
  fill(main, tabs, place);
  const stops = [
    listen("play.table", (view) => open.get(view.key)?.update(view)),
    listen("open", greet),
  ];
  addEventListener("keydown", key);
  greet();

  // Ask for the person's tables; a person without one gets a table against the first opponent.
  async function greet() {
    try {
      hello = await ask({ kind: "play.hello" });
      if (!hello.tables.length && !hello.guest && wanted !== "new") {
        await sitAt((await ask({ kind: "play.open", bots: [hello.opponents[0].config] })).key);
        return;
      }
      for (const table of hello.tables) await sitAt(table.key, false);
      if (hello.tables.length) choose(open.has(chosen) ? chosen : open.has(wanted) ? wanted : hello.tables[0].key);
      else choose(null);
    } catch (error) {
      fill(place, el("p", { class: "bad", role: "alert", text: error.message }));
    }
  }

  async function sitAt(seat, front = true) {
    if (!open.has(seat)) open.set(seat, tableView(seat));
    const table = open.get(seat);
    const view = await ask({ kind: "play.sit", key: seat });
    table.name = view.name;
    table.update(view);
    if (front) choose(seat);
  }

  function choose(seat) {
    chosen = seat;
    fill(tabs, [...open].map(([other, table]) => tab(table.name, other === seat, () => choose(other))),
      hello.guest ? null : tab("New table", seat === null, () => choose(null)));
    fill(place, seat === null ? form() : open.get(seat).element);
    if (seat !== null && !hello.guest) place.append(el("button", { class: "leave", on: { click: () => leave(seat) } }, "Leave the table"));
  }

  function tab(words, selected, click) {
    return el("button", { role: "tab", "aria-selected": String(selected), on: { click } }, words);
  }

  async function leave(seat) {
    await ask({ kind: "play.leave", key: seat });
    open.get(seat).end();
    open.delete(seat);
    choose(open.keys().next().value ?? null);
  }

  function form() {
    const bot = el("select", { "data-testid": "opponent" }, hello.opponents.map(
      (other) => el("option", { value: other.config, title: other.about }, `${other.name}: ${other.about}`.slice(0, 90))));
    const count = el("input", { type: "number", min: 0, max: 9, value: 1, "data-testid": "bots" });
    const people = el("input", { type: "number", min: 0, max: 9, value: 0, "data-testid": "people" });
    const stack = el("input", { type: "number", min: 10, max: 400, value: 200, step: "any", "data-testid": "stack" });
    const reveal = el("input", { type: "checkbox", "data-testid": "reveal" });
    const wrong = el("p", { class: "bad", role: "alert" });
    const send = async (event) => {
      event.preventDefault();
      try {
        const { key: seat } = await ask({ kind: "play.open", bots: Array(Number(count.value)).fill(bot.value),
          people: Number(people.value), stack: Number(stack.value), reveal: reveal.checked });
        await sitAt(seat);
      } catch (error) {
        wrong.textContent = error.message;
      }
    };
    return el("form", { class: "panel", on: { submit: send } }, el("h2", { text: "A new table" }),
      el("div", { class: "row" }, field("Opponent", bot), field("How many of it", count), field("Other people", people),
        field("Stacks in big blinds (10 to 400)", stack)),
      el("p", {}, el("label", {}, reveal, " Show all hands when a hand is over")),
      el("button", { class: "main", "data-testid": "sit" }, "Sit down"), wrong);
  }

  function key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    if (event.target.closest("input, select, textarea, summary, a")) return;
    if (event.target.closest("button") && ["Enter", " "].includes(event.key)) return;
    if (chosen !== null && open.get(chosen)?.key(event)) event.preventDefault();
  }

  return () => {
    stops.forEach((stop) => stop());
    removeEventListener("keydown", key);
    open.forEach((table) => table.end());
  };
}
