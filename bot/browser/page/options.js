// What the person has chosen for all tables, kept in the browser.

import { el, field } from "./dom.js";

const kept = JSON.parse(localStorage.getItem("limpet-options") ?? "{}");

export const options = {
  auto: kept.auto ?? false,
  pause: kept.pause ?? 3000,
  element,
};

function keep() {
  localStorage.setItem("limpet-options", JSON.stringify({ auto: options.auto, pause: options.pause }));
}

function element() {
  const auto = el("input", { type: "checkbox", "data-testid": "auto-deal", checked: options.auto,
    on: { change: () => { options.auto = auto.checked; keep(); } } });
  const pause = el("input", { type: "range", min: 500, max: 8000, step: 500, value: options.pause,
    on: { input: () => { options.pause = Number(pause.value); keep(); } } });
  return el("div", { class: "row options" }, el("label", {}, auto, " Deal the next hand by itself"), field("after a pause of 0.5 to 8 s", pause));
}
