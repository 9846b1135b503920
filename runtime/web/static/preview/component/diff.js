/** What differs between two JSON values, as a tree: elements are paired by what they are, not only by their place. */

import { make } from "/contentkit/dom.js";

const LARGEST = 40_000;
const WORDS = { added: "Added", removed: "Removed", changed: "Changed" };
const same = (before, after) => JSON.stringify(before) === JSON.stringify(after);
const isTree = (value) => typeof value === "object" && value !== null;

/** Compare two values; returns `{kind: same|added|removed|changed|inside, key, before, after, parts}`. */
export function diff(before, after, key = "") {
  if (before === undefined) return { kind: after === undefined ? "same" : "added", key, after };
  if (after === undefined) return { kind: "removed", key, before };
  if (same(before, after)) return { kind: "same", key, before };
  if (Array.isArray(before) && Array.isArray(after)) return { kind: "inside", key, parts: pairs(before, after).map(([old, fresh, at]) => diff(old, fresh, at)) };
  const alike = isTree(before) && isTree(after) && !Array.isArray(before) && !Array.isArray(after) && before.type === after.type;
  if (!alike) return { kind: "changed", key, before, after };
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return { kind: "inside", key, name: before.type, parts: names.map((name) => diff(before[name], after[name], name)) };
}

/** What an element or entry is known by in a list. */
function sign(value) {
  if (!isTree(value)) return typeof value;
  return [value.type, value.state, value.id, value.label ?? value.title].map((part) => (typeof part === "string" ? part : "")).join("|");
}

/** Pair two lists along their longest common subsequence; returns `[before, after, place]`, undefined for what has none. */
function pairs(before, after) {
  const [left, right] = [before.map(sign), after.map(sign)];
  if (left.length * right.length > LARGEST) {
    return Array.from({ length: Math.max(left.length, right.length) }, (_, at) => [before[at], after[at], `[${at}]`]);
  }
  const common = Array.from({ length: left.length + 1 }, () => new Array(right.length + 1).fill(0));
  for (let i = left.length - 1; i >= 0; i -= 1) {
    for (let j = right.length - 1; j >= 0; j -= 1) {
      common[i][j] = left[i] === right[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
    }
  }
  const rows = [];
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && left[i] === right[j]) rows.push([before[i++], after[j], `[${j++}]`]);
    else if (j >= right.length || (i < left.length && common[i + 1][j] >= common[i][j + 1])) rows.push([before[i], undefined, `[${i++}]`]);
    else rows.push([undefined, after[j], `[${j++}]`]);
  }
  return rows;
}

/** Draw a difference as nested lists; each mark is a word, so that it does not hang on color. */
export function drawDiff(difference) {
  if (difference.kind === "same") return make("p", { class: "empty" }, "No differences.");
  return make("ul", { class: "diff" }, part(difference));
}

function part(difference) {
  if (difference.kind === "inside") return inside(difference);
  const words = difference.kind === "changed" ? [make("del", {}, written(difference.before)), " → ", make("ins", {}, written(difference.after))] : [make(difference.kind === "added" ? "ins" : "del", {}, written(difference.kind === "added" ? difference.after : difference.before))];
  return make("li", { "data-kind": difference.kind }, make("span", { class: "diff-mark" }, WORDS[difference.kind]), difference.key ? [" ", make("code", {}, difference.key)] : null, " ", make("span", { class: "diff-value" }, words));
}

function inside(difference) {
  const title = make("span", { class: "diff-title" }, difference.key ? make("code", {}, difference.key) : null, difference.name ? ` ${difference.name}` : null);
  const rows = [];
  let quiet = 0;
  const flush = () => {
    if (quiet) rows.push(make("li", { class: "diff-same" }, `${quiet} unchanged`));
    quiet = 0;
  };
  for (const inner of difference.parts) {
    if (inner.kind === "same") {
      quiet += 1;
      continue;
    }
    flush();
    rows.push(part(inner));
  }
  flush();
  return make("li", {}, title, make("ul", { class: "diff" }, rows));
}

const written = (value) => (typeof value === "string" ? `“${value}”` : JSON.stringify(value, null, isTree(value) ? 2 : 0));
