// The least of an editor: attaches to the inspector at a port, and stops where a line of a bundle has a text.
// Writes what happens as lines of JSON; each line of its standard input has the script go on.

const [port, text] = Deno.args;
const tell = (message) => console.log(JSON.stringify(message));
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

async function target() {
  for (;;) {
    try {
      const [first] = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json();
      return first.webSocketDebuggerUrl;
    } catch {
      await pause(100);
    }
  }
}

const socket = new WebSocket(await target());
await new Promise((opened) => (socket.onopen = opened));
const waiting = new Map();
let last = 0;

function ask(method, params = {}) {
  last += 1;
  socket.send(JSON.stringify({ id: last, method, params }));
  return new Promise((answered) => waiting.set(last, answered));
}

async function parsed({ scriptId, url, sourceMapURL }) {
  const { sourceRoot, sources } = JSON.parse(atob(sourceMapURL.slice(sourceMapURL.indexOf(",") + 1)));
  const { scriptSource } = await ask("Debugger.getScriptSource", { scriptId });
  const lineNumber = scriptSource.split("\n").findIndex((line) => line.includes(text));
  if (lineNumber >= 0) await ask("Debugger.setBreakpoint", { location: { scriptId, lineNumber } });
  tell({ type: "parsed", url, found: lineNumber >= 0, files: sources.map((source) => new URL(source, sourceRoot).href) });
}

async function paused({ callFrames: [{ location }] }) {
  const { scriptSource } = await ask("Debugger.getScriptSource", { scriptId: location.scriptId });
  tell({ type: "paused", line: scriptSource.split("\n")[location.lineNumber] });
}

socket.onmessage = ({ data }) => {
  const { id, method, params, result } = JSON.parse(data);
  if (id) waiting.get(id)?.(result);
  else if (method === "Debugger.scriptParsed" && params.url.includes("/script-")) parsed(params);
  else if (method === "Debugger.paused") paused(params);
};
await ask("Runtime.enable");
await ask("Debugger.enable");
await ask("Runtime.runIfWaitingForDebugger");
for await (const _ of Deno.stdin.readable) await ask("Debugger.resume");
Deno.exit(0);
