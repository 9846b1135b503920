/** How events ended, in words and in four tones: success, quiet, queued, failed. */

import { clock } from "../shared/format.js";

const WORDS = { retrying: "will be retried", "not-handled": "not handled", "not-found": "not found", "timed-out": "timed out" };
const TONES = { success: "success", "not-handled": "quiet", queued: "queued", running: "queued" };

const of = (event) => event.ending ?? event.delivery?.ending ?? event.status ?? "running";

/** Return the tone of an event, of which a list or the API told. */
export function toneOf(event) {
  return TONES[of(event)] ?? "failed";
}

/** Say how an event ended: “success”, “refused (401)”, “queued, due at 12:00:05”. */
export function endingOf(event) {
  const ending = of(event);
  const answer = event.answer ?? event.delivery?.answer;
  const due = event.dueAt ?? event.delivery?.nextAttemptAt;
  const words = WORDS[ending] ?? ending;
  if (ending === "queued") return due ? `${words}, due at ${clock(due)}` : words;
  return toneOf(event) === "failed" && answer ? `${words} (${answer})` : words;
}
