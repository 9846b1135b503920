/** The renders of a component as a list to step through, and the difference between two of them. */

import { make } from "/contentkit/dom.js";
import { Overlay } from "/contentkit/overlay.js";
import { diff, drawDiff } from "./diff.js";
import { clock, milliseconds } from "../shared/format.js";
import { causeOf, headersOf } from "./history.js";

const DEEPEST = 6;

/** Draws a History; `choose(entry)` is called when somebody goes to an entry. */
export class HistoryView {
  #compared = new Set();

  constructor({ history, list, count, compare, back, forward, place, choose }) {
    Object.assign(this, { history, list, count, compare, back, forward, place, choose });
    back.addEventListener("click", () => this.#step(-1));
    forward.addEventListener("click", () => this.#step(1));
    compare.addEventListener("click", () => this.#difference());
    list.addEventListener("keydown", (event) => this.#move(event));
    document.addEventListener("keydown", (event) => {
      const by = { BracketLeft: -1, BracketRight: 1 }[event.code];
      if (!by || !event.altKey || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      this.#step(by);
    });
  }

  /** Draw what there is now. */
  draw() {
    const { entries, current } = this.history;
    this.#compared = new Set([...this.#compared].filter((entry) => entries.includes(entry)));
    const had = this.list.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    this.list.replaceChildren(...entries.map((entry) => this.#row(entry)));
    if (had) this.list.querySelector(`[data-key="${had}"]`)?.focus();
    this.list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
    this.count.textContent = String(entries.length);
    this.place.textContent = current ? `Render ${current.number} of ${entries.at(-1).number}` : "";
    this.back.disabled = !this.history.step(-1);
    this.forward.disabled = !this.history.step(1);
    this.#marked();
  }

  #row(entry) {
    const { answer, number } = entry;
    const from = this.history.branches(entry) ? make("span", { class: "render-branch" }, ` branch of ${entry.parent.number}`) : null;
    const { script, age, caching } = headersOf(entry);
    const cached = script === null && age !== null && answer.ok ? make("span", { class: "badge" }, "cached") : null;
    const tick = make("input", {
      type: "checkbox",
      "aria-label": `Compare render ${number}`,
      "data-key": `tick-${number}`,
      checked: this.#compared.has(entry),
      onchange: () => {
        if (tick.checked) this.#compared.add(entry);
        else this.#compared.delete(entry);
        this.#marked();
      },
    });
    const press = make(
      "button",
      { type: "button", class: "render", "data-key": `render-${number}`, title: caching ? `Cache-Control: ${caching}` : null, "aria-current": entry === this.history.current ? "true" : null, onclick: () => this.choose(entry) },
      make("span", { class: "render-number" }, String(number)),
      make("span", { class: "render-cause" }, causeOf(entry), from),
      cached,
      make("span", { class: "badge", "data-status": answer.ok ? null : "failed" }, answer.body?.type === "complete" ? "complete" : String(answer.status || "–")),
      make("span", { class: "render-time" }, milliseconds(entry.ms)),
      make("time", { class: "render-time" }, clock(entry.at)),
    );
    return make("li", { "data-lane": String(Math.min(entry.lane, DEEPEST)) }, tick, press);
  }

  #marked() {
    this.compare.disabled = this.#compared.size !== 2;
  }

  #step(by) {
    const next = this.history.step(by);
    if (next) this.choose(next);
  }

  #move(event) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by || !event.target.matches(".render")) return;
    event.preventDefault();
    const all = [...this.list.querySelectorAll(".render")];
    const next = all[Math.max(0, Math.min(all.length - 1, all.indexOf(event.target) + by))];
    next.focus();
    next.click();
  }

  #difference() {
    const [before, after] = [...this.#compared].sort((first, second) => first.number - second.number);
    const overlay = new Overlay({ title: `Render ${before.number} and render ${after.number}`, size: "xlarge", onClose: () => overlay.close() });
    const section = (title, old, fresh) => make("section", { class: "diff-section" }, make("h3", {}, title), drawDiff(diff(old, fresh)));
    const outputs = [before, after].map((entry) => entry.answer.body ?? {});
    overlay.body.append(
      section("Output", outputs[0].element, outputs[1].element),
      section("State", outputs[0].state, outputs[1].state),
      section("Props", outputs[0].props, outputs[1].props),
      section("Request", before.request, after.request),
    );
  }
}
