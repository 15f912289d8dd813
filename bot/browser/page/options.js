// What the person has chosen for all tables, kept in the browser: {auto, pause, blinds, sound, sizes, turn, keys}.

import { el, field, fill } from "./dom.js";

const PLACE = "limpet-options";
const MOST_SIZES = 8;
const KEYS = { fold: ["f", "Fold"], call: ["c", "Check or call"], raise: ["r", "Bet or raise"], deal: ["d", "Deal"],
  give: ["x", "Check/fold ahead"], any: ["z", "Call any ahead"] };  // by action: the usual key, and what it does
const USUAL = { auto: false, pause: 3000, blinds: false, sound: false, sizes: "33 50 67 100 150", turn: 0 };

const usualKeys = Object.fromEntries(Object.entries(KEYS).map(([action, [key]]) => [action, key]));

export const options = { ...USUAL, keys: usualKeys };
readKept();

// Take what is kept, which another tab may have changed.
function readKept() {
  const kept = JSON.parse(localStorage.getItem(PLACE) ?? "{}");
  Object.assign(options, kept, { keys: { ...usualKeys, ...kept.keys } });
}

// Return whether a key that is pressed is an action's, with Shift or Caps Lock too.
export function isKey(event, action) {
  return event.key.toLowerCase() === options.keys[action];
}

// Return an amount of chips as the person reads amounts: "2.5 bb", or "250".
export function amountText(chips, blind) {
  return options.blinds ? `${inUnit(chips, blind)} bb` : String(chips);
}

// Return the number of an amount as the person types it.
export function inUnit(chips, blind) {
  return options.blinds ? Number((chips / blind).toFixed(2)) : chips;
}

// Return the bets of the person's list, the smallest numbers first: {words, percent} of the pot, or {words, blinds} in total.
export function betSizes() {
  return sizesIn(options.sizes).map(([number, unit]) => (unit ? { words: `${number} bb`, blinds: number }
    : { words: number === 100 ? "Pot" : `${number}%`, percent: number }));
}

function sizesIn(text) {
  return [...text.matchAll(/(\d+(?:\.\d+)?)\s*(bb)?/gi)].map(([, number, unit]) => [Number(number), unit]).filter(([number]) => number > 0).slice(0, MOST_SIZES);
}

// Return {element, end()}: the form of all choices. `changed()` is called after each change, those in other tabs too.
export function settings(changed) {
  const element = el("details", { class: "panel settings", "data-testid": "settings" });
  function keep(name, value) {
    readKept();
    options[name] = value;
    localStorage.setItem(PLACE, JSON.stringify(options));
    changed();
  }
  function otherTab(event) {
    if (event.key !== PLACE) return;
    readKept();
    fill(element, fields(keep));
    changed();
  }
  addEventListener("storage", otherTab);
  fill(element, fields(keep));
  return { element, end: () => removeEventListener("storage", otherTab) };
}

// Return the fields of all choices; `keep(name, value)` is called with each that is made.
function fields(keep) {
  const box = (name, words, testid) => {
    const input = el("input", { type: "checkbox", "data-testid": testid, checked: options[name], on: { change: () => keep(name, input.checked) } });
    return el("label", {}, input, ` ${words}`);
  };
  const pause = el("input", { type: "range", min: 500, max: 8000, step: 500, value: options.pause, on: { input: () => keep("pause", Number(pause.value)) } });
  const sizes = el("input", { "data-testid": "sizes", value: options.sizes, maxlength: 80, on: { change: () => {
    const list = sizesIn(sizes.value).map(([number, unit]) => `${number}${unit ? "bb" : ""}`).join(" ");
    sizes.value = list || USUAL.sizes;
    keep("sizes", sizes.value);
  } } });
  const turn = el("button", { "data-testid": "turn", on: { click: () => keep("turn", options.turn + 1) } }, "Turn the table by a seat");
  const keys = Object.entries(KEYS).map(([action, [, words]]) => field(words, keyInput(action, (keyNames) => keep("keys", keyNames))));
  return [el("summary", { text: "Settings" }),
    el("p", {}, box("blinds", "Amounts in big blinds", "blinds")), el("p", {}, box("sound", "Sounds", "sound")),
    el("p", {}, box("auto", "Deal the next hand by itself", "auto-deal")), field("after a pause of 0.5 to 8 s", pause),
    field("Bets in % of the pot, or as in 2.5bb", sizes), el("p", {}, turn), el("fieldset", { class: "keys" }, el("legend", { text: "Keys" }), keys)];
}

// Return the field of an action's key: pressing a letter there makes it the key, unless another action has it.
function keyInput(action, keep) {
  const input = el("input", { "data-testid": `key-${action}`, size: 2, maxlength: 1, autocomplete: "off", value: options.keys[action], on: { input: () => {
    const key = input.value.toLowerCase();
    const taken = Object.entries(options.keys).some(([other, used]) => other !== action && used === key);
    if (/^[^\s\d.]$/.test(key) && !taken) keep({ ...options.keys, [action]: key });
    input.setCustomValidity(key && options.keys[action] !== key ? "Choose a letter that no other action has." : "");
    if (key) { input.reportValidity(); input.value = options.keys[action]; input.select(); }
  }, focus: () => input.select(), blur: () => { input.value = options.keys[action]; input.setCustomValidity(""); } } });
  return input;
}
