/** The list of events below, and the trace of one of them. */

import { make } from "./dom.js";
import { icon } from "./icons.js";
import { call } from "./session.js";

const MOST = 200;
const PAUSE = 60;

const USAGE = [
  ["wallMs", "Time", milliseconds],
  ["cpuMs", "CPU", milliseconds],
  ["memoryBytes", "Memory", bytes],
  ["subrequests", "Requests", String],
  ["logBytes", "Log", bytes],
  ["responseBytes", "Response", bytes],
];

/** Write a duration. */
export function milliseconds(value) {
  if (!Number.isFinite(value)) return "–";
  if (value >= 10_000) return `${Math.round(value / 1000)} s`;
  if (value >= 1000) return `${(value / 1000).toFixed(1)} s`;
  return value >= 10 ? `${Math.round(value)} ms` : `${value.toFixed(1)} ms`;
}

function bytes(value) {
  if (!Number.isFinite(value)) return "–";
  if (value >= 1024 * 1024) return `${(value / 1024 / 1024).toFixed(value >= 10 * 1024 * 1024 ? 0 : 1)} MB`;
  return value >= 1024 ? `${(value / 1024).toFixed(value >= 10 * 1024 ? 0 : 1)} KB` : `${value} B`;
}

function clock(at) {
  const date = new Date(typeof at === "number" ? at * 1000 : at);
  return Number.isNaN(date.getTime()) ? "" : date.toLocaleTimeString([], { hour12: false });
}

/** Events newest first; the newest one is shown in detail until the person picks another. */
export class EventLog {
  #items = [];
  #rows = new Map();
  #chosen = null;
  #following = true;
  #timer = 0;

