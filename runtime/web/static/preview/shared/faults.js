/** What is wrong in the author's code. */

import { make } from "/contentkit/dom.js";

/** Draw a fault: message, place, source line with a caret under the column, and what to do. */
export function faultLines(fault) {
  const place = [fault.file, fault.line, fault.column].filter((part) => part !== null && part !== undefined).join(":");
  const caret = fault.column ? `${" ".repeat(String(fault.line ?? "").length)} │ ${(fault.source ?? "").slice(0, fault.column - 1).replace(/[^\t]/g, " ")}^` : "";
  return make(
    "div",
    { class: "fault-body" },
    make("p", { class: "fault-message" }, fault.message),
    place ? make("p", { class: "fault-place" }, place) : null,
    fault.source ? make("pre", { class: "fault-source", tabindex: "0", "aria-label": "Source" }, `${fault.line ?? ""} │ ${fault.source}${caret ? `\n${caret}` : ""}`) : null,
    fault.hint ? make("p", { class: "fault-hint" }, fault.hint) : null,
  );
}
