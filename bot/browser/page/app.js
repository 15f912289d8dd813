// The page's beginning: pages by their addresses, and the line to the server.
// `within` is the page whose link stands for one that has none of its own.
// A page is a module that exports show(main, words): it fills <main> and may return a function that ends it.

import { el, fill } from "./dom.js";
import { connect, listen } from "./socket.js";

const PAGES = {
  play: { title: "Play", load: () => import("./play.js") },
  watch: { title: "Watch", load: () => import("./watch.js") },
  replay: { title: "Replay", load: () => import("./replay.js") },
  strategy: { title: "Strategy", load: () => import("./strategy.js") },
  solve: { title: "Solve", load: () => import("./solve.js") },
  compare: { title: "Compare", load: () => import("./compare.js"), within: "solve" },
  boards: { title: "Many boards", load: () => import("./boards.js"), within: "solve" },
  train: { title: "Train", load: () => import("./train.js") },
  review: { title: "Review", load: () => import("./review.js") },
  icm: { title: "ICM", load: () => import("./icm.js") },
  pushfold: { title: "Push/fold", load: () => import("./pushfold.js") },
  jobs: { title: "Jobs", load: () => import("./jobs.js") },
  inside: { title: "Look inside", load: () => import("./inside.js"), within: "play" },
};

const main = document.getElementById("main");
const line = document.getElementById("line");
let end = null;
let shown = 0;

// Return a part of an address as it was written; where it is not, as it is.
function decoded(part) {
  try { return decodeURIComponent(part); } catch { return part; }
}

async function show() {
  const [name, ...words] = location.hash.replace(/^#\/?/, "").split("/").map(decoded);
  const page = name || "play";
  const turn = ++shown;
  for (const link of document.querySelectorAll("#pages a")) {
    if (link.getAttribute("data-page") === (PAGES[page]?.within ?? page)) {
      link.setAttribute("aria-current", "page");
      link.scrollIntoView({ inline: "center", block: "nearest" });  // the head of a narrow page is wider than it
    } else link.removeAttribute("aria-current");
  }
  const known = Object.hasOwn(PAGES, page);
  const module = known ? await PAGES[page].load() : null;
  if (turn !== shown) return;
  if (typeof end === "function") end();
  end = null;
  if (!known) return fill(main, el("p", { class: "bad", role: "alert", text: `There is no page ${page}; choose one above.` }));
  document.title = `${PAGES[page].title} – Limpet`;
  end = module.show(fill(main), words);
}

fill(document.getElementById("pages"), Object.entries(PAGES).filter(([, page]) => !page.within).map(
  ([name, page]) => el("a", { href: `#/${name}`, "data-page": name, text: page.title })));
document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); main.focus(); });  // "#main" is no page
listen("open", () => { line.textContent = ""; });
listen("closed", ({ why }) => { line.textContent = why; });
addEventListener("hashchange", show);
connect();
show();
