// A script's console and its errors: written for the author, with the author's files and lines.

import { formatWithOptions } from "node:util";

import { LOG, pack } from "./frames.mjs";
import { SourceMap } from "./source_map.mjs";

const LEVELS = { debug: 0, info: 1, warn: 2, error: 3 };
const LONGEST = 16_000; // bytes of one frame; longer lines are cut into several
const MOST = 300_000; // bytes of a call; the host ends the call before
const DEEPEST = 200; // spaces before a line
const OPTIONS = { colors: false, depth: 4, breakLength: 120 };
const OWN_FRAMES = /\n\s+at [^\n]*(?:ext:|node:|\/inside\/)[^\n]*/g;
// What the loader says of modules that are not there.
const MISSING = /^TypeError: (?:Module not found|Import|Unsupported scheme "\w+" for module|Requires \w+ access to) ("[^"]*")/;
const encoder = new TextEncoder();

const UNREADABLE = "the script threw something that cannot be shown";

// Whatever a script throws is read with care: its conversions and getters may throw in turn, in the midst of our code.
function stackOf(error) {
  try {
    return typeof error?.stack === "string" ? error.stack : "";
  } catch {
    return "";
  }
}

/** What a script threw, as text. */
export function textOf(error) {
  try {
    return error instanceof Error && stackOf(error) || formatWithOptions(OPTIONS, error);
  } catch {
    return UNREADABLE;
  }
}

/** Names a script's places as its author does. */
export class Places {
  #folder;
  #place;
  #name;
  #readMap;
  #map;

