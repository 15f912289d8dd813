// The bets of a spot's menu as text: "33, 75", or by street as in "flop 33; turn 2e; river 50, e"; raises also by their number,
// as in "100 / none". Numbers are in % of the pot.

const STREETS = ["flop", "turn", "river"];
const MOST = 2000;  // largest bet in % of the pot
const WORD = /^(min|all-in|([1-9]\d*)?e)$/;
const MULTIPLE = /^\d+(\.\d+)?x$/;  // of the bet before, so that it is a raise

// Return numbers and words of a list, in which numbers are what `number` makes of them.
export function listOf(text, number = (value) => value) {
  return text.split(/[,\s]+/).filter(Boolean).map((word) => (Number.isNaN(Number(word)) ? word : number(Number(word))));
}

// Return the sizes of a list. Fails with an Error that names the field for what is no size.
function sizesOf(text, name, raises) {
  if (text.trim() === "none") return [];
  const wrong = listOf(text, String).find((word) => !(Number(word) > 0 && Number(word) <= MOST || WORD.test(word) || raises && MULTIPLE.test(word)));
  if (wrong) throw new Error(`${name}: ${wrong} does not fit; write % of the pot, up to ${MOST}, or ${raises ? "2.5x, " : ""}min, e, 2e, all-in or none.`);
  return listOf(text, (percent) => percent / 100);
}

function listText(sizes) {
  return sizes.map((size) => (typeof size === "number" ? +(100 * size).toFixed(6) : size)).join(", ") || "none";
}

// Return {bets, raises}, the texts of a menu's sizes; null has empty ones.
export function textsOf(sizes) {
  if (!sizes) return { bets: "", raises: "" };
  const streets = STREETS.map((_, at) => depthsOf(sizes, at + 1));
  const most = Math.max(...streets.map((depths) => depths.length));
  const later = streets.map((depths) => Array.from({ length: most - 1 }, (_, at) => listText(depths[Math.min(at + 1, depths.length - 1)])).join(" / "));
  return { bets: joined(streets.map(([first]) => listText(first))), raises: joined(later) };
}

// Return the lists of sizes of a round, by the number of raises before.
function depthsOf(sizes, round) {
  if (Array.isArray(sizes)) return sizes[Math.min(round, sizes.length - 1)];
  const given = ["preflop", ...STREETS].map((street) => sizes[street]);
  return given.slice(0, round + 1).filter(Boolean).at(-1) ?? given.find(Boolean);
}

function joined(texts) {
  return texts.every((text) => text === texts[0]) ? texts[0] : texts.map((text, at) => `${STREETS[at]} ${text}`).join("; ");
}

// Return the sizes that two texts say, as a menu has them; null where both are empty. Fails with an Error that names the field that is wrong.
export function menuSizes(bets, raises, names = ["Bets", "Raises"]) {
  if (!`${bets}${raises}`.trim()) return null;
  const [first, later] = [bets, raises].map(byStreet);
  const depths = (street) => [sizesOf(first(street), names[0], false), ...later(street).split("/").filter((part) => part.trim()).map((part) => sizesOf(part, names[1], true))];
  return `${bets};${raises}`.split(";").some(streetOf) ? Object.fromEntries(STREETS.map((street) => [street, depths(street)])) : [depths("flop")];
}

function streetOf(part) {
  return STREETS.find((street) => new RegExp(`^\\s*${street}\\b`).test(part));
}

// Return a function that finds a street's part: its own, else that of the street before it, else the first.
function byStreet(text) {
  const parts = text.split(";").filter((part) => part.trim()).map((part) => [streetOf(part) ?? "flop", part.replace(streetOf(part) ?? "", "")]);
  return (street) => (parts.filter(([own]) => STREETS.indexOf(own) <= STREETS.indexOf(street)).at(-1) ?? parts[0] ?? ["", ""])[1];
}
