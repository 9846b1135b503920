// What a script answers, on its way to the host.

import { CHUNK, DEFERRED, END, pack, packAnswer, STREAMED } from "./frames.mjs";

const LONGEST = 65_536;
const NOTHING = new Uint8Array(0);
const NativeResponse = globalThis.Response;
const whole = new WeakSet();

/** Note which answers are whole from the start: they need no stream. */
export function watchResponses() {
  const { json, prototype } = NativeResponse;
  const watched = new Proxy(NativeResponse, {
    construct(target, given, wanted) {
      const response = Reflect.construct(target, given, wanted === watched ? target : wanted);
      if (!(given[0] instanceof ReadableStream)) whole.add(response);
      return response;
    },
  });
  NativeResponse.json = (...given) => {
    const response = json.apply(NativeResponse, given);
    whole.add(response);
    return response;
  };
  prototype.constructor = watched;
  return watched;
}

/** Tell whether a value is a response. */
export function isResponse(value) {
  return value instanceof NativeResponse;
}

function headersOf(response) {
  let text = "";
  for (const [name, value] of response.headers) text += `${text && "\0"}${name}\0${value}`;
  return text;
}

/** Send an answer whose bytes are there; gives whether it was one. */
export async function sendWhole(call, response) {
  if (response.body !== null && !whole.has(response)) return false;
  const body = response.body === null ? NOTHING : new Uint8Array(await response.arrayBuffer());
  const flags = call.pending > 0 ? DEFERRED : 0;
  call.line.send(packAnswer(call.number, response.status, flags, headersOf(response), body));
  call.deferred = flags > 0;
  call.over = flags === 0;
  return true;
}

/** Send an answer piece by piece as the script writes it. */
export async function sendStream(call, response) {
  const reader = response.body.getReader();
  call.abandon = () => reader.cancel().catch(() => undefined);
  await call.line.send(packAnswer(call.number, response.status, STREAMED | DEFERRED, headersOf(response), NOTHING));
  call.deferred = true;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (!(value instanceof Uint8Array)) throw new TypeError("a streamed body must consist of Uint8Array chunks");
    for (let at = 0; at < value.length; at += LONGEST) {
      await call.line.send(pack(CHUNK, value.subarray(at, at + LONGEST)));
    }
    if (!call.line.open) return;
  }
  call.line.send(pack(END, NOTHING));
}
