/**
 * Draws ContentKit: JSON elements in, DOM out.
 *
 * `draw(root, host)` returns a DOM node. The host is what a component offers (see component.js):
 *   state            the component's local state, an object
 *   set(key, value)  write a key of it
 *   watch(keys, fn)  call fn whenever one of these keys is written, until the next drawing
 *   dispatch(action) handle an action
 *   ask(question)    ask the person first; resolves to true or false
 *   editable         whether block menus are shown
 *   own              the origin on which the integration answers; addresses in parts on it have its scheme
 *   lists, labels    maps for what remote lists answered
 */

import { controls } from "./controls.js";
import { make } from "./dom.js";
import { layout } from "./layout.js";
import { media } from "./media.js";

const ELEMENTS = { ...layout, ...media, ...controls };

/** The element types that can be drawn. */
export const TYPES = Object.keys(ELEMENTS);

/** Tell whether a child is to be skipped: what JSX leaves behind for "nothing here". */
const isNothing = (child) => child === null || child === undefined || child === true || child === false || child === "";

class Drawing {
  constructor(host) {
    this.host = host;
  }

  /** Draw one element; an unknown one becomes a small note, since a newer platform may know it. */
  node(element, path) {
    if (typeof element === "string" || typeof element === "number") {
      return make("p", { class: "ck-text" }, String(element));
    }
    const type = element?.type;
    if (typeof type !== "string" || !Object.hasOwn(ELEMENTS, type)) {
      return make("p", { class: "ck-note", role: "note" }, `Unknown element “${String(type)}”, left out`);
    }
    const node = ELEMENTS[type](element, this, path);
    node.dataset.ck = type;
    return node;
  }

  /** Draw children; a single one may stand without its list, and lists may hold lists. */
  all(children, path) {
    return this.listed(children).map((child, index) => this.node(child, `${path}.${index}`));
  }

  /** Return children as one flat list without those to be skipped. */
  listed(children) {
    return (Array.isArray(children) ? children.flat(Infinity) : [children]).filter((child) => !isNothing(child));
  }

  /** Return a function that fires an action, after asking when there is a question to ask. */
  firing(action, question) {
    return async () => {
      if (action && (await this.host.ask(question))) await this.host.dispatch(action);
    };
  }
}

/** Draw a root element. */
export function draw(root, host) {
  return new Drawing(host).node(root, "0");
}

/** Return what stands in a modal: title, subtitle, size, body, submit button. */
export function drawModal(root, host) {
  const drawing = new Drawing(host);
  return {
    title: root.title ?? "",
    size: ["medium", "xlarge", "fullscreen"].includes(root.size) ? root.size : "medium",
    subtitle: drawing.all(root.subtitle, "0.subtitle"),
    body: drawing.all(root.children, "0"),
    submit: root.submit ? [drawing.node({ style: "primary", ...root.submit }, "0.submit")] : [],
  };
}
