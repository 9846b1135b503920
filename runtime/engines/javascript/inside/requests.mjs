// What a script requests, and the request it is called with.

const MAX_WAITING = 6; // as Workers: further requests wait until one of these has its answer's head
const BOUNDARY = "----part-of-a-dispatched-event";
const NativeRequest = globalThis.Request;
const nativeFetch = globalThis.fetch;
const decoder = new TextDecoder();

/** The request of a dispatched event. Its form is at hand, so that the usual reader needs no parsing. */
export class DispatchRequest extends NativeRequest {
  #form;
  #read = false;

  constructor(form, signal) {
    const headers = { "content-type": `multipart/form-data; boundary=${BOUNDARY}` };
    super("http://integration.invalid/v1", { method: "POST", headers, signal });
    this.#form = form;
  }

  get bodyUsed() {
    return this.#read;
  }

  get body() {
    return this.#whole().body;
  }

  formData() {
    if (this.#read) return Promise.reject(new TypeError("Body already consumed."));
    this.#read = true;
    return Promise.resolve(this.#form);
  }

  arrayBuffer() {
    return this.#consume("arrayBuffer");
  }

  blob() {
    return this.#consume("blob");
  }

  bytes() {
    return this.#consume("bytes");
  }

  json() {
    return this.#consume("json");
  }

  text() {
    return this.#consume("text");
  }

  clone() {
    return new DispatchRequest(this.#form, this.signal);
  }

  #consume(reader) {
    if (this.#read) return Promise.reject(new TypeError("Body already consumed."));
    const whole = this.#whole();
    this.#read = true;
    return whole[reader]();
  }

  /** The same request with its body written out. */
  #whole() {
    const pieces = [];
    for (const [name, value] of this.#form) {
      const file = typeof value === "string" ? "" : `; filename="${value.name}"\r\ncontent-type: ${value.type}`;
      pieces.push(`--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n`, value, "\r\n");
    }
    pieces.push(`--${BOUNDARY}--\r\n`);
    return new NativeRequest(this.url, { method: "POST", headers: this.headers, body: new Blob(pieces) });
  }
}

/** The form of an event: its three parts. */
export function formOf({ event, environment, body }) {
  const form = new FormData();
  form.set("event", event);
  form.set("environment", environment);
  if (body !== null) form.set("fetch-body", new File([body], "fetch-body", { type: "application/octet-stream" }));
  return form;
}

/** `fetch` for scripts: through the way out of the call that asks; `listener()` gives that call. */
export function createFetch(listener) {
  return async function fetch(input, init) {
    const call = listener();
    if (!call || call.loading) throw new TypeError("fetch can be used while an event is handled, not while the script loads");
    if (call.over) throw new TypeError("the call that wants to fetch is over; use waitUntil for work after the answer");
    const own = init?.signal === undefined ? (input instanceof NativeRequest ? input.signal : null) : init.signal;
    const signal = own ? AbortSignal.any([own, call.outgoing()]) : call.outgoing();
    // Rejects when the call ends while it waits: the way out is another call's by then.
    await call.turn(MAX_WAITING, signal);
    try {
      return await refusal(await nativeFetch(input, { ...init, signal, client: call.client() }));
    } finally {
      call.pass();
    }
  };
}

/** Turn a refusal of the way out itself into an error that says why. */
async function refusal(response) {
  if (!response.headers.get("proxy-status")?.startsWith("egress; error=")) return response;
  const said = decoder.decode(await response.arrayBuffer());
  throw new TypeError(JSON.parse(said).error);
}
