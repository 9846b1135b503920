/** Text and media elements. */

import { addressOf, boundKeys, resolve } from "./bindings.js";
import { make, safeImage, safeLink } from "./dom.js";
import { frame } from "./frame.js";
import { markdown } from "./markdown.js";

const STYLES = { bold: "strong", italic: "em", code: "code", strikethrough: "s" };
const PAUSE_BEFORE_CHANGE = 500;

export const media = {
  text(element, drawing) {
    return make("p", { class: "ck-text" }, styled(element, drawing));
  },

  link(element, drawing) {
    const node = make("a", { class: "ck-link", target: "_blank", rel: "noopener noreferrer" }, words(element.children, drawing));
    const follow = () => {
      const href = safeLink(addressOf(element.target?.url, drawing.host.state, drawing.host.own));
      if (href) node.href = href;
      else node.removeAttribute("href");
    };
    follow();
    drawing.host.watch(boundKeys(element.target?.url), follow);
    return node;
  },

  hint(element, drawing) {
    const children = drawing
      .listed(element.children)
      .map((child, index) => (child.type === "image" ? drawing.node(child, `hint.${index}`) : inlineOf(child, drawing)));
    return make("div", { class: "ck-hint", role: "note" }, children);
  },

  markdown(element, drawing) {
    const node = make("div", { class: "ck-markdown" });
    bound(element.content, drawing, (text) => node.replaceChildren(...markdown(text)));
    return node;
  },

  image(element) {
    const src = safeImage(element.source?.url);
    const ratio = Number.isFinite(element.aspectRatio) && element.aspectRatio > 0 ? String(element.aspectRatio) : "auto";
    // `alt` is ours: without one the picture counts as decoration, and screen readers skip it.
    const alt = typeof element.alt === "string" ? element.alt : "";
    return make("img", { class: "ck-image", src, alt, loading: "lazy", style: { "aspect-ratio": ratio } });
  },

  codeblock(element, drawing, path) {
    const code = element.state ? editor(element, drawing, path) : listing(element, drawing);
    const buttons = drawing.all(element.buttons, `${path}.buttons`);
    const header = drawing.all(element.header, `${path}.header`);
    const footer = drawing.all(element.footer, `${path}.footer`);
    return make(
      "figure",
      { class: "ck-codeblock", "data-syntax": element.syntax },
      header.length ? make("figcaption", { class: "ck-code-head" }, header) : null,
      make("div", { class: "ck-code-area" }, code, buttons.length ? make("div", { class: "ck-corner" }, buttons) : null),
      footer.length ? make("div", { class: "ck-code-foot" }, footer) : null,
    );
  },

  webframe(element, drawing, path) {
    const buttons = drawing.all(element.buttons, `${path}.buttons`);
    const corner = buttons.length ? make("div", { class: "ck-corner" }, buttons) : null;
    return make("div", { class: "ck-webframe" }, frame(element, drawing.host), corner);
  },
};

/** Follow a text that may be a binding. */
function bound(content, drawing, show) {
  const update = () => show(String(resolve(content, drawing.host.state) ?? ""));
  update();
  drawing.host.watch(boundKeys(content), update);
}

function styled(element, drawing) {
  const parts = words(element.children, drawing);
  const tag = STYLES[element.style];
  return tag ? [make(tag, {}, parts)] : parts;
}

const words = (children, drawing) => drawing.listed(children).map((child) => inlineOf(child, drawing));

function inlineOf(child, drawing) {
  if (typeof child !== "object") return String(child);
  if (child.type === "text") {
    const node = make("span", {}, styled(child, drawing));
    node.dataset.ck = "text";
    return node;
  }
  return drawing.node(child, "inline");
}

/** The syntax highlighter: loaded with the first block of code, since most pages have none. */
let loading, highlighter;

function listing(element, drawing) {
  const numbered = element.lineNumbers === true || Number.isFinite(element.lineNumbers);
  const first = Number.isFinite(element.lineNumbers) ? element.lineNumbers : 1;
  const node = make("pre", { class: "ck-code", tabindex: "0", "aria-label": element.syntax ? `${element.syntax} code` : "code" });
  const draw = (linesOfParts) => {
    const lines = linesOfParts.map((parts) => [parts.map(([kind, part]) => (kind ? make("span", { "data-token": kind }, part) : part)), "\n"]);
    node.replaceChildren(
      numbered
        ? make("code", { class: "ck-lines", style: { "counter-reset": `line ${first - 1}` } }, lines.map((line) => make("span", { class: "ck-line" }, line)))
        : make("code", {}, lines),
    );
  };
  let latest;
  bound(element.content, drawing, (content) => {
    const text = (latest = content.replace(/\n$/, ""));
    if (highlighter) return draw(highlighter.linesOf(text, element.syntax));
    draw(text.split("\n").map((line) => [[null, line]]));
    if (!element.syntax) return;
    loading ??= import("./highlight.js").then((module) => (highlighter = module));
    const color = () => text === latest && draw(highlighter.linesOf(text, element.syntax));
    loading.then(color, () => (loading = undefined)); // where it cannot be loaded, the text stays without color
  });
  return node;
}

/** An editable code block: it writes its state key as text and reports a change once typing pauses. */
function editor(element, drawing, path) {
  const { host } = drawing;
  const key = element.state;
  if (host.state[key] === undefined || host.state[key] === null) host.set(key, String(resolve(element.content, host.state) ?? ""));
  const area = make("textarea", {
    class: "ck-code ck-editor",
    spellcheck: "false",
    autocapitalize: "off",
    autocomplete: "off",
    wrap: "off",
    value: host.state[key],
    "data-path": path,
    "aria-label": element.syntax ? `${element.syntax} code` : "Code",
  });
  const fit = () => {
    area.rows = Math.min(30, Math.max(3, area.value.split("\n").length));
  };
  fit();
  let timer = 0;
  const changed = () => {
    clearTimeout(timer);
    if (timer) host.dispatch(element.onContentChange);
    timer = 0;
  };
  area.addEventListener("input", () => {
    fit();
    host.set(key, area.value);
    clearTimeout(timer);
    if (element.onContentChange) timer = setTimeout(changed, PAUSE_BEFORE_CHANGE);
  });
  area.addEventListener("change", () => timer && changed());
  host.watch([key], () => {
    if (area.value !== host.state[key]) area.value = host.state[key] ?? "";
  });
  return area;
}
