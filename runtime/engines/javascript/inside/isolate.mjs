// Runs one version of an integration: connects to the host, loads the bundle, answers calls.
// Arguments: the folder of the host's sockets, the folder of the script, and certificates to trust, if any.

import { AsyncLocalStorage } from "node:async_hooks";
// These look for `Deno` when they are loaded, which later is gone.
import "node:crypto";
import "node:zlib";

import { CALL, DEFERRED, FAULT, HEAD, HELLO, JOIN, Line, LOAD, OPEN, pack, packAnswer, packIdle, packNumber, PING, PONG, readCall, READY } from "./frames.mjs";
import { hideTheRest, provide } from "./globals.mjs";
import { createConsole, Places, say, textOf } from "./output.mjs";
import process from "./process.mjs";
import { createFetch, DispatchRequest, formOf } from "./requests.mjs";
import { isResponse, sendStream, sendWhole, watchResponses } from "./responses.mjs";
import promises from "./timers_promises.mjs";

const raise = globalThis.reportError;
const afterThis = globalThis.setImmediate;
const { connect, createHttpClient, exit, readTextFileSync, args: [host, scripts, certificates] } = Deno;
const BUNDLE = "script.js";
const MAP = "script.map";
const UNFIT = "TypeError: the script must export default an object with a function fetch(request, env, ctx), as " +
  "createIntegration() makes";
const CONTROL = 0xffffffff;
const OWNER = ""; // in the socket names of the serving process that started this one, and ends it
const NO_BYTES = new Uint8Array(0);
const REPORT = JSON.stringify({ components: [], events: [], content_sources: [] });
const SORRY = new TextEncoder().encode('{"error":"Internal server error"}');
const AGENT = "Cloudflare-Workers"; // bundles of today choose what they use by this name
const ENVIRONMENT = Object.freeze({});

const current = new AsyncLocalStorage();
const open = new Set(); // calls under way
let places = new Places(scripts, BUNDLE, BUNDLE);
let script = null;

/** One call, or the loading of the script. */
class Call {
  over = false;
  loading = false;
  deferred = false;
  logged = 0;
  pending = 0;
  abandon = null;
  #outgoing = null;
  #settled = null;
  #waiting = [];
  #running = 0;

  constructor(line, channel, number) {
    [this.line, this.channel, this.number] = [line, channel, number];
    this.controller = new AbortController();
  }

  client() {
    return this.channel.client();
  }

