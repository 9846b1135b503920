/** Code in color: comments, texts, numbers, words of the language and names of what is set; nothing is understood. */

const C_LIKE = { line: "//", block: ["/*", "*/"], quotes: "\"'`" };
const SCRIPT = "await break case catch class const continue default delete do else enum export extends false finally for from function if implements import in instanceof interface let new null of return static super switch this throw true try type typeof undefined var void while yield async";
const LANGUAGES = [
  ["javascript js jsx typescript ts tsx mjs", { ...C_LIKE, words: SCRIPT }],
  ["json json5 jsonc", { ...C_LIKE, quotes: '"', words: "true false null", keys: true }],
  ["python py", { line: "#", quotes: "\"'", triple: true, words: "and as assert async await break class continue def del elif else except False finally for from global if import in is lambda None nonlocal not or pass raise return self True try while with yield match case" }],
  ["bash sh shell zsh console", { line: "#", quotes: "\"'", words: "if then else elif fi for while until do done case esac function in return export local echo cd exit set" }],
  ["yaml yml toml ini", { line: "#", quotes: "\"'", words: "true false null yes no on off", keys: true }],
  ["css scss less", { ...C_LIKE, line: null, words: "important media import supports keyframes from to and not only var", keys: true }],
  ["html xml svg vue", { line: null, block: ["<!--", "-->"], quotes: "\"'", tags: true, words: "" }],
  ["sql", { line: "--", block: ["/*", "*/"], quotes: "'\"", anyCase: true, words: "select from where and or not insert into values update set delete create table index view drop alter add primary key foreign references unique join left right inner outer on as group by order having limit offset union all distinct null is in exists between like case when then else end begin commit with returning" }],
  ["go golang", { ...C_LIKE, words: "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var nil true false" }],
  ["rust rs", { ...C_LIKE, quotes: '"', words: "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while" }],
  ["java kotlin kt scala csharp cs c cpp c++ h swift php dart", { ...C_LIKE, words: "abstract as boolean break byte case catch char class const continue data default do double else enum extends false final finally float for fun func function if implements import in int interface let long namespace new nil null object override package private protected public return self short static string struct super switch this throw true try using val var virtual void when while" }],
  ["ruby rb elixir", { line: "#", quotes: "\"'", words: "alias and begin break case class def do else elsif end ensure false for if in module next nil not or redo rescue retry return self super then true undef unless until when while yield" }],
];
/** Longer texts stay as they are: a color for each word of a file is no use to anybody, and costs. */
const LONGEST = 100_000;
const known = new Map();

/** Return the parts of a text: `[kind, text]`, in which the kind is null for what has no color. */
export function tokens(text, syntax) {
  const pattern = text.length <= LONGEST ? patternOf(String(syntax ?? "").toLowerCase()) : null;
  if (!pattern) return [[null, text]];
  const parts = [];
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > at) parts.push([null, text.slice(at, match.index)]);
    const [kind] = Object.entries(match.groups).find(([, value]) => value !== undefined);
    parts.push([kind, match[0]]);
    at = match.index + match[0].length;
  }
  if (at < text.length) parts.push([null, text.slice(at)]);
  return parts;
}

/** Return the parts of each line of a text. */
export function linesOf(text, syntax) {
  const lines = [[]];
  for (const [kind, part] of tokens(text, syntax)) {
    for (const [index, piece] of part.split("\n").entries()) {
      if (index) lines.push([]);
      if (piece) lines.at(-1).push([kind, piece]);
    }
  }
  return lines;
}

function patternOf(syntax) {
  const found = LANGUAGES.find(([names]) => names.split(" ").includes(syntax));
  if (!found) return null;
  const [names, language] = found;
  if (!known.has(names)) known.set(names, compile(language));
  return known.get(names);
}

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");

function compile({ line, block, quotes, words, triple, tags, keys, anyCase }) {
  const comments = [line && `(?<![\\w:])${escaped(line)}[^\\n]*`, block && `${escaped(block[0])}[^]*?(?:${escaped(block[1])}|$)`].filter(Boolean);
  const texts = [triple && '"""[^]*?(?:"""|$)', triple && "'''[^]*?(?:'''|$)", ...[...quotes].map((quote) => `${quote}(?:\\\\[^]|[^${quote}\\\\${quote === "`" ? "" : "\\n"}])*${quote}?`)].filter(Boolean);
  const kinds = [
    comments.length && `(?<comment>${comments.join("|")})`,
    keys && `(?<name>(?:"(?:\\\\.|[^"\\\\\\n])*"|(?<![\\w.-])[\\w.-]{1,100})(?=[ \\t]*[:=](?!:)))`,
    tags && "(?<word></?[\\w:-]+|/?>)",
    `(?<text>${texts.join("|")})`,
    "(?<number>(?<![\\w.])-?(?:0x[\\da-f]+|\\d[\\d_]*(?:\\.\\d+)?(?:e[+-]?\\d+)?)(?![\\w]))",
    words && `(?<word>(?<![\\w.$-])(?:${words.split(" ").join("|")})(?![\\w$-]))`,
  ];
  return new RegExp(kinds.filter(Boolean).join("|"), anyCase ? "gi" : "g");
}
