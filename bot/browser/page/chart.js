// Charts as SVG, like those of reports: across in percent of the width, downwards in pixels, colours by the style sheet.

import { el } from "./dom.js";

const HEIGHT = 260;
const BAR_HEIGHT = 42;
const ACROSS = 1000;   // units of the stretched drawing of curves from left to right
const SERIES = 6;      // number of colours
// Share of the samples at the beginning, and number of them, whose band may be wider than the chart is high.
const SETTLED = 0.1;
const FEW = 10;

const series = (number) => `series-${number % SERIES + 1}${number >= SERIES ? " dashed" : ""}`;

// Return a figure of curves {name, samples, mean, half}: lists of equal length, `half` null where it is not known.
export function lineChart(title, across, curves) {
  const right = Math.max(...curves.map((curve) => curve.samples.at(-1)));
  const [low, high] = rangeOfValues(curves);
  const x = (value) => value / right;
  const y = (value) => HEIGHT * (1 - Math.min(Math.max((value - low) / (high - low), -9), 9));
  const point = (sample, value) => `${(ACROSS * x(sample)).toFixed(1)},${y(value).toFixed(1)}`;
  const percent = (value) => `${(100 * x(value)).toFixed(2)}%`;
  const chart = el("svg", { class: "chart lines", role: "img", "aria-label": title, height: HEIGHT },
    ticks(low, high, 5).map((value) => [
      el("line", { class: value ? "grid" : "zero", x1: 0, x2: "100%", y1: y(value), y2: y(value) }),
      el("text", { x: -8, y: y(value) + 4, "text-anchor": "end", text: value.toLocaleString("en") })]),
    ticks(0, right, 4).map((value) => [
      el("line", { class: "grid", x1: percent(value), x2: percent(value), y1: HEIGHT, y2: HEIGHT + 5 }),
      el("text", { x: percent(value), y: HEIGHT + 20, "text-anchor": "middle", text: value.toLocaleString("en") })]),
    el("text", { x: "50%", y: HEIGHT + 38, "text-anchor": "middle", text: across }),
    el("svg", { width: "100%", height: HEIGHT, viewBox: `0 0 ${ACROSS} ${HEIGHT}`, preserveAspectRatio: "none" },
      curves.map((curve, number) => el("g", { class: series(number) }, band(curve, point),
        el("polyline", { class: "curve", points: curve.samples.map((sample, at) => point(sample, curve.mean[at])).join(" ") })))));
  const legend = el("ul", { class: "legend" },
    curves.map((curve, number) => el("li", { class: series(number), text: curve.name })));
  return el("figure", {}, el("figcaption", { text: title }), chart, legend);
}

// Return a figure of bars {label, value, half, text}.
export function barChart(title, bars) {
  const ends = bars.flatMap((bar) => [bar.value - (bar.half ?? 0), bar.value + (bar.half ?? 0)]);
  const low = Math.min(0, ...ends);
  const high = Math.max(0, ...ends, low + 1e-9);
  const percent = (value) => `${(100 * (value - low) / (high - low)).toFixed(2)}%`;
  const rows = bars.map((bar, number) => {
    const y = BAR_HEIGHT * number;
    const [left, right] = bar.value < 0 ? [bar.value, 0] : [0, bar.value];
    return [
      el("text", { class: "label", x: 0, y: y + 15, text: bar.label }),
      el("text", { class: "label", x: "100%", y: y + 15, "text-anchor": "end", text: bar.text }),
      el("g", { class: series(0) },
        el("rect", { class: "bar", x: percent(left), y: y + 22, width: percent(low + right - left), height: 12 })),
      bar.half ? el("line", { class: "whisker", x1: percent(bar.value - bar.half), x2: percent(bar.value + bar.half),
        y1: y + 28, y2: y + 28 }) : null,
      el("line", { class: "zero", x1: percent(0), x2: percent(0), y1: y + 20, y2: y + 36 })];
  });
  return el("figure", {}, el("figcaption", { text: title }),
    el("svg", { class: "chart bars", role: "img", "aria-label": title, height: BAR_HEIGHT * bars.length }, rows));
}

function band(curve, point) {
  const known = curve.samples.map((_, at) => at).filter((at) => curve.half[at] !== null);
  if (!known.length) return null;
  const upper = known.map((at) => point(curve.samples[at], curve.mean[at] + curve.half[at]));
  const lower = known.map((at) => point(curve.samples[at], curve.mean[at] - curve.half[at])).reverse();
  return el("polygon", { class: "band", points: [...upper, ...lower].join(" ") });
}

// Return the lowest and highest value that show 0 and all bands but for their wide beginning.
function rangeOfValues(curves) {
  let low = 0, high = 0;
  for (const curve of curves) {
    const last = curve.samples.at(-1);
    const first = Math.max(SETTLED * last, Math.min(FEW, last / 2));
    curve.samples.forEach((sample, at) => {
      if (sample < first) return;
      low = Math.min(low, curve.mean[at] - (curve.half[at] ?? 0));
      high = Math.max(high, curve.mean[at] + (curve.half[at] ?? 0));
    });
  }
  const margin = 0.05 * (high - low) || 1;
  return [low - margin, high + margin];
}

// Return at most `most` + 1 round numbers from `low` to `high`, evenly spread.
function ticks(low, high, most) {
  const least = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= least * (1 - 1e-9));
  const found = [];
  for (let number = Math.ceil(low / step - 1e-9); number <= high / step + 1e-9; number++) {
    found.push(Number((step * number).toPrecision(12)));
  }
  return found;
}
