/** Writing numbers and moments for people. */

/** Write a duration. */
export function milliseconds(value) {
  if (!Number.isFinite(value)) return "–";
  if (value >= 10_000) return `${Math.round(value / 1000)} s`;
  if (value >= 1000) return `${(value / 1000).toFixed(1)} s`;
  if (value >= 10) return `${Math.round(value)} ms`;
  return `${value.toFixed(value >= 1 || value === 0 ? 1 : 2)} ms`;
}

/** Write a size. */
export function bytes(value) {
  if (!Number.isFinite(value)) return "–";
  const [unit, name] = value >= 1024 * 1024 ? [1024 * 1024, "MB"] : [1024, "KB"];
  if (value < unit) return `${value} ${value === 1 ? "byte" : "bytes"}`;
  const number = value / unit;
  return `${number.toFixed(number >= 10 || Number.isInteger(number) ? 0 : 1)} ${name}`;
}

/** Write the time of day of a moment: text, or seconds or milliseconds since the epoch. */
export function clock(at) {
  const date = new Date(typeof at === "number" && at < 1e11 ? at * 1000 : at);
  return Number.isNaN(date.getTime()) ? "" : date.toLocaleTimeString([], { hour12: false });
}
