/** The live list of events with its filters, and the detail of the one that is chosen. */

import { make } from "/contentkit/dom.js";
import { icon } from "/contentkit/icons.js";
import { EventActions } from "./actions.js";
import { detailOf } from "./detail.js";
import { clock, milliseconds } from "../shared/format.js";
import { endingOf, toneOf } from "./endings.js";
import { call } from "../shared/session.js";

const PAUSE = 60;
const SIGNS = { success: "check", quiet: "more", queued: "more", failed: "warning" };

/** Events newest first; the newest one is shown in detail until the person picks another. */
export class EventLog {
  #rows = new Map();
  #chosen = null;
  #shown = null;
  #following = true;
  #timer = 0;

  /**
   * `filters` are fields by what they filter: text, quiet, type, status, installation, since. `fetch()` resolves to the
   * latest events, `most` of which are kept. With `ticked(items)` the rows can be ticked, and it is called with those that are.
   */
  constructor({ name, list, detail, filters, followButton, count, fetch, most = 200, ticked }) {
    Object.assign(this, { name, list, detail, filters, followButton, count, most, ticked, items: [], ticks: new Set() });
    this.fetch = fetch ?? (() => this.#latest());
    this.path = `/v1/integrations/${encodeURIComponent(name)}/events`;
    this.actions = new EventActions({ name, sent: () => this.#follow(true) });
    for (const field of Object.values(filters)) field?.addEventListener(field.type === "search" ? "input" : "change", () => this.filter());
    followButton.addEventListener("click", () => this.#follow(true));
    list.addEventListener("keydown", (event) => this.#move(event));
  }

  /** Load the latest events again, after the line was broken; what comes in meanwhile stays. */
  async load() {
    const before = new Set(this.items);
    const items = await this.fetch();
    if (!items) return;
    const listed = new Set(items.map(({ id }) => id));
    this.items = [...this.items.filter((item) => !before.has(item) && !listed.has(item.id)), ...items];
    this.#rows.clear();
    this.list.replaceChildren(...this.items.map((item) => this.#row(item)));
    this.filter();
    if (this.#following) this.#showNewest();
  }

  /** Take in one event as it happens. */
  add(item) {
    const known = this.#rows.get(item.id);
    if (known) {
      this.items = this.items.map((one) => (one.id === item.id ? { ...one, ...item } : one));
      known.replaceWith(this.#row(item));
    } else {
      this.items.unshift(item);
      this.list.prepend(this.#row(item));
      for (const old of this.items.splice(this.most)) {
        this.#rows.get(old.id)?.remove();
        this.#rows.delete(old.id);
        this.ticks.delete(old.id);
      }
    }
    this.filter();
    if (this.#following) this.#showNewest();
    else if (item.id === this.#chosen) this.#show(item.id);
  }

  /** Show the events that pass the filters, and hide the others. */
  filter() {
    let shown = 0;
    for (const item of this.items) {
      const passes = this.#passes(item);
      this.#rows.get(item.id).hidden = !passes;
      shown += passes ? 1 : 0;
    }
    this.count.textContent = String(shown);
    this.list.classList.toggle("is-empty", shown === 0);
  }

  async #latest() {
    const answer = await call(`/preview/api/${encodeURIComponent(this.name)}/events?limit=50`);
    return answer.ok ? (answer.body.items ?? []) : null;
  }

  #row(item) {
    const tone = toneOf(item);
    const press = make(
      "button",
      {
        type: "button",
        class: "event",
        "data-id": item.id,
        "aria-current": item.id === this.#chosen ? "true" : null,
        onclick: () => {
          this.#follow(false);
          this.#show(item.id);
        },
      },
      make("span", { class: "event-status", "data-tone": tone }, icon(SIGNS[tone])),
      make("span", { class: "event-what" }, make("span", { class: "event-type" }, item.type), item.subject ? [" ", make("span", { class: "event-subject" }, item.subject)] : null),
      make("span", { class: "event-duration" }, Number.isFinite(item.durationMs) ? milliseconds(item.durationMs) : ""),
      make("time", { class: "event-time", datetime: item.createdAt }, clock(item.createdAt)),
      make("span", { class: "event-more" }, make("span", { class: "event-ending", "data-tone": tone }, endingOf(item)), " ", make("code", { class: "event-id" }, item.id)),
    );
    const row = make("li", {}, this.ticked ? this.#tick(item) : null, press);
    this.#rows.set(item.id, row);
    return row;
  }

  #tick(item) {
    const box = make("input", {
      type: "checkbox",
      "aria-label": `Select ${item.type} of ${clock(item.createdAt)}`,
      checked: this.ticks.has(item.id),
      onchange: () => {
        if (box.checked) this.ticks.add(item.id);
        else this.ticks.delete(item.id);
        this.ticked([...this.ticks]);
      },
    });
    return box;
  }

  /** Give events that are listed their payloads, so that their text can be searched, and what those were about. */
  complete(items) {
    const known = new Map(items.map((item) => [item.id, item]));
    for (const item of this.items) {
      const { payload, subject } = known.get(item.id) ?? {};
      item.payload ??= payload;
      if (!subject || item.subject) continue;
      item.subject = subject;
      this.#rows.get(item.id).replaceWith(this.#row(item));
    }
    this.filter();
  }

  #passes(item) {
    const value = (key) => this.filters[key]?.value ?? "";
    const text = value("text").trim().toLowerCase();
    const words = () => `${item.id} ${item.type} ${item.subject ?? ""} ${item.payload ? JSON.stringify(item.payload) : ""}`.toLowerCase();
    return (
      (!text || words().includes(text)) &&
      !(this.filters.quiet?.checked && item.type === "ui_render") &&
      (!value("type") || item.type === value("type")) &&
      (!value("status") || toneOf(item) === value("status")) &&
      (!value("installation") || item.installationId === value("installation")) &&
      (!value("since") || Date.now() - Date.parse(item.createdAt) <= Number(value("since")) * 1000)
    );
  }

  #follow(on) {
    this.#following = on;
    this.followButton.setAttribute("aria-pressed", String(on));
    if (on) this.#showNewest();
    else clearTimeout(this.#timer); // what somebody chose must not give way to what came in before
  }

  #showNewest() {
    clearTimeout(this.#timer);
    // Many events in a row are one look at the last of them.
    this.#timer = setTimeout(() => {
      const newest = this.items.find((item) => this.#passes(item));
      if (newest) this.#show(newest.id);
    }, PAUSE);
  }

  #move(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !event.target.matches(".event")) return;
    event.preventDefault();
    const rows = [...this.list.querySelectorAll("li:not([hidden]) > .event")];
    const next = rows[Math.max(0, Math.min(rows.length - 1, rows.indexOf(event.target) + step))];
    next?.focus();
    next?.click();
  }

  async #show(id) {
    // Until its detail is here, what is seen is another event's, and must not be sent again in place of this one.
    this.detail.inert = id !== this.#shown;
    this.#chosen = id;
    for (const [key, row] of this.#rows) {
      if (key === id) row.lastChild.setAttribute("aria-current", "true");
      else row.lastChild.removeAttribute("aria-current");
    }
    const answer = await call(`${this.path}/${encodeURIComponent(id)}`);
    if (this.#chosen !== id) return;
    this.#shown = id;
    this.detail.inert = false;
    if (answer.ok) this.detail.replaceChildren(...detailOf(answer.body, this.actions.buttons({ ...answer.body.event, body: answer.body.body })));
    else this.detail.replaceChildren(make("p", { class: "empty" }, answer.body?.error?.message ?? "This event no longer exists"));
  }
}
