// Elements without HTML strings, which the page's security policy would not run anyway.

import { Lost } from "./socket.js";

const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(["svg", "g", "path", "rect", "circle", "line", "polyline", "polygon", "text", "title", "defs", "use"]);

// Return a new element. Properties: `on` has handlers by event, `style` custom properties and styles by name, `text` the
// text; true writes an empty attribute, false, null and undefined none. Children are elements, texts, or lists of them.
export function el(tag, properties = {}, ...children) {
  const made = SVG_TAGS.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "on") for (const [event, handler] of Object.entries(value)) made.addEventListener(event, handler);
    else if (name === "style") for (const [key, text] of Object.entries(value)) made.style.setProperty(key, text);
    else if (name === "text") made.textContent = value;
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

// Replace an element's children.
export function fill(element, ...children) {
  const held = element.contains(document.activeElement) ? document.activeElement : null;
  element.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  if (held && !held.isConnected) renewed(element, held)?.focus({ preventScroll: true });
  return element;
}

// Return what stands now for a link or a control that had the focus: by its address, or by its name for tests.
function renewed(element, held) {
  const mark = held.hasAttribute("href") ? "href" : "data-testid";
  const name = held.getAttribute(mark);
  return name && [...element.querySelectorAll(held.tagName)].find((other) => other.getAttribute(mark) === name);
}

// An element that scrolls can be reached, and scrolled, by keyboard while it does.
const scrolling = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth || target.scrollHeight > target.clientHeight) target.setAttribute("tabindex", "0");
    else target.removeAttribute("tabindex");
  }
});

// Return an element that may scroll.
export function scrolls(element) {
  scrolling.observe(element);
  return element;
}

// Return a box for what may be wider than the page.
export function wide(...children) {
  return scrolls(el("div", { class: "wide" }, children));
}

// Return a labelled form field: a label around its words and the control.
export function field(words, control) {
  return el("label", { class: "field" }, el("span", { text: words }), control);
}

// Return a table: its properties, what stands above its columns, texts or elements, and its rows.
export function table(properties, headings, ...rows) {
  const heads = headings.flat().map((each) => (each instanceof Node ? each : each === null ? null : el("th", { scope: "col", text: each })));
  return el("table", properties, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, rows));
}

// Return {wrong, told}: a line for what goes wrong, and a function that returns the value of a promise, or says there why it failed and
// returns null. The line is cleared first, unless `fresh` is false; that the connection is lost it says until the next answer.
export function alertLine(tag = "p") {
  const wrong = el(tag, { class: "bad", role: "alert" });
  let lost = false;
  async function told(promise, fresh = true) {
    if (fresh) wrong.textContent = "";
    try {
      const value = await promise;
      if (lost) wrong.textContent = "";
      lost = false;
      return value;
    } catch (error) {
      wrong.textContent = error.message;
      lost = error instanceof Lost;
      return null;
    }
  }
  return { wrong, told };
}

// Write the address of what an element shows, unless its page was left meanwhile: it stands there until the next one is loaded.
export function readdress(element, address) {
  const page = (hash) => hash.replace(/^#\/?/, "").split("/")[0];
  if (element.isConnected && page(location.hash) === page(address)) history.replaceState(null, "", address);
}

// Return the heading of a page, and what it is for.
export function heading(title, purpose) {
  return [el("h1", {}, title), el("p", { class: "muted purpose", text: purpose })];
}

// Return a sentence in which what stands between backticks is a command.
export function words(text) {
  return text.split("`").map((part, at) => (at % 2 ? el("code", { text: part }) : part));
}
