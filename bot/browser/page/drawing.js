// Cards to exchange: a click marks a card of one's own, and a button throws the marked ones away.

import { el } from "./dom.js";

// Return {element, show(hand, place)}: `place` is the element of the person's cards, null for `hand` hides all.
// `draw(cards)` is called with the marked cards, as in "7d2h".
export function drawControls(draw) {
  const marked = new Set();
  const button = el("button", { class: "main", hidden: true, "data-testid": "draw", on: { click: () => draw([...marked].join("")) } });

  function name() { button.textContent = marked.size ? `Draw ${marked.size}` : "Stand pat"; }
  function show(hand, place) {
    button.hidden = !hand;
    marked.clear();
    name();
    for (const picture of place?.children ?? []) {
      const card = picture.dataset.card;
      picture.classList.remove("marked");
      picture.onclick = hand ? () => mark(picture, card, hand.choice.discards) : null;
      picture.onkeydown = hand ? (event) => { if (["Enter", " "].includes(event.key)) { event.preventDefault(); mark(picture, card, hand.choice.discards); } } : null;
      picture.setAttribute("role", hand ? "button" : "img");
      if (hand) { picture.setAttribute("tabindex", "0"); picture.setAttribute("aria-pressed", "false"); }
      else { picture.removeAttribute("tabindex"); picture.removeAttribute("aria-pressed"); }
    }
  }
  function mark(picture, card, most) {
    if (!marked.delete(card) && marked.size < most) marked.add(card);
    picture.classList.toggle("marked", marked.has(card));
    picture.setAttribute("aria-pressed", String(marked.has(card)));
    name();
  }
  return { element: button, show };
}
