// What a script finds in its global scope: what a module worker has, and nothing of Deno.

const LANGUAGE = `
  Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol Date Promise RegExp
  Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError SuppressedError globalThis
  JSON Math Intl ArrayBuffer SharedArrayBuffer Atomics Uint8Array Int8Array Uint16Array Int16Array Uint32Array
  Int32Array BigUint64Array BigInt64Array Uint8ClampedArray Float16Array Float32Array Float64Array DataView Map BigInt
  Set Iterator WeakMap WeakSet WeakRef Proxy Reflect FinalizationRegistry DisposableStack AsyncDisposableStack
  Temporal decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape eval isFinite isNaN`;
const WEB = `
  AbortController AbortSignal Blob ByteLengthQueuingStrategy CloseEvent CompressionStream CountQueuingStrategy
  CryptoKey CustomEvent DecompressionStream DOMException ErrorEvent Event EventTarget File FormData Headers
  MessageChannel MessageEvent MessagePort Performance PerformanceEntry PerformanceMark PerformanceMeasure
  PerformanceObserver PerformanceObserverEntryList ProgressEvent PromiseRejectionEvent ReadableByteStreamController
  ReadableStream ReadableStreamBYOBReader ReadableStreamBYOBRequest ReadableStreamDefaultController
  ReadableStreamDefaultReader Request Response TextDecoder TextDecoderStream TextEncoder TextEncoderStream
  TransformStream TransformStreamDefaultController URL URLPattern URLSearchParams WritableStream
  WritableStreamDefaultController WritableStreamDefaultWriter atob btoa clearInterval clearTimeout console crypto
  Crypto SubtleCrypto fetch performance queueMicrotask reportError self setInterval setTimeout structuredClone
  WebAssembly addEventListener removeEventListener dispatchEvent onerror onunhandledrejection`;
// Of Node, what Workers' nodejs_compat puts there.
const NODE = "Buffer clearImmediate global setImmediate";
const KEPT = new Set(`${LANGUAGE} ${WEB} ${NODE}`.split(/\s+/));

function refuseWasm() {
  throw new WebAssembly.CompileError("WebAssembly code generation is not allowed");
}

/** Take away everything that is not on the list, in the global scope. */
export function hideTheRest() {
  for (const key of Object.getOwnPropertyNames(globalThis)) {
    if (!KEPT.has(key)) delete globalThis[key];
  }
  for (const name of ["compile", "compileStreaming", "instantiate", "instantiateStreaming", "Module"]) {
    Object.defineProperty(WebAssembly, name, { value: refuseWasm });
  }
}

/** Put a value into the global scope. */
export function provide(name, value) {
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
}
