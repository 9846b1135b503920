/** One event: its waterfall, its logs, what it requested and used, and its payload. */

import { make } from "/contentkit/dom.js";
import { faultLines } from "../shared/faults.js";
import { bytes, clock, milliseconds } from "../shared/format.js";
import { endingOf, toneOf } from "./endings.js";
import { waterfall } from "./waterfall.js";

const USAGE = [
  ["wallMs", "Time", milliseconds],
  ["cpuMs", "CPU", milliseconds],
  ["memoryBytes", "Memory", bytes],
  ["subrequests", "Requests", String],
  ["logBytes", "Log", bytes],
  ["responseBytes", "Response", bytes],
];

/** Draw an event with its trace, as the API gives both; `actions` are the buttons for it. */
export function detailOf({ event, trace, answer }, actions) {
  const { payload = {} } = event;
  const head = make(
    "header",
    { class: "detail-head" },
    make("strong", {}, payload.type ?? event.type ?? "event"),
    event.subject ? make("span", { class: "detail-subject" }, event.subject) : null,
    make("span", { class: "badge", "data-status": toneOf(event) }, endingOf(event)),
    make("time", { datetime: event.createdAt }, clock(event.createdAt)),
    make("code", { class: "detail-id" }, event.id),
  );
  const sections = [head, actions ? make("div", { class: "detail-actions" }, actions) : null];
  if (trace?.fault) sections.push(faultLines(trace.fault));
  sections.push(section("Time", waterfall(event, trace)));
  sections.push(section("Logs", logs(trace?.logs ?? [], toneOf(event))));
  if (answer) sections.push(section("Answer", answerOf(answer)));
  if (trace?.subrequests?.length) sections.push(section("Requests made", requests(trace.subrequests)));
  if (trace?.usage) sections.push(section("Limits used", usage(trace.usage, trace.limits ?? {})));
  sections.push(make("details", { class: "payload" }, make("summary", {}, "Event"), make("pre", { tabindex: "0", "aria-label": "Payload" }, JSON.stringify(payload, null, 2))));
  return sections.filter(Boolean);
}

const section = (title, content) => make("section", {}, make("h3", {}, title), content);

/** Draw what an endpoint answered, as the host kept it. */
function answerOf({ status, headers, bytes: size, body }) {
  const kept = body === undefined && size ? ", not kept because it is not text or is longer than 64 KB" : "";
  return [
    make("p", {}, make("span", { class: "badge", "data-status": status < 400 ? "success" : "failed" }, String(status)), ` ${bytes(size)}${kept}`),
    make("dl", { class: "answer-headers" }, headers.flatMap(([header, value]) => [make("dt", {}, header), make("dd", {}, value)])),
    body ? make("pre", { tabindex: "0", "aria-label": "Body of the answer" }, body) : null,
  ].filter(Boolean);
}

/** Draw what was logged; `tone` is that of the event: what a runtime says about a missing handler is no error of anybody. */
function logs(lines, tone) {
  if (!lines.length) return make("p", { class: "empty" }, "Nothing was logged.");
  return make(
    "ol",
    { class: "logs" },
    lines.map((line) =>
      make(
        "li",
        { "data-level": tone === "quiet" ? "debug" : line.level },
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
    list.map((request) =>
      make(
        "li",
        { "data-bad": !request.status || request.status >= 400 },
        make("span", {}, request.method),
        make("span", { class: "url", title: request.url }, request.url),
        make("span", {}, request.status ? String(request.status) : request.refused ? "refused" : "no answer"),
        make("span", {}, milliseconds(request.durationMs)),
        request.refused ? make("p", {}, request.refused) : null,
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
