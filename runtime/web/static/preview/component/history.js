/**
 * Every render of a component, kept with its request and its answer. A render is a pure function of props, state and
 * action, so any of them can be shown again, and what is pressed then grows a branch: the entries form a tree.
 */

const MOST = 200;

export class History {
  entries = [];
  current = null;
  #numbers = 0;
  #lanes = 0;

  /** `changed()` is called when the entries or the current one changed. */
  constructor(changed) {
    this.changed = changed;
  }

  /** Take in an exchange of a component as the child of what is shown; it is the current one then. */
  add(exchange) {
    const parent = exchange.cause === "start" ? null : this.current;
    const follows = parent === null ? this.entries.length === 0 : !this.entries.some((other) => other.parent === parent);
    if (!follows) this.#lanes += 1;
    const lane = follows ? (parent?.lane ?? 0) : this.#lanes;
    this.#numbers += 1;
    const entry = { ...exchange, number: this.#numbers, parent, lane, report: null };
    this.entries.push(entry);
    for (const removed of this.entries.splice(0, this.entries.length - MOST)) {
      for (const other of this.entries) if (other.parent === removed) other.parent = null;
    }
    this.current = entry;
    this.changed();
    return entry;
  }

  /** Forget all: another component is shown. */
  clear() {
    Object.assign(this, { entries: [], current: null });
    this.#numbers = 0;
    this.#lanes = 0;
    this.changed();
  }

  /** Make an entry the current one; returns the output to show, the state and props that go with it, and its complaint. */
  go(entry) {
    this.current = entry;
    this.changed();
    let ancestor = entry;
    while (ancestor && !ancestor.answer.body?.element) ancestor = ancestor.parent;
    return { output: ancestor?.answer.body ?? null, failed: !entry.answer.ok };
  }

  /** Return the entry before (-1) or after (1) the current one: back along its branch, forward along the newest one. */
  step(by) {
    if (!this.current) return null;
    if (by < 0) return this.current.parent;
    return this.entries.findLast((other) => other.parent === this.current) ?? null;
  }

  /** Tell whether an entry grew beside another one of the same parent. */
  branches(entry) {
    return entry.parent !== null && entry.lane !== entry.parent.lane;
  }
}

/** Word what made a render happen. */
export function causeOf(entry) {
  return { start: "Start", reload: "Reload", props: "Props edited", state: "State edited", context: "Context changed" }[entry.cause] ?? entry.cause;
}

/** Read what the answer's headers say about a render: `{script, caching, age}`; null for what they do not. */
export function headersOf(entry) {
  const { headers } = entry.answer;
  const script = /script;dur=([\d.]+)/.exec(headers.get("Server-Timing") ?? "")?.[1];
  const age = headers.get("Age");
  return { script: script === undefined ? null : Number(script), caching: headers.get("Cache-Control"), age: age === null ? null : Number(age) };
}
