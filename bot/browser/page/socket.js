// The one WebSocket: questions with answers, and events. It connects again by itself after a loss.

const listeners = new Map();  // handlers by kind of event
const waiting = new Map();    // promises by the number of the question
const MOST_BYTES = 64 * 2 ** 10;  // of a message: the server ends the connection for more
const queue = [];             // questions asked while there is no connection
let socket = null;
let number = 0;
let pause = 250;
let refused = 0;              // connections that a server which is there has refused, one after another

// The connection was lost before an answer came.
export class Lost extends Error {}

// Ask the server. Returns a promise of the answer's value; it fails with an Error whose message is the server's sentence.
export function ask(message) {
  return new Promise((resolve, reject) => {
    const id = ++number;
    const text = JSON.stringify({ ...message, id });
    if (new TextEncoder().encode(text).length > MOST_BYTES) throw new Error("That is more than 64 KB, the most that the page may send at once; shorten it, or give the command a file.");
    waiting.set(id, { resolve, reject });
    if (socket && socket.readyState === WebSocket.OPEN) socket.send(text);
    else queue.push(text);
  });
}

// Call `handler` with every event of a kind, such as "play.table"; "open" and "closed" tell of the connection itself.
// Returns a function that ends this.
export function listen(kind, handler) {
  if (!listeners.has(kind)) listeners.set(kind, new Set());
  listeners.get(kind).add(handler);
  return () => listeners.get(kind).delete(handler);
}

function tell(kind, message) {
  for (const handler of listeners.get(kind) ?? []) handler(message);
}

function receive(text) {
  const message = JSON.parse(text);
  if (message.kind !== "answer" && message.kind !== "refused") return tell(message.kind, message);
  const question = waiting.get(message.id);
  waiting.delete(message.id);
  if (message.kind === "answer") question?.resolve(message.value);
  else if (question) question.reject(new Error(message.why));
  else console.error(message.why);
}

export function connect() {
  const token = new URLSearchParams(location.search).get("token");
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  socket = new WebSocket(`${scheme}://${location.host}/socket${token ? `?token=${encodeURIComponent(token)}` : ""}`);
  socket.onopen = () => {
    pause = 250;
    refused = 0;
    queue.splice(0).forEach((text) => socket.send(text));
    tell("open", {});
  };
  socket.onmessage = (event) => receive(event.data);
  socket.onclose = () => {
    for (const question of waiting.values()) question.reject(new Lost("The connection to limpet table is lost."));
    waiting.clear();
    queue.length = 0;
    tell("closed", { why: refused > 1 ? "limpet table takes no connection by this address: an invitation ends with its table. Ask the host for a new link." : "No connection to limpet table; trying again …" });
    setTimeout(again, pause);
    pause = Math.min(2 * pause, 4000);
  };
}

// Connect again. A server that was started again has a new secret, which its page hands out.
async function again() {
  try {
    const page = await fetch(`/${location.search}`, { cache: "no-store" });
    if (page.status === 403) tell("closed", { why: "limpet table was started with another token; open the address that it printed." });
    else {
      refused += 1;
      return connect();
    }
  } catch { refused = 0; }  // nobody listens yet
  setTimeout(again, pause);
  pause = Math.min(2 * pause, 4000);
}
