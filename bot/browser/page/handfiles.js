// Files of hands are chosen: from the server's folders, or dropped on the page and sent to the server.

import { el, fill } from "./dom.js";
import { plain } from "./numbers.js";
import { ask } from "./socket.js";

const PART = 45000;   // bytes of a message, see bot/browser/reviewing.py
const MOST_BYTES = 64 * 2 ** 20;
const MOST_FILES = 500;
const LONGEST = 60000;  // characters of all names, which one message holds
const KINDS = ".txt,.log,.phh,.phhs,.game,.gz,.bz2,.xz";

// Return {element, files()}. `changed(names)` is called with the names of all chosen files, none where they are too many;
// `told(promise)` shows what goes wrong.
export function handFiles({ changed, told }) {
  const chosen = new Set();
  const sending = el("p", { role: "status", "data-testid": "sending" });
  const list = el("ul", { class: "chosen-files", "data-testid": "chosen" });
  const known = el("div", {});
  const input = el("input", { type: "file", multiple: true, accept: KINDS, "data-testid": "files", "aria-label": "Files of hands", on: { change: () => send([...input.files]) } });
  const zone = el("div", { class: "drop", on: { dragover, dragleave: () => zone.classList.remove("over"), drop } },
    el("p", {}, "Drop files of hands here, or choose them: ", input),
    el("p", { class: "muted", text: "PokerStars' text, PHH, and logs of ACPC dealers with their .game file beside them; packed or not, up to 64 MB each." }));
  const details = el("details", { on: { toggle: () => { if (details.open) listKnown(); } } },
    el("summary", { text: "Files below the folder of limpet table" }), known);

  function dragover(event) {
    event.preventDefault();
    zone.classList.add("over");
  }

  function drop(event) {
    event.preventDefault();
    zone.classList.remove("over");
    send([...event.dataTransfer.files]);
  }

  // Send files one after the other, games first: a log is read with the game beside it.
  async function send(files) {
    const wrong = [];  // what is told of files that cannot be sent, once all others are
    for (const file of files.sort((a, b) => b.name.endsWith(".game") - a.name.endsWith(".game"))) {
      const name = await sent(file).catch((error) => { wrong.push(error.message); });
      if (name && !name.endsWith(".game")) chosen.add(name);
    }
    input.value = "";
    sending.textContent = wrong.join(" ");
    sending.classList.toggle("bad", wrong.length > 0);
    draw();
  }

  async function sent(file) {
    if (!file.size) throw new Error(`${file.name} is empty.`);
    if (file.size > MOST_BYTES) throw new Error(`${file.name} has more than 64 MB; put it below the folder of limpet table, and choose it there.`);
    for (let offset = 0; ; offset += PART) {
      const data = await base64(file.slice(offset, offset + PART));
      sending.textContent = `Sending ${file.name}: ${Math.floor(100 * offset / file.size)} %`;
      const name = await ask({ kind: "review.send", name: file.name.slice(-300), size: file.size, offset, data });
      if (name) return name;
    }
  }

  async function listKnown() {
    const files = await told(ask({ kind: "replay.files" }));
    fill(known, files?.length ? el("ul", { class: "known-files" }, files.map((file) => el("li", {}, el("label", {},
      el("input", { type: "checkbox", checked: chosen.has(file.path), on: { change: ({ target }) => { if (target.checked) chosen.add(file.path); else chosen.delete(file.path); draw(); } } }),
      ` ${file.path} `, el("span", { class: "muted", text: `${plain(file.size / 1e3, 1)} kB` }))))) : el("p", { class: "muted", text: "There are none." }));
  }

  function draw() {
    fill(list, [...chosen].map((name) => el("li", {}, `${name} `, el("button", { type: "button", class: "other", "aria-label": `leave out ${name}`,
      on: { click: () => { chosen.delete(name); draw(); if (details.open) listKnown(); } } }, "leave out"))));
    const names = [...chosen];
    if (names.length <= MOST_FILES && names.join().length <= LONGEST) return changed(names);
    changed([]);
    told(Promise.reject(new Error(`These are ${names.length} files; join some, because ${MOST_FILES} can be reviewed together.`)));
  }
  return { element: el("div", {}, zone, sending, details, list), files: () => [...chosen] };
}

function base64(blob) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(",")[1] ?? "");
    reader.onerror = () => reject(new Error("This file cannot be read; choose it again."));
    reader.readAsDataURL(blob);
  });
}
