/** Why a render failed: the author's line, as the event of the render has it. */

import { make } from "/contentkit/dom.js";
import { icon } from "/contentkit/icons.js";
import { faultLines } from "../shared/faults.js";
import { call } from "../shared/session.js";

/** Milliseconds between looks for the event: it is written a moment after its answer. */
const PAUSES = [0, 150, 400, 1000, 2000];
/** Milliseconds that the clocks of browser and host may differ. */
const SLACK = 1000;
/** A frame of a stack in the author's own files, which runtimes log with what they caught. */
const FRAME = /^\s+at (?:.*\()?([^\s():]+):(\d+):(\d+)\)?$/gm;

/** Resolve to where a render failed that was asked for at `since` and answered with an error; null where nobody knows. */
export async function failureOf({ name, componentId, since }) {
  const path = `/v1/integrations/${encodeURIComponent(name)}/events`;
  for (const pause of PAUSES) {
    await new Promise((done) => setTimeout(done, pause));
    const { body } = await call(`${path}?type=ui_render&status=failed&limit=5`);
    const event = body?.items?.find(({ payload, createdAt }) => payload?.componentId === componentId && Date.parse(createdAt) > since - SLACK);
    if (!event) continue;
    const { body: detail } = await call(`${path}/${encodeURIComponent(event.id)}`);
    return detail ? (detail.trace?.fault ?? logged(detail.trace?.logs ?? [])) : null;
  }
  return null;
}

/** Draw it below the component. */
export function failureBox(fault) {
  const words = make("div", {}, make("strong", {}, "This render failed"), make("span", {}, "The next successful render removes this message."));
  return make("div", { class: "fault render-fault", role: "status" }, make("header", {}, icon("warning"), words), faultLines(fault));
}

/** Find the last error that a runtime caught and logged with its stack. */
function logged(lines) {
  for (const { message } of lines.filter(({ level }) => level === "error").reverse()) {
    const own = [...message.matchAll(FRAME)].find(([, file]) => !file.includes("node_modules"));
    if (own) return { message: message.split("\n", 1)[0].replace(/^(?:\[[^\]]*\]\s*)+/, ""), file: own[1], line: Number(own[2]), column: Number(own[3]) };
  }
  return null;
}