  /** What stops the requests of the call when it is over. */
  outgoing() {
    return (this.#outgoing ??= new AbortController()).signal;
  }

  /** Nothing is sent for the call any more. */
  close() {
    this.over = true;
    this.#outgoing?.abort(new TypeError("the call is over; use waitUntil for work after the answer"));
  }

  /** Wait for one of the places among the requests that wait for an answer; rejects when `signal` is aborted. */
  async turn(most, signal) {
    signal?.throwIfAborted();
    if (this.#running < most) {
      this.#running += 1;
      return;
    }
    await new Promise((go, refuse) => {
      const giveUp = () => {
        this.#waiting.splice(this.#waiting.indexOf(begin), 1);
        refuse(signal.reason);
      };
      const begin = () => {
        signal?.removeEventListener("abort", giveUp);
        go();
      };
      this.#waiting.push(begin);
      signal?.addEventListener("abort", giveUp, { once: true });
    });
  }

  /** Hand the place on. */
  pass() {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#running -= 1;
  }

  /** Keep the call alive until a promise settles. */
  waitUntil(promise) {
    this.pending += 1;
    Promise.resolve(promise).catch((error) => report(this, error)).finally(() => {
      this.pending -= 1;
      if (this.pending === 0) this.#settled?.();
    });
  }

  /** Resolve when no promise is waited for any more. */
  async settled() {
    while (this.pending > 0) await new Promise((done) => (this.#settled = done));
  }

  /** Stop what can be stopped: the host no longer listens. */
  end() {
    this.close();
    open.delete(this); // it may never come to its end
    this.abandon?.();
    this.controller.abort();
  }
}

/** A line for one call at a time, with a way out of its own. */
class Channel {
  #client = null;

  constructor(number, suffix) {
    [this.number, this.suffix] = [number, suffix];
  }

  client() {
    const proxy = { transport: "unix", path: `${host}/egress${this.suffix}-${this.number}` };
    const caCerts = certificates ? [certificates] : undefined;
    // Without a pool: the way out is closed with its call, and so is every connection through it.
    return this.#client ??= createHttpClient({ proxy, caCerts, poolMaxIdlePerHost: 0 });
  }

  async serve() {
    const line = new Line(await connect({ transport: "unix", path: `${host}/calls${this.suffix}` }));
    line.send(packNumber(HELLO, this.number));
    let upcoming = line.next();
    try {
      for (;;) {
        const frame = await upcoming;
        if (frame === null) return;
        if (frame[0] !== CALL) throw new Error(`frame ${frame[0]} instead of a call`);
        const given = readCall(frame[1]);
        const call = new Call(line, this, given.number);
        open.add(call);
        // Read on at once: the end of the line while a call is under way means that nobody waits for it any more.
        upcoming = line.next().then((next) => {
          if (next === null) {
            call.end();
            this.#close(line); // now: a call that never settles keeps this loop waiting
          }
          return next;
        });
        await current.run(call, answer, call, given);
        call.close();
        open.delete(call);
      }
    } finally {
      this.#close(line);
    }
  }

  /** Give back what the channel holds of the process: connections are not closed when they are forgotten. */
  #close(line) {
    line.close();
    this.#client?.close();
    this.#client = null;
  }
}

async function answer(call, given) {
  const context = { waitUntil: (promise) => call.waitUntil(promise), passThroughOnException: () => undefined, props: {} };
  let sent = false;
  try {
    const response = await script.fetch(new DispatchRequest(formOf(given), call.controller.signal), ENVIRONMENT, context);
    if (!isResponse(response)) throw new TypeError("the script's fetch must answer a Response");
    // The runtime tells of promises that nobody waited for only when its turn comes; their errors belong to this call.
    await new Promise(afterThis);
    if (!await sendWhole(call, response)) {
      sent = true;
      await sendStream(call, response);
    }
  } catch (error) {
    report(call, error);
    call.line.send(pack(FAULT, JSON.stringify(places.fault(error))));
    if (sent) call.deferred = true; // IDLE without END tells the host that the body was cut
    else {
      const flags = call.pending > 0 ? DEFERRED : 0;
      call.line.send(packAnswer(call.number, 500, flags, "content-type\0application/json", SORRY));
      call.deferred = flags > 0;
    }
  }
  if (call.deferred) {
    await call.settled();
    call.close();
    call.line.send(packIdle(call.number));
  }
}

function report(call, error) {
  say(call, "error", places.rewrite(textOf(error)));
}

/**
 * An error that no call waited for belongs to the call it comes from and to no other, which may be somebody else's.
 * A call that is over says nothing any more.
 */
function reportLost(error) {
  const call = current.getStore();
  if (call) report(call, error);
}

/**
 * A timer that stops once the call that set it is over, as on Workers, and reports its errors within that call: where
 * the runtime reports them by itself, nothing tells whose they are. `promised` is what `util.promisify` makes of it, which
 * ends with the call, too.
 */
function timer(start, stop, promised) {
  const wrapped = (run, ...given) => {
    if (typeof run !== "function") return start(run, ...given);
    const call = current.getStore();
    const started = start(function (...values) {
      if (call?.over && !call.loading) {
        stop(started);
        return;
      }
      try {
        run.apply(this, values);
      } catch (error) {
        try {
          raise(error);
        } catch { // it cannot be read, not even by the runtime
          report(call, error);
        }
      }
    }, ...given);
    return started;
  };
  const descriptors = Object.getOwnPropertyDescriptors(start);
  const custom = Symbol.for("nodejs.util.promisify.custom");
  if (descriptors[custom]) descriptors[custom] = { value: promised };
  return Object.defineProperties(wrapped, descriptors);
}

async function load(line, name) {
  const call = new Call(line, null, 0);
  call.loading = true;
  places = new Places(scripts, BUNDLE, name, () => readTextFileSync(`${scripts}/${MAP}`));
  open.add(call);
  try {
    const module = await current.run(call, () => import(`file://${scripts}/${BUNDLE}`));
    if (typeof module.default?.fetch !== "function") {
      const fault = places.faultOfExport(UNFIT, readTextFileSync(`${scripts}/${BUNDLE}`));
      line.send(pack(FAULT, JSON.stringify(fault)));
      return;
    }
    script = module.default;
    line.send(pack(READY, REPORT));
  } catch (error) {
    line.send(pack(FAULT, JSON.stringify(places.fault(error))));
  } finally {
    call.over = true;
    open.delete(call);
  }
}

/**
 * Import a script of our own and call it, unseen: the first call of an isolate would take twice as long without. Throws
 * if the script fails: then no other could be answered either.
 */
async function rehearse() {
  const failures = [];
  const send = (frame) => {
    if (frame[0] === FAULT) failures.push(new TextDecoder().decode(frame.subarray(HEAD)));
    return Promise.resolve();
  };
  const call = new Call({ open: true, send }, null, 0);
  script = (await import("./rehearsal.mjs")).default;
  await current.run(call, answer, call, { number: 0, event: "{}", environment: "{}", body: NO_BYTES });
  if (failures.length > 0) throw new Error(`the first call of an isolate failed: ${failures[0]}`);
  script = null;
}

/** Take commands from a serving process, whose sockets end in `suffix`; resolves when it closes the connection. */
async function obey(suffix) {
  const line = new Line(await connect({ transport: "unix", path: `${host}/calls${suffix}` }));
  line.send(packNumber(HELLO, CONTROL));
  serveChannel(0, suffix);
  for (;;) {
    const frame = await line.next();
    if (frame === null) {
      line.close();
      return;
    }
    const [kind, payload] = frame;
    if (kind === PING) line.send(pack(PONG, NO_BYTES));
    else if (kind === OPEN) serveChannel(numberOf(payload), suffix);
    else if (kind === JOIN) join(numberOf(payload));
    else if (kind === LOAD) load(line, new TextDecoder().decode(payload));
  }
}

/** Serve one more serving process. When it goes away, or its connection breaks, the calls of others go on. */
function join(number) {
  obey(`-${number}`).catch(() => undefined);
}

function numberOf(payload) {
  return new DataView(payload.buffer, payload.byteOffset).getUint32(0, true);
}

function serveChannel(number, suffix) {
  const ended = new Channel(number, suffix).serve();
  ended.catch(suffix === OWNER ? () => exit(3) : () => undefined);
}

const listener = () => current.getStore();
const fetching = createFetch(listener);
const watched = watchResponses();
hideTheRest();
provide("fetch", fetching);
provide("Response", watched);
provide("console", createConsole(listener, { rewrite: (text) => places.rewrite(text) }));
provide("process", process);
provide("setTimeout", timer(setTimeout, clearTimeout, promises.setTimeout));
provide("setInterval", timer(setInterval, clearInterval));
provide("setImmediate", timer(setImmediate, clearImmediate, promises.setImmediate));
provide("navigator", Object.freeze({ userAgent: AGENT, language: "en", languages: ["en"], hardwareConcurrency: 1 }));
await rehearse();
// From here on errors are those of scripts; one of our own above ends the isolate, and the host reads why.
globalThis.addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  reportLost(event.reason);
});
globalThis.addEventListener("error", (event) => {
  event.preventDefault();
  reportLost(event.error);
});
obey(OWNER).then(() => exit(0), () => exit(3));
