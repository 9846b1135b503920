/** A small Markdown reader that makes DOM directly; what it does not know stays text. */

import { make, safeImage, safeLink } from "./dom.js";

const INLINE = [
  [/^`([^`]+)`/, (match) => make("code", {}, match[1])],
  [/^!\[([^\]]*)\]\((\S+?)\)/, (match) => picture(match)],
  [/^\[([^\]]+)\]\((\S+?)\)/, (match) => anchor(match[2], inline(match[1]))],
  [/^<(https?:\/\/[^>\s]+)>/, (match) => anchor(match[1], [match[1]])],
  [/^https?:\/\/[^\s<>)]*[^\s<>).,;:!?]/, (match) => anchor(match[0], [match[0]])],
  [/^\*\*(?=\S)([\s\S]*?\S)\*\*/, (match) => make("strong", {}, ...inline(match[1]))],
  [/^__(?=\S)([\s\S]*?\S)__(?!\w)/, (match) => make("strong", {}, ...inline(match[1]))],
  [/^~~(?=\S)([\s\S]*?\S)~~/, (match) => make("s", {}, ...inline(match[1]))],
  [/^\*(?=[^\s*])([\s\S]*?[^\s*])\*(?!\*)/, (match) => make("em", {}, ...inline(match[1]))],
  [/^_(?=[^\s_])([\s\S]*?[^\s_])_(?!\w)/, (match) => make("em", {}, ...inline(match[1]))],
  [/^ {2,}\n|^\\\n/, () => make("br")],
  [/^\\([!-/:-@[-`{-~])/, (match) => match[1]],
];
const WORTH_A_LOOK = /[`![<h*_~\\ ]/;

function anchor(url, children) {
  const href = safeLink(url);
  return make("a", { href, target: href && "_blank", rel: href && "noopener noreferrer" }, ...children);
}

function picture([whole, text, url]) {
  const src = safeImage(url);
  return src ? make("img", { src, alt: text, class: "ck-markdown-image" }) : whole;
}

/** Return the nodes of one run of text. */
export function inline(text) {
  const nodes = [];
  let plain = "";
  for (let at = 0; at < text.length; ) {
    const rest = text.slice(at);
    const wordBefore = /\w/.test(text[at - 1] ?? "");
    let hit = null;
    if (WORTH_A_LOOK.test(text[at])) {
      for (const [pattern, build] of INLINE) {
        // Underscores inside words and addresses inside words are text.
        if (wordBefore && (text[at] === "_" || text[at] === "h")) continue;
        const match = pattern.exec(rest);
        if (match) {
          hit = [match[0].length, build(match)];
          break;
        }
      }
    }
    if (!hit) {
      plain += text[at];
      at += 1;
      continue;
    }
    if (plain) nodes.push(plain);
    plain = "";
    nodes.push(hit[1]);
    at += hit[0];
  }
  if (plain) nodes.push(plain);
  return nodes;
}

const FENCE = /^\s{0,3}(`{3,}|~{3,})\s*(\S*)/;
const HEADING = /^\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$/;
const RULE = /^\s{0,3}([-*_])(\s*\1){2,}\s*$/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const QUOTE = /^\s{0,3}>\s?/;
const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

/** Return the nodes of a Markdown text. */
export function markdown(text) {
  return blocks(String(text).replace(/\r\n?/g, "\n").split("\n"));
}

function blocks(lines) {
  const nodes = [];
  let at = 0;
  const take = (test) => {
    const taken = [];
    while (at < lines.length && test(lines[at])) taken.push(lines[at++]);
    return taken;
  };
  while (at < lines.length) {
    const line = lines[at];
    let match;
    if (!line.trim()) {
      at += 1;
    } else if ((match = FENCE.exec(line))) {
      at += 1;
      const [, fence] = match;
      const code = take((next) => !(next.trim().startsWith(fence) && !next.trim().replaceAll(fence[0], "")));
      at += 1;
      nodes.push(make("pre", { "data-syntax": match[2] || null }, make("code", {}, code.join("\n"))));
    } else if ((match = HEADING.exec(line))) {
      at += 1;
      nodes.push(make(`h${match[1].length}`, {}, ...inline(match[2])));
    } else if (RULE.test(line)) {
      at += 1;
      nodes.push(make("hr"));
    } else if (QUOTE.test(line)) {
      const quoted = take((next) => QUOTE.test(next) || (next.trim() && !starts(next)));
      nodes.push(make("blockquote", {}, ...blocks(quoted.map((text) => text.replace(QUOTE, "")))));
    } else if (ITEM.test(line)) {
      const taken = take((next) => ITEM.test(next) || (/^\s{2,}\S/.test(next) && next.trim()));
      nodes.push(list(taken));
    } else if (line.includes("|") && TABLE_RULE.test(lines[at + 1] ?? "")) {
      nodes.push(table(take((next) => next.includes("|"))));
    } else {
      const taken = [lines[at++], ...take((next) => next.trim() && !starts(next))];
      nodes.push(make("p", {}, ...inline(taken.map((text) => text.trimStart()).join("\n").trimEnd())));
    }
  }
  return nodes;
}

const starts = (line) => [FENCE, HEADING, RULE, QUOTE, ITEM].some((pattern) => pattern.test(line));

function list(lines) {
  const first = ITEM.exec(lines[0]);
  const depth = first[1].length;
  const ordered = /\d/.test(first[2]);
  const items = [];
  for (const line of lines) {
    const match = ITEM.exec(line);
    if (match && (match[1].length <= depth || !items.length)) items.push([match[3]]);
    else items.at(-1).push(line.slice(Math.min(line.search(/\S/), depth + 2)));
  }
  const start = ordered ? Number.parseInt(first[2], 10) : 1;
  return make(
    ordered ? "ol" : "ul",
    { start: start !== 1 ? start : null },
    ...items.map((own) => {
      const nested = own.findIndex((line, index) => index > 0 && starts(line));
      const text = nested < 0 ? own : own.slice(0, nested);
      const below = nested < 0 ? [] : blocks(own.slice(nested));
      const task = /^\[([ xX])\]\s+/.exec(text[0]);
      if (task) text[0] = text[0].slice(task[0].length);
      const box = task && make("input", { type: "checkbox", disabled: true, checked: task[1] !== " ", "aria-label": "done" });
      return make("li", {}, box, ...inline(text.join("\n")), ...below);
    }),
  );
}

function table(lines) {
  const cells = (line) => line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim());
  const row = (line, tag) => make("tr", {}, ...cells(line).map((cell) => make(tag, {}, ...inline(cell))));
  const [head, , ...body] = lines;
  return make(
    "table",
    {},
    make("thead", {}, row(head, "th")),
    make("tbody", {}, ...body.map((line) => row(line, "td"))),
  );
}
