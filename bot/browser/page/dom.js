// Elements without HTML strings, which the page's security policy would not run anyway.

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
  element.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
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

// Return a sentence in which what stands between backticks is a command.
export function words(text) {
  return text.split("`").map((part, at) => (at % 2 ? el("code", { text: part }) : part));
}
