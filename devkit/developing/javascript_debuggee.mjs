// The process that `devkit dev --debug` debugs: a JavaScript script outside the sandbox, called over HTTP.
//
// Started with the folder of what scripts find in their global scope, and the path of a socket. Each line of its standard input names
// the file of a bundle, which answers from then on; the process ends with its standard input.

const { exit, serve, stdin, args: [inside, path] } = Deno;
const { hideTheRest, provide } = await import(`file://${inside}/globals.mjs`);
const { default: process } = await import(`file://${inside}/process.mjs`);

const FAILED = '{"error":"Internal server error"}';
const NONE = '{"error":"The developer\'s script cannot be loaded right now."}';
const JSON_TYPE = { "Content-Type": "application/json" };
const PATIENCE = 10_000; // milliseconds for the first bundle, which may be on its way

let put;
let script = Promise.race([
  new Promise((loaded) => (put = loaded)),
  new Promise((given) => setTimeout(given, PATIENCE, null)),
]);

async function answer(request) {
  if (request.method !== "POST") return new Response(null); // asked for to learn that the script is served
  const context = {
    waitUntil: (promise) => void Promise.resolve(promise).catch((error) => console.error(error)),
    passThroughOnException: () => undefined,
    props: {},
  };
  try {
    const module = await script;
    if (module === null) return new Response(NONE, { status: 503, headers: JSON_TYPE });
    const handlers = module.default;
    if (typeof handlers?.fetch !== "function") {
      throw new TypeError(
        "the script must export default an object with a function fetch(request, env, ctx), as createIntegration() makes",
      );
    }
    return await handlers.fetch(request, Object.freeze({}), context);
  } catch (error) {
    console.error(error);
    return new Response(FAILED, { status: 500, headers: JSON_TYPE });
  }
}

async function obey() {
  let unread = "";
  for await (const text of stdin.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (unread + text).split("\n");
    unread = lines.pop();
    for (const file of lines) load(file);
  }
  exit(0);
}

function load(file) {
  const loading = import(`file://${file}`);
  loading.catch(() => undefined); // told by each call that meets it
  put(loading);
  script = loading;
}

globalThis.addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  console.error(event.reason);
});
globalThis.addEventListener("error", (event) => {
  event.preventDefault();
  console.error(event.error);
});
hideTheRest();
provide("process", process);
provide("navigator", Object.freeze({ userAgent: "Cloudflare-Workers", language: "en", languages: ["en"] }));
obey();
serve({ path, onListen: () => undefined }, answer);
