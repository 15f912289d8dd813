// A field for a range of hands: its text, which is all that counts, what the text comes to, and an editor that writes it.

import { el, field, fill } from "./dom.js";
import { plain } from "./numbers.js";
import { boardCards } from "./picker.js";
import { rangeEditor } from "./rangeeditor.js";
import { ask } from "./socket.js";

const PAUSE = 250;  // milliseconds without a key after which typed text is read
const LONGEST = 30_000;  // characters that the server takes; all hands one by one are 21,000

// Return {element, input, open, refresh(), ready()}. `changed(text)` is called with a text that has been read. `board()` returns the text
// of the board, which may be unfinished. `refresh` is to be called when text or board were changed by others. `ready` returns a
// promise that fails with an Error while it is open what the text means.
export function rangeField({ words, testid, board = () => "", changed = (_text) => {} }) {
  let turn = 0;
  let timer = 0;
  let known = "";  // a text whose weights are known to be what their signs say
  const input = el("textarea", { name: testid, rows: 2, "data-testid": testid, autocomplete: "off", spellcheck: "false", on: {
    input: () => { clearTimeout(timer); timer = setTimeout(refresh, PAUSE); }, change: read } });
  const said = el("p", { class: "muted range-sum", role: "status", "data-testid": `${testid}-sum` });
  const wrong = el("p", { class: "bad", "data-testid": `${testid}-wrong` });
  const question = el("div", {});
  const editor = rangeEditor({ words, testid, write, text: () => input.value, board: () => boardCards(board()) ?? [] });
  const open = el("details", { class: "range-edit" }, el("summary", { "data-testid": `edit-${testid}`, text: "Paint it, keep it, write it for other programs" }), editor.element);
  open.addEventListener("toggle", () => { if (open.open) editor.opened(); });
  const element = el("div", { class: "range-field" }, field(words, input), said, wrong, question, open);

  // Show what the text is. Returns the server's view, null where there is none or the text has changed meanwhile.
  async function refresh(unit = input.value === known ? "" : null, notation = "limpet") {
    const mine = ++turn;
    clearTimeout(timer);
    const text = input.value;
    try {
      if (text.length > LONGEST) throw new Error(`A range has at most ${LONGEST} characters; leave some out.`);
      const view = await ask({ kind: "range.ask", text, board: (boardCards(board()) ?? []).join(""), unit, notation });
      if (mine !== turn || input.value !== text) return null;
      wrong.textContent = "";
      const on = view.possible < 1326 ? " that miss the board" : "";
      said.textContent = `${plain(view.combos, view.combos % 1 ? 2 : 0)} of ${plain(view.possible)} combos${on}, ${(100 * view.combos / view.possible).toFixed(1)} %` +
        (view.unit === "percent" ? ", its weights read as percentages" : "");
      fill(question, view.unit === null ? unitQuestion() : null);
      editor.show(view);
      changed(text);
      return view;
    } catch (error) {
      if (mine !== turn) return null;
      wrong.textContent = error.message;
      said.textContent = "";
      fill(question);
      editor.show(null);
      return null;
    }
  }

  // Show the text, and write it anew if its weights are percentages.
  async function read() {
    const view = await refresh();
    if (view?.unit === "percent") put(view.text);
    return view;
  }

  function put(text) {
    input.value = known = text;
    changed(text);
  }

  // Take another text, and write it anew in a notation.
  async function write(text, notation = "limpet") {
    input.value = text;
    const view = await refresh("", notation);
    if (view) put(view.text);
    else if (notation !== "limpet") {  // the text is right, but cannot be written so
      const why = wrong.textContent;
      await refresh("");
      wrong.textContent = why;
    }
    return Boolean(view);
  }

  function unitQuestion() {
    const answer = (unit, label) => el("button", { type: "button", "data-testid": `${testid}-${unit}`, on: { click: async () => {
      const view = await refresh(unit);
      if (!view) return;
      put(view.text);
      refresh();
    } } }, label);
    return el("p", { class: "row ask", role: "alert" }, el("span", { text: "These weights could be shares, of which 1 is always, or percentages. What are they?" }),
      answer("share", "Shares"), answer("percent", "Percentages"));
  }

  async function ready() {
    const view = await read();
    if (view?.unit === null) {
      question.querySelector("button").focus();
      throw new Error(`${words}: say first whether its weights are shares or percentages.`);
    }
  }
  return { element, input, open, refresh: () => refresh(), ready };
}
