// The locks of a spot: decisions at which a player's strategy is given, each with how often every action is taken.

import { el, field, fill } from "./dom.js";
import { rangeField } from "./rangefield.js";

// Return {element, show(locks), add(lock), value()}. Locks are as a spot's file has them: {after, play}.
export function lockFields() {
  const summary = el("summary", { "data-testid": "locks", text: "Locked decisions" });
  const list = el("div", { class: "rows" });
  const element = el("details", { class: "whole", "data-key": "locks" }, summary,
    el("p", { class: "muted", text: "A locked decision is played as given, and everything else is solved against it. A decision is named by the actions that lead to it; an action is taken with a frequency from 0 to 1, by the hands of a range, or with the rest." }),
    list, el("p", {}, el("button", { type: "button", "data-testid": "add-lock", on: { click: () => add({ after: [], play: { "": "" } }) } }, "Lock a decision")));

  function show(locks) {
    fill(list, locks.map(lockField));
    element.open = locks.length > 0;
    count();
  }

  // Add a lock, and lead to it.
  function add(lock) {
    list.append(lockField(lock));
    element.open = true;
    count();
    list.lastChild.scrollIntoView({ block: "nearest" });
    list.lastChild.querySelector("input").focus();
  }

  function count() {
    summary.textContent = `Locked decisions: ${list.children.length || "none"}`;
    [...list.children].forEach((lock, at) => { lock.firstChild.textContent = `Lock ${at + 1}`; });
  }

  function lockField({ after, play }) {
    const actions = el("div", { class: "rows" }, Object.entries(play).map(actionField));
    const lock = el("fieldset", { class: "lock", "data-testid": "lock" }, el("legend"),
      field("After", el("input", { class: "after", "data-testid": "lock-after", autocomplete: "off", placeholder: "nothing, for the first decision; or check, bet 75%", value: after.join(", ") })), actions,
      el("p", { class: "row" }, el("button", { type: "button", "data-testid": "add-action", on: { click: () => actions.append(actionField(["", ""])) } }, "One more action"),
        el("button", { type: "button", "data-testid": "remove-lock", on: { click: () => { lock.remove(); count(); } } }, "Unlock this decision")));
    return lock;
  }

  function actionField([name, how]) {
    const often = el("input", { "data-testid": "lock-how", autocomplete: "off", spellcheck: "false", placeholder: "0.3; AQ,AJ; rest", value: how });
    const painted = el("div", { hidden: true });
    const paint = el("button", { type: "button", "aria-expanded": "false", "data-testid": "lock-paint", on: { click: toggle } }, "Paint hands");
    const action = el("div", {}, el("div", { class: "row lock-action" },
      field("Action", el("input", { "data-testid": "lock-action", autocomplete: "off", placeholder: "call", value: name })), field("How often", often), paint,
      el("button", { type: "button", "aria-label": "Remove this action", title: "Remove this action", on: { click: () => action.remove() } }, "×")), painted);
    return action;

    // Show the hands that take the action in the grid, or put it away. A frequency is that of all hands; the rest begins with none.
    function toggle() {
      painted.hidden = !painted.hidden;
      paint.setAttribute("aria-expanded", String(!painted.hidden));
      if (painted.hidden) return;
      const text = often.value.trim();
      const first = text === "" || text === "rest" ? "random:0" : Number.isNaN(Number(text)) ? text : `random:${Number(text)}`;
      let touched = false;  // what is only looked at stays as it was written
      const range = rangeField({ words: "Hands that take the action", testid: "lock-range", changed: (read) => {
        touched ||= read !== first;
        if (touched) often.value = read;
      } });
      range.input.value = first;
      fill(painted, range.element);
      range.open.open = true;
      range.refresh();
    }
  }

  // Return the locks as the fields say them. Fails with an Error where a lock names an action twice.
  function value() {
    return [...list.children].map((lock, at) => {
      const after = lock.querySelector(".after").value.split(",").map((word) => word.trim()).filter(Boolean);
      const pairs = [...lock.querySelectorAll(".lock-action")].map((row) => [...row.querySelectorAll("input")].map((input) => input.value.trim())).filter(([name]) => name);
      const twice = pairs.find(([name], number) => pairs.findIndex(([other]) => other === name) !== number);
      if (twice) throw new Error(`Lock ${at + 1} names ${twice[0]} twice; name each action once.`);
      return { after, play: Object.fromEntries(pairs.map(([name, how]) => [name, how === "" || Number.isNaN(Number(how)) ? how : Number(how)])) };
    });
  }
  return { element, show, add, value };
}