  /** Take the bundle's folder and file, the name its author gave it, and a function that reads its source map. */
  constructor(folder, bundle, name, readMap = () => null) {
    [this.#folder, this.#name, this.#readMap] = [`file://${folder}/`, name, readMap];
    this.#place = new RegExp(`file://${folder}/${bundle}(?:\\?\\d+)?(?::(\\d+):(\\d+))?`, "g");
  }

  /** The text without frames of the isolate, and with files, lines and columns as their author knows them. */
  rewrite(text) {
    if (!text.includes("file:") && !text.includes("ext:")) return text;
    return text.replace(OWN_FRAMES, "").replace(this.#place, (_, line, column) => this.#written(line, column))
      .replaceAll(this.#folder, "");
  }

  #written(line, column) {
    if (line === undefined) return this.#name;
    const found = this.#known()?.find(Number(line), Number(column));
    return found ? `${found.file}:${found.line}:${found.column}` : `${this.#name}:${line}:${column}`;
  }

  #known() {
    if (this.#map === undefined) {
      try {
        const url = this.#readMap();
        this.#map = url ? new SourceMap(url) : null;
      } catch {
        this.#map = null; // a broken map: the places in the bundle are better than none
      }
    }
    return this.#map;
  }

  /** The fields of a ScriptFault for what a script threw. */
  fault(error) {
    const stack = stackOf(error);
    const text = this.rewrite(stack || textOf(error));
    const fault = { message: this.#sentence(error) };
    const refused = /Blocked by null entry for "+(node:[\w/]+)/.exec(fault.message);
    const missing = MISSING.exec(fault.message);
    if (refused) {
      fault.message = `${refused[1]} cannot be imported: scripts reach the network with fetch, and no files or processes`;
    } else if (missing) {
      fault.message = `${missing[1]} cannot be imported: a script is one module with all it needs bundled into it`;
    }
    const place = /(?:\bat |\()((?![a-z]+:)[^\s():][^\s()]*?):(\d+):(\d+)\)?\s*$/m.exec(text);
    if (place) Object.assign(fault, { file: place[1], line: Number(place[2]), column: Number(place[3]) });
    const quoted = /^\s*\d+ \| (.*)$/m.exec(stack);
    if (quoted) fault.source = quoted[1];
    return fault;
  }

  /** The same for a script whose default export is unfit: at the export, or at its file where there is none. */
  faultOfExport(message, code) {
    const at = placeOfExport(code);
    const place = at !== null && this.#known() ? this.#known().find(at.line, at.column) : at;
    return { message, file: this.#name, ...(place ?? { line: 1, column: 1 }) };
  }

  #sentence(error) {
    let message;
    try {
      message = error instanceof Error ? `${error.name}: ${error.message}` : formatWithOptions(OPTIONS, error);
    } catch {
      message = UNREADABLE;
    }
    // What the loader says: an error of its own around the parser's, with a picture of the place.
    const parsed = /^TypeError: (SyntaxError: [^\n]*)/.exec(message);
    return this.rewrite(parsed ? parsed[1] : message).slice(0, 4000);
  }
}

/**
 * Where a bundle says what its default export is, lines and columns from 1; null without one. Bundlers move the export to
 * the end and leave the value with a name where the author exported it; only that has a place in the author's files.
 */
function placeOfExport(code) {
  const named = [...code.matchAll(/\bexport\s*\{[^{}]*?([\w$]+)\s+as\s+default\b/g)].at(-1);
  const own = [...code.matchAll(/^[\t ]*(?=export\s+default\b)/gm)].at(-1);
  let at = own && own.index + own[0].length;
  if (named) {
    const name = named[1].replaceAll("$", "\\$");
    const made = new RegExp(`\\b(?:var|let|const|class|function\\*?)\\s+${name}(?![\\w$])`).exec(code);
    at = (made ?? named).index;
  }
  if (at === undefined) return null;
  const before = code.slice(0, at).split("\n");
  return { line: before.length, column: before.at(-1).length + 1 };
}

/** Send what a script writes to whoever is listening; `listener()` gives the call a line belongs to, or undefined. */
export function createConsole(listener, places) {
  const kept = new WeakMap();
  const nobody = {};

  /** What the console remembers for a call: another one may be somebody else's. */
  function own() {
    const call = listener() ?? nobody;
    let mine = kept.get(call);
    if (!mine) kept.set(call, mine = { counts: new Map(), timers: new Map(), indent: "" });
    return mine;
  }

  function write(level, given) {
    let text;
    try {
      text = formatWithOptions(OPTIONS, ...given);
    } catch (error) {
      text = `(what was logged cannot be shown: ${error?.message})`;
    }
    const call = listener();
    say(call, level, own().indent + places.rewrite(text));
    // The call is lost; a loop that only writes would keep even that from being sent.
    if (call?.logged > MOST) throw new RangeError("the limit of what a call may log is used up");
  }

  const at = (level) => (...given) => write(level, given);
  return {
    log: at("info"),
    info: at("info"),
    debug: at("debug"),
    warn: at("warn"),
    error: at("error"),
    dir: (value) => write("info", [value]),
    dirxml: at("info"),
    table: (value) => write("info", [value]),
    trace: (...given) => {
      const { stack } = new Error();
      write("debug", ["Trace:", ...given, stack.slice(stack.indexOf("\n"))]);
    },
    assert: (condition, ...given) => condition || write("error", ["Assertion failed:", ...given]),
    clear: () => undefined,
    count: (label = "default") => {
      const { counts } = own();
      counts.set(label, (counts.get(label) ?? 0) + 1);
      write("info", [`${label}: ${counts.get(label)}`]);
    },
    countReset: (label = "default") => own().counts.delete(label),
    group: (...given) => {
      if (given.length) write("info", given);
      own().indent = `  ${own().indent}`.slice(0, DEEPEST);
    },
    groupCollapsed: (...given) => given.length && write("info", given),
    groupEnd: () => (own().indent = own().indent.slice(2)),
    time: (label = "default") => own().timers.set(label, performance.now()),
    timeLog: (label = "default", ...given) => elapsed(label, given),
    timeEnd: (label = "default") => {
      elapsed(label, []);
      own().timers.delete(label);
    },
    timeStamp: () => undefined,
  };

  function elapsed(label, given) {
    const { timers } = own();
    if (timers.has(label)) write("info", [`${label}: ${(performance.now() - timers.get(label)).toFixed(2)} ms`, ...given]);
  }
}

/** Send one text as a line of a call's log. */
export function say(call, level, text) {
  if (!call || call.over || call.logged > MOST) return;
  let bytes = encoder.encode(text);
  call.logged += bytes.length;
  do {
    const piece = bytes.subarray(0, LONGEST);
    bytes = bytes.subarray(LONGEST);
    const payload = new Uint8Array(1 + piece.length);
    payload[0] = LEVELS[level];
    payload.set(piece, 1);
    call.line.send(pack(LOG, payload));
  } while (bytes.length > 0);
}
