// Numbers as pages write them.

// Return chips with their sign, 0 without one.
export function signed(chips) {
  const text = Number.isInteger(chips) ? Math.abs(chips).toLocaleString("en") : Math.abs(chips).toFixed(2);
  return chips === 0 ? "0" : `${chips < 0 ? "−" : "+"}${text}`;
}

// Return a number with commas and so many digits behind the point.
export function plain(value, digits = 0) {
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

// Return a rate with its sign and half its 95 % interval, null where it is not known.
export function rate(mean, half, digits = 1) {
  const sign = mean < 0 ? "−" : "+";
  return `${sign}${plain(Math.abs(mean), digits)}${half === null ? "" : ` ± ${plain(half, digits)}`}`;
}

// Return a time, given in seconds since 1970, in short.
export function when(seconds) {
  return new Date(1000 * seconds).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}
