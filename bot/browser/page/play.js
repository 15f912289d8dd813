// The page to play on: tables in tabs, and a form for new ones.

import { el, fill } from "./dom.js";
import { Lost, ask, listen } from "./socket.js";
import { lobby } from "./lobby.js";
import { settings } from "./options.js";
import { ENDED, tableView } from "./table.js";

export function show(main, [wanted]) {
  const open = new Map();  // tables by the key of the seat
  let chosen = null;
  let hello = null;
  let lost = false;
  const form = settings(() => open.forEach((table) => table.redraw()));
  const tabs = el("div", { class: "tabs", role: "tablist", "aria-label": "Tables" });
  const place = el("div", { class: "place" });
  const away = el("button", { "aria-label": "Leave the table", on: { click: () => leave(chosen) } }, "Leave");
  fill(main, el("h1", { class: "hidden", text: "Play" }), el("div", { class: "table-bar" }, tabs, away), place);
  const stops = [
    form.end,
    listen("play.table", update),
    listen("closed", () => { lost = true; }),
    listen("open", () => { if (lost) greet(); lost = false; }),
  ];
  addEventListener("keydown", key);
  greet();

  // Ask for the person's tables; a person without one gets a table against the first opponent.
  async function greet() {
    try {
      hello = await ask({ kind: "play.hello" });
      if (!hello.tables.length && !hello.guest && !wanted) {
        await sitAt((await ask({ kind: "play.open", bots: [hello.opponents[0].config] })).key);
        return;
      }
      for (const [seat, table] of open) {
        if (hello.tables.some((known) => known.key === seat)) continue;
        table.end();
        open.delete(seat);
      }
      for (const table of hello.tables) await sitAt(table.key, false);
      const first = wanted === "new" && !hello.guest ? null : hello.tables[0]?.key ?? null;
      choose(open.has(chosen) ? chosen : open.has(wanted) ? wanted : first, true);
    } catch (error) {
      fill(place, el("p", { class: "bad", role: "alert", text: error.message }));
    }
  }

  async function sitAt(seat, front = true) {
    if (!open.has(seat)) open.set(seat, tableView(seat, form.element));
    const table = open.get(seat);
    const { view, seen } = await ask({ kind: "play.sit", key: seat });
    table.name = view.title;
    table.begin(seen, view);
    table.update(view);
    if (front) choose(seat);
  }

  function update(view) {
    const table = open.get(view.key);
    const waited = table?.waits();
    table?.update(view);
    if (table && waited !== table.waits() && open.size > 1) nameTabs();
  }

  // Write the tabs; a table that waits for the person has a mark.
  function nameTabs() {
    fill(tabs, [...open].map(([other, table]) => tab(`${table.waits() ? "● " : ""}${table.name}`, other === chosen, () => choose(other))),
      hello.guest ? null : tab("New table", chosen === null, newTable));
    tabs.scrollLeft = tabs.querySelector("[aria-selected=true]")?.offsetLeft ?? 0;  // where they are wider than the page
  }

  // Show a table, or the lobby for null, at an address of its own. Going back leads to the one before, unless the address
  // before leads nowhere: then the new one takes its place.
  function choose(seat, instead = false) {
    chosen = seat;
    nameTabs();
    fill(place, seat !== null ? open.get(seat).element : hello.guest ? el("p", { role: "status", text: ENDED }) : lobby(hello, sitAt));
    open.get(seat)?.show();
    const address = `#/play/${seat === null ? "new" : encodeURIComponent(seat)}`;
    if (location.hash !== address) history[instead || /^#?\/?(play)?\/?$/.test(location.hash) ? "replaceState" : "pushState"](null, "", address);
    away.hidden = seat === null || hello.guest;
  }

  async function newTable() {
    hello = await ask({ kind: "play.hello" });
    choose(null);
  }

  function tab(words, selected, click) {
    return el("button", { role: "tab", "aria-selected": String(selected), on: { click } }, words);
  }

  async function leave(seat) {
    if (!open.has(seat) || open.get(seat).forfeits() && !confirm("Leave this tournament? The buy-in is lost.")) return;
    await ask({ kind: "play.leave", key: seat }).catch((error) => { if (error instanceof Lost) throw error; });  // else another window has left it
    open.get(seat).end();
    open.delete(seat);
    hello = await ask({ kind: "play.hello" });
    choose(open.keys().next().value ?? null, true);
  }

  function key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || event.repeat) return;
    if (event.target.closest("input:not([type=range]), select, textarea, summary, a")) return;
    if (event.target.closest("button") && ["Enter", " "].includes(event.key)) return;
    if (chosen !== null && open.get(chosen)?.key(event)) event.preventDefault();
  }

  return () => {
    stops.forEach((stop) => stop());
    removeEventListener("keydown", key);
    open.forEach((table) => table.end());
  };
}
