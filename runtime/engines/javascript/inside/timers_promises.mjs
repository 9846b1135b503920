// `node:timers/promises` for a script, made of the global timers: a promise whose call is over settles no more by itself. A
// signal that is aborted in a later call still rejects it.

function aborted(signal) {
  const error = new Error("The operation was aborted", { cause: signal.reason });
  return Object.assign(error, { name: "AbortError", code: "ABORT_ERR" });
}

/** Check the options as Node.js does, with its errors; returns the signal. */
function checked(options) {
  if (options === null || typeof options !== "object") throw invalid("options", "an object");
  const { signal, ref = true } = options;
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw invalid("options.signal", "an AbortSignal");
  if (typeof ref !== "boolean") throw invalid("options.ref", "a boolean");
  return signal;
}

function invalid(name, needed) {
  return Object.assign(new TypeError(`The "${name}" argument must be ${needed}.`), { code: "ERR_INVALID_ARG_TYPE" });
}

/** Wait for one timer; `begin` sets it and gives what clears it. */
async function once(begin, value, options) {
  const signal = checked(options);
  if (signal?.aborted) throw aborted(signal);
  return new Promise((resolve, reject) => {
    let clear = () => undefined;
    const stop = () => {
      clear();
      reject(aborted(signal));
    };
    signal?.addEventListener("abort", stop, { once: true }); // first: what is no signal throws, and nothing was begun
    clear = begin(() => {
      signal?.removeEventListener("abort", stop);
      resolve(value);
    });
  });
}

export function setTimeout(delay, value, options = {}) {
  return once((run) => {
    const timer = globalThis.setTimeout(run, delay);
    return () => globalThis.clearTimeout(timer);
  }, value, options);
}

export function setImmediate(value, options = {}) {
  return once((run) => {
    const timer = globalThis.setImmediate(run);
    return () => globalThis.clearImmediate(timer);
  }, value, options);
}

/** Yield the value once for each tick, also for those that came while nobody asked. */
export async function* setInterval(delay, value, options = {}) {
  const signal = checked(options);
  if (signal?.aborted) throw aborted(signal);
  let ticks = 0;
  let wake = () => undefined;
  const stop = () => wake();
  signal?.addEventListener("abort", stop, { once: true });
  const timer = globalThis.setInterval(() => {
    ticks += 1;
    wake();
  }, delay);
  try {
    for (;;) {
      if (signal?.aborted) throw aborted(signal);
      if (ticks === 0) await new Promise((resolve) => (wake = resolve));
      else for (; ticks > 0; ticks -= 1) yield value;
    }
  } finally {
    globalThis.clearInterval(timer);
    signal?.removeEventListener("abort", stop);
  }
}

export const scheduler = Object.freeze({
  wait: (delay, options) => setTimeout(delay, undefined, options),
  yield: () => setImmediate(),
});

export default Object.freeze({ scheduler, setImmediate, setInterval, setTimeout });
