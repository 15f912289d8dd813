// A spot as the text of a spot's file: written from the form, copied and saved; and read into the form.

import { el } from "./dom.js";
import { saveText } from "./picture.js";
import { ask } from "./socket.js";

// Return the part of a page. `spot()` returns the spot that the form says; `take(form)` fills the form with another one; `told` shows
// what a promise fails by.
export function spotFile({ spot, take, told }) {
  const text = el("textarea", { rows: 12, maxlength: 60_000, spellcheck: "false", "data-testid": "spot-text", "aria-label": "Text of the spot's file" });
  const said = el("span", { role: "status", "data-testid": "spot-said" });
  const file = el("input", { type: "file", accept: ".yaml,.yml", hidden: true, "data-testid": "spot-file", on: { change: () => told(open()) } });
  const button = (words, testid, work) => el("button", { type: "button", "data-testid": testid, on: { click: () => told(work()) } }, words);
  const element = el("details", { class: "whole", on: { toggle: () => { if (element.open && !text.value) told(write()); } } },
    el("summary", { "data-testid": "as-file", text: "The spot as a file" }),
    el("p", { class: "muted", text: "What the fields say, as limpet solve reads it; and the other way round." }), text,
    el("p", { class: "row" }, button("Write the fields here", "write-spot", write), button("Copy", "copy-spot", copy), button("Save as spot.yaml", "save-spot", save),
      button("Fill the fields from this text", "read-spot", read), button("Open a file", "open-spot", async () => file.click()), file, said));

  async function write() {
    said.textContent = "";
    text.value = await ask({ kind: "solve.write", spot: spot() });
  }
  async function copy() {
    await write();
    text.select();
    await navigator.clipboard?.writeText(text.value).then(() => { said.textContent = "Copied."; }, () => {});  // else the person copies what is selected
  }
  async function save() {
    await write();
    saveText(text.value, "spot.yaml");
  }
  async function read() {
    said.textContent = "";
    take(await ask({ kind: "solve.read", text: text.value }));
    said.textContent = "The fields say it now.";
  }
  async function open() {
    text.value = await file.files[0].text();
    file.value = "";
    await read();
  }
  return element;
}
