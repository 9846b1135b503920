// The peer: miniflare serving a script made with @gitbook/runtime, as that toolkit's own development server does it.
//
//   node serve.mjs bundle SOURCE BUNDLE        build SOURCE into the file BUNDLE
//   node serve.mjs serve BUNDLE PORT           serve a bundle
//   node serve.mjs dev SOURCE PORT             serve SOURCE, and build and load it again at each change
//
// Writes "ready" to stderr when the first request may come, and "reloaded" after each change.
import { readFileSync, watch } from "node:fs";

const [mode, source, last] = process.argv.slice(2);

async function build(options = {}) {
  const { context } = await import("esbuild");
  return context({
    entryPoints: [source],
    bundle: true,
    format: "esm",
    target: "es2020",
    jsx: "automatic",
    jsxImportSource: "@gitbook/runtime",
    external: ["node:*", "cloudflare:*"],
    define: { MODE: '"production"', "process.env.NODE_ENV": '"production"' },
    minify: true,
    // A copy of the source elsewhere finds the packages beside this file.
    nodePaths: [new URL("node_modules", import.meta.url).pathname],
    logLevel: "error",
    write: false,
    ...options,
  });
}

function settings(script) {
  return {
    modules: true,
    script,
    host: "127.0.0.1",
    port: Number(last),
    compatibilityDate: "2025-05-25",
    compatibilityFlags: ["nodejs_compat"],
  };
}

async function started(script) {
  const { Miniflare } = await import("miniflare");
  const miniflare = new Miniflare(settings(script));
  await miniflare.ready;
  console.error("ready");
  return miniflare;
}

if (mode === "bundle") {
  const context = await build({ write: true, outfile: last });
  await context.rebuild();
  await context.dispose();
} else if (mode === "serve") {
  await started(readFileSync(source, "utf8"));
} else {
  const context = await build();
  const script = async () => (await context.rebuild()).outputFiles[0].text;
  const miniflare = await started(await script());
  let shown = readFileSync(source, "utf8");
  let running = Promise.resolve();
  const reload = async () => {
    const text = readFileSync(source, "utf8");
    if (text === shown || text === "") return; // one save is several events
    shown = text;
    await miniflare.setOptions(settings(await script()));
    console.error("reloaded");
  };
  watch(source, () => (running = running.then(reload)));
}
