/** One event on a time axis: queue, dispatch, script, what it requested, and the work after the answer. */

import { make } from "/contentkit/dom.js";
import { milliseconds } from "../shared/format.js";

const TICKS = 4;

/**
 * Return the bars of an event: `[{title, kind, from, to, note}]` in milliseconds from its creation. Traces of older hosts
 * name no moments: then the call begins the axis.
 */
export function barsOf(event, trace) {
  const whole = event.delivery?.durationMs ?? trace?.usage?.wallMs ?? 0;
  const { sentMs: sent = 0, beganMs: began, answeredMs: answered = whole, endedMs: ended = answered } = trace?.moments ?? {};
  const attempts = event.delivery?.attempts > 1 ? `attempt ${event.delivery.attempts}` : null;
  const script = began === undefined ? sent : Math.min(Math.max(began, sent), answered);
  return [
    { title: "Queue", kind: "queue", from: 0, to: sent, note: attempts },
    { title: "Dispatch", kind: "dispatch", from: sent, to: script, note: null },
    { title: "Script", kind: "script", from: script, to: answered, note: began === undefined && trace?.moments ? "no process" : null },
    ...(trace?.subrequests ?? []).map((request) => {
      const from = request.startMs ?? script;
      const note = request.status ? String(request.status) : request.refused ? "refused" : "no answer";
      return { title: `${request.method} ${request.url}`, kind: request.status && request.status < 400 ? "request" : "failed", from, to: from + request.durationMs, note };
    }),
    // Writing the trace takes a moment, too, which is nobody's work after the answer.
    ...(ended > answered + 2 ? [{ title: "After the answer", kind: "after", from: answered, to: ended, note: null }] : []),
  ];
}

/** Draw the bars; each says in words what it shows. */
export function waterfall(event, trace) {
  const bars = barsOf(event, trace);
  const end = Math.max(...bars.map((bar) => bar.to), 0.1);
  const share = (value) => `${(value / end) * 100}%`;
  const marks = Array.from({ length: TICKS + 1 }, (_, at) => make("span", { style: { left: share((end / TICKS) * at) } }, milliseconds((end / TICKS) * at)));
  return make(
    "div",
    { class: "waterfall" },
    make("div", { class: "waterfall-axis", "aria-hidden": "true" }, marks),
    make(
      "ol",
      {},
      bars.map((bar) =>
        make(
          "li",
          { "data-kind": bar.kind },
          make("span", { class: "waterfall-title", title: bar.title }, bar.title),
          make("span", { class: "waterfall-track", "aria-hidden": "true" }, make("span", { style: { left: share(bar.from), width: share(Math.max(bar.to - bar.from, 0)) } })),
          make("span", { class: "waterfall-time" }, milliseconds(bar.to - bar.from), bar.note ? ` · ${bar.note}` : null, make("span", { class: "sr-only" }, `, from ${milliseconds(bar.from)}`)),
        ),
      ),
    ),
  );
}
