// The frames between host and isolate; the same as in runtime/engines/frames.py.

export const LOAD = 1, CALL = 2, OPEN = 3, PING = 4, JOIN = 5;
export const HELLO = 16, READY = 18, FAULT = 19, LOG = 20, ANSWER = 21, CHUNK = 22, END = 23, IDLE = 24, PONG = 26;
export const STREAMED = 1, DEFERRED = 2;
export const HEAD = 5; // bytes before the payload of a frame

const CALL_HEAD = 20;
const ANSWER_HEAD = 19;
const BLOCK = 65536;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** One whole frame: a kind, then bytes or text. */
export function pack(kind, payload) {
  const content = typeof payload === "string" ? encoder.encode(payload) : payload;
  const frame = new Uint8Array(HEAD + content.length);
  frame[0] = kind;
  new DataView(frame.buffer).setUint32(1, content.length, true);
  frame.set(content, HEAD);
  return frame;
}

/** A frame whose payload is one number. */
export function packNumber(kind, number) {
  const payload = new Uint8Array(4);
  new DataView(payload.buffer).setUint32(0, number, true);
  return pack(kind, payload);
}

/** An answer: `headers` is text in which names and values alternate, apart by NUL; `body` are bytes. */
export function packAnswer(number, status, flags, headers, body) {
  const head = encoder.encode(headers);
  const frame = new Uint8Array(HEAD + ANSWER_HEAD + head.length + body.length);
  const view = new DataView(frame.buffer);
  frame[0] = ANSWER;
  view.setUint32(1, frame.length - HEAD, true);
  view.setUint32(5, number, true);
  view.setUint16(9, status, true);
  view.setUint8(11, flags);
  view.setUint32(12, head.length, true);
  frame.set(head, HEAD + ANSWER_HEAD);
  frame.set(body, HEAD + ANSWER_HEAD + head.length);
  return frame;
}

/** The end of the work after an answer. */
export function packIdle(number) {
  const payload = new Uint8Array(12);
  new DataView(payload.buffer).setUint32(0, number, true);
  return pack(IDLE, payload);
}

/** The parts of a CALL; texts are decoded, the body is a copy of its bytes or null. */
export function readCall(payload) {
  const view = new DataView(payload.buffer, payload.byteOffset, payload.length);
  const event = CALL_HEAD + view.getUint32(4, true);
  const environment = event + view.getUint32(8, true);
  const size = view.getBigInt64(12, true);
  return {
    number: view.getUint32(0, true),
    event: decoder.decode(payload.subarray(CALL_HEAD, event)),
    environment: decoder.decode(payload.subarray(event, environment)),
    body: size < 0n ? null : payload.slice(environment),
  };
}

function joined(frames) {
  if (frames.length === 1) return frames[0];
  const whole = new Uint8Array(frames.reduce((length, frame) => length + frame.length, 0));
  let at = 0;
  for (const frame of frames) {
    whole.set(frame, at);
    at += frame.length;
  }
  return whole;
}

/** A connection that carries frames both ways; writes keep their order. */
export class Line {
  #connection;
  #buffer = new Uint8Array(BLOCK);
  #start = 0;
  #end = 0;
  #waiting = [];
  #writing = null;
  #closed = false;

  constructor(connection) {
    this.#connection = connection;
    this.open = true;
  }

  /** Give the next frame as `[kind, payload]`, or null at the end; the payload is good until the next one is read. */
  async next() {
    while (this.#end - this.#start < HEAD) {
      if (!await this.#fill(HEAD)) return null;
    }
    const size = new DataView(this.#buffer.buffer).getUint32(this.#start + 1, true);
    while (this.#end - this.#start < HEAD + size) {
      if (!await this.#fill(HEAD + size)) return null;
    }
    const kind = this.#buffer[this.#start];
    const payload = this.#buffer.subarray(this.#start + HEAD, this.#start + HEAD + size);
    this.#start += HEAD + size;
    return [kind, payload];
  }

  async #fill(needed) {
    const have = this.#end - this.#start;
    if (this.#start + needed > this.#buffer.length || have === 0) {
      const larger = needed > this.#buffer.length || this.#buffer.length > BLOCK && needed <= BLOCK;
      const target = larger ? new Uint8Array(Math.max(BLOCK, needed)) : this.#buffer;
      if (have > 0) target.set(this.#buffer.subarray(this.#start, this.#end));
      [this.#buffer, this.#start, this.#end] = [target, 0, have];
    }
    try {
      const count = await this.#connection.read(this.#buffer.subarray(this.#end));
      if (count !== null) {
        this.#end += count;
        return true;
      }
    } catch {
      // Closed by the host: the same as its end.
    }
    this.open = false;
    return false;
  }

  /** Send a frame; the promise is for those who must not run ahead of the reader. */
  send(frame) {
    if (!this.open) return Promise.resolve();
    this.#waiting.push(frame);
    this.#writing ??= this.#write();
    return this.#writing;
  }

  /** Let go of the connection; what waits to be sent is lost. */
  close() {
    if (this.#closed) return;
    [this.#closed, this.open] = [true, false];
    this.#connection.close();
  }

  async #write() {
    try {
      while (this.#waiting.length > 0) {
        let bytes = joined(this.#waiting); // so that the host wakes up once for all that waited
        this.#waiting = [];
        while (bytes.length > 0) bytes = bytes.subarray(await this.#connection.write(bytes));
      }
    } catch {
      this.open = false;
    } finally {
      this.#writing = null;
    }
  }
}
