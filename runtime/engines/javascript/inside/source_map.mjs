// Places in a bundle -> places in its author's files (ECMA-426). Read only when an error has to be reported.

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const DIGITS = new Int8Array(128).fill(-1);
for (let digit = 0; digit < LETTERS.length; digit += 1) DIGITS[LETTERS.charCodeAt(digit)] = digit;
const [COMMA, SEMICOLON] = [",".charCodeAt(0), ";".charCodeAt(0)];
const CONTINUES = 32;
const WIDTH = 4;

/** Knows where each part of a bundle comes from. */
export class SourceMap {
  #decoded;
  #sources;

  /** Take the `data:` URL of a map; throws on anything else. */
  constructor(url) {
    const [head, content] = [url.slice(0, url.indexOf(",")), url.slice(url.indexOf(",") + 1)];
    const text = head.endsWith(";base64")
      ? new TextDecoder().decode(Uint8Array.fromBase64(content))
      : decodeURIComponent(content);
    const { mappings, sources, sourceRoot } = JSON.parse(text);
    this.#decoded = decode(mappings);
    this.#sources = sources.map((source) => named(source, sourceRoot));
  }

  /** The file, line and column for a line and column of the bundle, all from 1; undefined where nothing is known. */
  find(line, column) {
    const { segments, starts } = this.#decoded;
    if (line >= starts.length) return undefined;
    let [low, high] = [starts[line - 1] / WIDTH, starts[line] / WIDTH];
    const first = low;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (segments[middle * WIDTH] <= column - 1) low = middle + 1;
      else high = middle;
    }
    const at = (low - 1) * WIDTH;
    if (low === first || segments[at + 1] < 0) return undefined;
    return { file: this.#sources[segments[at + 1]], line: segments[at + 2] + 1, column: segments[at + 3] + 1 };
  }
}

function named(source, root) {
  const path = root ? `${root.replace(/\/$/, "")}/${source}` : String(source);
  return path.replace(/^(\.{1,2}\/)+/, "");
}

/** All segments in one row of numbers, four each: column, source (-1: none), its line, its column, all from 0; and
 * where each line of the bundle begins in it. */
function decode(mappings) {
  let count = 1;
  for (let at = 0; at < mappings.length; at += 1) {
    const code = mappings.charCodeAt(at);
    count += code === COMMA || code === SEMICOLON;
  }
  const segments = new Int32Array(count * WIDTH);
  const starts = [0];
  const state = [0, 0, 0, 0, 0]; // column, source, its line, its column, name
  let [end, fields, value, shift] = [0, 0, 0, 0];
  for (let at = 0; at <= mappings.length; at += 1) {
    const code = at === mappings.length ? SEMICOLON : mappings.charCodeAt(at);
    if (code === COMMA || code === SEMICOLON) {
      if (fields > 0) {
        segments[end] = state[0];
        segments[end + 1] = fields < 4 ? -1 : state[1];
        segments[end + 2] = state[2];
        segments[end + 3] = state[3];
        end += WIDTH;
      }
      fields = 0;
      if (code === SEMICOLON) {
        state[0] = 0;
        starts.push(end);
      }
      continue;
    }
    const digit = DIGITS[code] ?? -1;
    if (digit < 0 || fields > 4) throw new TypeError("the source map is broken");
    value += (digit & (CONTINUES - 1)) << shift;
    shift += 5;
    if (digit & CONTINUES) continue;
    state[fields] += value & 1 ? -(value >>> 1) : value >>> 1;
    [fields, value, shift] = [fields + 1, 0, 0];
  }
  return { segments, starts };
}
