/** Server-sent events read with fetch, because they need the key in a header. */

import { send } from "./session.js";

const PAUSES = [200, 500, 1000];

/**
 * Follow a stream for ever: `on[event](data)` gets each message, `onState(connected)` is called when the line breaks and
 * when it is back (also the first time).
 */
export async function follow(path, on, onState) {
  for (let tries = 0; ; tries += 1) {
    try {
      const answer = await send(path);
      if (!answer.ok || !answer.body) throw new Error(`status ${answer.status}`);
      tries = 0;
      onState(true);
      await read(answer.body, on);
    } catch (error) {
      console.debug("event stream:", error.message);
    }
    onState(false);
    await new Promise((done) => setTimeout(done, PAUSES[Math.min(tries, PAUSES.length - 1)]));
  }
}

async function read(body, on) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value.replaceAll("\r\n", "\n");
    const messages = rest.split("\n\n");
    rest = messages.pop();
    for (const message of messages) handle(message, on);
  }
}

function handle(message, on) {
  let event = "message";
  const data = [];
  for (const line of message.split("\n")) {
    const [, field, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (field === "event") event = value;
    else if (field === "data") data.push(value);
  }
  if (!data.length || !on[event]) return;
  on[event](JSON.parse(data.join("\n")));
}
