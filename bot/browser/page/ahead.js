// What a person decides before the turn comes: check or fold, or call any bet. It holds for one decision.

import { el } from "./dom.js";
import { isKey, options } from "./options.js";

// Return {element, show(open), answer(choice), clear(), key(event)}.
export function aheadControls() {
  let chosen = "";
  const buttons = { give: button("give", "Check/fold"), any: button("any", "Call any") };
  const element = el("div", { class: "ahead", hidden: true, role: "group", "aria-label": "Decide ahead" }, Object.values(buttons));

  function button(what, words) {
    return el("button", { "aria-pressed": "false", "data-testid": what, on: { click: () => choose(chosen === what ? "" : what) } }, words);
  }
  function choose(what) {
    chosen = what;
    for (const [name, made] of Object.entries(buttons)) made.setAttribute("aria-pressed", String(name === what));
  }
  // Offer to decide ahead while `open`.
  function show(open) {
    element.hidden = !open;
    for (const [name, made] of Object.entries(buttons)) made.setAttribute("aria-keyshortcuts", options.keys[name]);
  }
  // Return the action that was decided for a choice, which uses it up; empty for none.
  function answer(choice) {
    const what = chosen;
    choose("");
    if (!what || choice.discards) return "";
    return what === "give" && choice.fold ? "f" : "c";
  }
  function key(event) {
    const name = Object.keys(buttons).find((each) => isKey(event, each));
    if (!name || element.hidden) return false;
    buttons[name].click();
    return true;
  }
  return { element, show, answer, clear: () => choose(""), key };
}
