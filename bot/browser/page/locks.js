// The locks of a spot: decisions at which a player's strategy is given, each with how often every action is taken.

import { el, field, fill } from "./dom.js";

// Return {element, show(locks), add(lock), value()}. Locks are as a spot's file has them: {after, play}.
export function lockFields() {
  const summary = el("summary", { "data-testid": "locks" });
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
    const row = el("div", { class: "row lock-action" }, field("Action", el("input", { "data-testid": "lock-action", autocomplete: "off", placeholder: "call", value: name })),
      field("How often", el("input", { "data-testid": "lock-how", autocomplete: "off", spellcheck: "false", placeholder: "0.3; AQ,AJ; rest", value: how })),
      el("button", { type: "button", "aria-label": "Remove this action", title: "Remove this action", on: { click: () => row.remove() } }, "×"));
    return row;
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