  constructor({ name, list, detail, filter, quiet, followButton, count }) {
    Object.assign(this, { name, list, detail, filter, quiet, followButton, count });
    filter.addEventListener("input", () => this.#refilter());
    quiet.addEventListener("change", () => this.#refilter());
    followButton.addEventListener("click", () => this.#follow(true));
    list.addEventListener("keydown", (event) => this.#move(event));
  }

  /** Load the latest events again, after the line was broken. */
  async load() {
    const answer = await call(`/preview/api/${encodeURIComponent(this.name)}/events?limit=50`);
    if (!answer.ok) return;
    this.#items = answer.body.items ?? [];
    this.#rows.clear();
    this.list.replaceChildren(...this.#items.map((item) => this.#row(item)));
    this.#refilter();
    if (this.#following) this.#showNewest();
  }

  /** Take in one event as it happens. */
  add(item) {
    const known = this.#rows.get(item.id);
    if (known) {
      this.#items = this.#items.map((one) => (one.id === item.id ? item : one));
      known.replaceWith(this.#row(item));
    } else {
      this.#items.unshift(item);
      this.list.prepend(this.#row(item));
      for (const old of this.#items.splice(MOST)) {
        this.#rows.get(old.id)?.remove();
        this.#rows.delete(old.id);
      }
    }
    this.#refilter();
    if (this.#following) this.#showNewest();
    else if (item.id === this.#chosen) this.#show(item.id);
  }

  #row(item) {
    const failed = item.status === "failed";
    const row = make(
      "button",
      {
        type: "button",
        class: "event",
        role: "option",
        "data-id": item.id,
        "aria-selected": String(item.id === this.#chosen),
        onclick: () => {
          this.#follow(false);
          this.#show(item.id);
        },
      },
      make("span", { class: "event-status", "data-status": item.status }, icon(failed ? "warning" : "check"), make("span", { class: "sr-only" }, item.status ?? "running")),
      make("span", { class: "event-type" }, item.type),
      make("span", { class: "event-duration" }, Number.isFinite(item.durationMs) ? milliseconds(item.durationMs) : ""),
      make("time", { class: "event-time", datetime: item.createdAt }, clock(item.createdAt)),
    );
    this.#rows.set(item.id, row);
    return row;
  }

  #passes(item) {
    const text = this.filter.value.trim().toLowerCase();
    return (!text || item.type.toLowerCase().includes(text) || item.id === this.filter.value) && !(this.quiet.checked && item.type === "ui_render");
  }

  #refilter() {
    let shown = 0;
    for (const item of this.#items) {
      const passes = this.#passes(item);
      this.#rows.get(item.id).hidden = !passes;
      shown += passes ? 1 : 0;
    }
    this.count.textContent = String(shown);
    this.list.classList.toggle("is-empty", shown === 0);
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
      const newest = this.#items.find((item) => this.#passes(item));
      if (newest) this.#show(newest.id);
    }, PAUSE);
  }

  #move(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const rows = [...this.list.children].filter((row) => !row.hidden);
    const at = rows.indexOf(document.activeElement);
    const next = rows[Math.max(0, Math.min(rows.length - 1, at + step))];
    next?.focus();
    next?.click();
  }

  async #show(id) {
    this.#chosen = id;
    for (const [key, row] of this.#rows) row.setAttribute("aria-selected", String(key === id));
    const answer = await call(`/v1/integrations/${encodeURIComponent(this.name)}/events/${encodeURIComponent(id)}`);
    if (this.#chosen !== id) return;
    if (answer.ok) this.detail.replaceChildren(...detailOf(answer.body));
    else this.detail.replaceChildren(make("p", { class: "empty" }, answer.body?.error?.message ?? "This event is gone"));
  }
}

function detailOf({ event, trace }) {
  const { payload = {} } = event;
  const head = make(
    "header",
    { class: "detail-head" },
    make("strong", {}, payload.type ?? event.type ?? "event"),
    make("span", { class: "badge", "data-status": event.status }, event.status ?? "running"),
    make("time", { datetime: event.createdAt }, clock(event.createdAt)),
    make("code", { class: "detail-id" }, event.id),
  );
  const sections = [head];
  if (trace?.fault) sections.push(faultLines(trace.fault));
  sections.push(section("Logs", logs(trace?.logs ?? [])));
  if (trace?.subrequests?.length) sections.push(section("Requests it made", requests(trace.subrequests)));
  if (trace?.usage) sections.push(section("Used of its limits", usage(trace.usage, trace.limits ?? {})));
  sections.push(make("details", { class: "payload" }, make("summary", {}, "Event"), make("pre", { tabindex: "0" }, JSON.stringify(payload, null, 2))));
  return sections;
}

const section = (title, content) => make("section", {}, make("h3", {}, title), content);

function logs(lines) {
  if (!lines.length) return make("p", { class: "empty" }, "Nothing was logged.");
  return make(
    "ol",
    { class: "logs" },
    lines.map((line) =>
      make(
        "li",
        { "data-level": line.level },
        make("time", {}, clock(line.timestamp)),
        make("span", { class: "level" }, line.level),
        make("span", { class: "message" }, line.message),
      ),
    ),
  );
}

function requests(list) {
  return make(
    "ul",
    { class: "requests" },
    list.map((one) =>
      make(
        "li",
        { "data-bad": !one.status || one.status >= 400 },
        make("span", {}, one.method),
        make("span", { class: "url", title: one.url }, one.url),
        make("span", {}, one.status ? String(one.status) : one.refused ? "refused" : "no answer"),
        make("span", {}, milliseconds(one.durationMs)),
        one.refused ? make("p", {}, one.refused) : null,
      ),
    ),
  );
}

function usage(used, limits) {
  return make(
    "div",
    { class: "usage" },
    USAGE.filter(([key]) => used[key] !== undefined).map(([key, title, write]) => {
      const share = limits[key] ? Math.min(1, used[key] / limits[key]) : 0;
      const text = limits[key] ? `${write(used[key])} of ${write(limits[key])}` : write(used[key]);
      return make(
        "div",
        { class: "meter", "data-high": share > 0.8 ? "very" : share > 0.5 ? "rather" : null },
        make("span", { class: "meter-title" }, title),
        make("span", { class: "meter-track", role: "meter", "aria-label": title, "aria-valuemin": "0", "aria-valuemax": "100", "aria-valuenow": String(Math.round(share * 100)), "aria-valuetext": text }, make("span", { style: { width: `${Math.max(share * 100, used[key] ? 1.5 : 0)}%` } })),
        make("span", { class: "meter-text" }, text),
      );
    }),
  );
}

/** Draw a fault: message, place, source line with a caret under the column, and what to do. */
export function faultLines(fault) {
  const place = [fault.file, fault.line, fault.column].filter((part) => part !== null && part !== undefined).join(":");
  const caret = fault.column ? `${" ".repeat(String(fault.line ?? "").length)} │ ${(fault.source ?? "").slice(0, fault.column - 1).replace(/[^\t]/g, " ")}^` : "";
  return make(
    "div",
    { class: "fault-body" },
    make("p", { class: "fault-message" }, fault.message),
    place ? make("p", { class: "fault-place" }, place) : null,
    fault.source ? make("pre", { class: "fault-source" }, `${fault.line ?? ""} │ ${fault.source}\n${caret}`) : null,
    fault.hint ? make("p", { class: "fault-hint" }, fault.hint) : null,
  );
}
