/** One render looked at closely: how long it took, how long it may be kept, which rules it breaks, and its JSON. */

import { make } from "/contentkit/dom.js";
import { icon } from "/contentkit/icons.js";
import { bytes, milliseconds } from "../shared/format.js";
import { causeOf, headersOf } from "./history.js";
import { call } from "../shared/session.js";

/** Ask the host which rules an entry's output breaks; the answer is kept in `entry.report`. */
export async function examine(api, entry) {
  if (!entry.answer.ok) return;
  const answer = await call(`${api}/validate`, { method: "POST", body: { output: entry.answer.body } });
  if (answer.ok) entry.report = answer.body;
}

/** Tell how many rules an entry breaks. */
export const problemsOf = (entry) => (entry?.report ? entry.report.violations.length + entry.report.warnings.length : 0);

/** Draw what there is to know of an entry. */
export function drawOutput(entry) {
  if (!entry) return [make("p", { class: "empty" }, "Nothing has been rendered here.")];
  const { script, caching, age } = headersOf(entry);
  const cached = age !== null && script === null;
  const facts = [
    ["Caused by", causeOf(entry)],
    ["Status", entry.answer.status ? String(entry.answer.status) : "no answer"],
    ["Round trip", milliseconds(entry.ms)],
    ["Script", cached ? `not called: from the host's cache, ${age} s old` : script === null ? "unknown" : milliseconds(script)],
    ["Cache-Control", caching ?? "none: rendered again each time"],
    ["Size", bytes(JSON.stringify(entry.answer.body ?? null).length)],
  ];
  return [
    make("dl", { class: "facts" }, facts.map(([name, value]) => [make("dt", {}, name), make("dd", {}, value)])),
    make("section", {}, make("h2", {}, "Rules"), rules(entry)),
    written(entry.answer.body),
  ];
}

/** The JSON of an output, which may be long, is written once somebody wants to see it. */
function written(body) {
  const text = make("pre", { class: "code", tabindex: "0", "aria-label": "Output as JSON" });
  const show = () => {
    text.textContent = JSON.stringify(body, null, 2);
  };
  return make("details", { ontoggle: show }, make("summary", {}, "Output as JSON"), text);
}

function rules(entry) {
  if (!entry.answer.ok) return make("p", { class: "empty" }, "There is no output to show.");
  if (!entry.report) return make("p", { class: "empty" }, "Checking …");
  if (!problemsOf(entry)) return make("p", { class: "rules-good" }, icon("check-circle"), "It follows the rules of ContentKit, and every element has a label.");
  const line = (kind, word) => (problem) =>
    make("li", { "data-kind": kind }, make("span", { class: "rule-kind" }, word), make("code", {}, problem.path), make("span", {}, problem.rule));
  return make("ul", { class: "rules" }, entry.report.violations.map(line("violation", "Rule")), entry.report.warnings.map(line("warning", "Accessibility")));
}
