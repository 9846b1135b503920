/**
 * `<content-kit>`: shows a render of an integration in any page. Load this one module; it brings the rest.
 *
 *   <script type="module" src="https://HOST/contentkit.js"></script>
 *   <content-kit src="/render" component="counter" props='{"start": 1}' context='{"type": "document", …}'></content-kit>
 *
 * Attributes
 *   src        address that answers render requests: those of the first drawing and of every press are posted there as
 *              `{componentId, props, state, context, action}`. One with a query is asked with GET for the first drawing.
 *              A host answers at `/v1/integrations/NAME/render` and wants a token, which pages should not hold: let the
 *              platform's own server add it.
 *   component  id of the component
 *   props      what the document keeps for it, as JSON
 *   context    where it is shown, as JSON; `theme` in it follows the attribute, and a block's menu is shown where `editable`
 *              in it is true
 *   endpoint   public endpoint of the integration; addresses on it that name no scheme have its own, all others https
 *   theme      `light`, `dark`, or `auto` (when it is left out): as the reader's system
 *
 * Properties
 *   output     a render output, to be shown without asking anybody; set it again to show another one
 *   onrender   async function that gets a render request and returns an output; it takes the place of `src`
 *   headers    headers for requests to `src`
 *   onspecs    async function that gives the organization's OpenAPI specifications, `[{id, label}]`, for selects that list
 *              them
 *
 * Events (they leave the element): `contentkit-render` with `{request, answer, ms}`, `contentkit-props` with the props to
 * keep, `contentkit-complete` with the return value of a component that has finished.
 *
 * Everything is drawn in a shadow tree with a style of its own: the page's style does not reach in, and none leaks out.
 */

import { Component } from "./component.js";
import { make } from "./dom.js";

const STYLES = ["contentkit.css", "controls.css"].map((file) => new URL(file, import.meta.url).href);
const dark = matchMedia("(prefers-color-scheme: dark)");

export class ContentKit extends HTMLElement {
  static observedAttributes = ["src", "component", "props", "context", "endpoint", "theme"];
  #component = null;
  #output = null;
  #planned = false;
  #follow = () => this.#retheme();

  connectedCallback() {
    if (!this.shadowRoot) {
      const links = STYLES.map((href) => make("link", { rel: "stylesheet", href }));
      this.attachShadow({ mode: "open" }).append(...links, make("div", { part: "content" }));
    }
    if (Object.hasOwn(this, "output")) {
      // It was set before this module was there, and hides the accessor.
      const early = this.output;
      delete this.output;
      this.output = early;
    }
    dark.addEventListener("change", this.#follow);
    this.#draw();
  }

  disconnectedCallback() {
    dark.removeEventListener("change", this.#follow);
    this.#component?.leave();
    this.#component = null;
  }

  attributeChangedCallback(name) {
    if (!this.isConnected) return;
    if (name === "theme") this.#retheme();
    else this.#draw();
  }

  /** The output that is shown; null where none was given. */
  get output() {
    return this.#output;
  }

  set output(value) {
    this.#output = value;
    if (this.isConnected) this.#draw();
  }

  /** Render it again with its state. */
  refresh() {
    return this.#component?.refresh();
  }

  /** Start over, once for all that changes in one go. */
  #draw() {
    if (this.#planned) return;
    this.#planned = true;
    queueMicrotask(async () => {
      this.#planned = false;
      if (this.isConnected) await this.#begin();
    });
  }

  async #begin() {
    this.#component?.leave();
    this.#component = null;
    const content = this.shadowRoot.lastElementChild;
    let component;
    try {
      component = this.#newComponent(content);
    } catch (error) {
      content.replaceChildren(make("p", { role: "alert" }, error.message));
      return;
    }
    this.#component = component;
    content.replaceChildren(component.node);
    if (this.#output) await component.show(this.#output);
    else if (this.#asks) await component.start();
  }

  get #theme() {
    const chosen = this.getAttribute("theme");
    return chosen === "light" || chosen === "dark" ? chosen : dark.matches ? "dark" : "light";
  }

  get #asks() {
    return Boolean(this.onrender || this.getAttribute("src"));
  }

  /** Follow a change of theme; the component keeps its state. */
  #retheme() {
    const component = this.#component;
    if (!component || component.context.theme === this.#theme) return;
    const context = { ...component.context, theme: this.#theme };
    if (this.#asks) {
      component.setContext(context);
    } else {
      component.context = context;
      component.node.dataset.theme = context.theme;
    }
  }

  #newComponent(place) {
    return new Component({
      render: (body) => this.#ask(body),
      componentId: this.getAttribute("component") ?? "",
      props: this.#output?.props ?? this.#json("props"),
      context: { editable: false, ...this.#json("context"), theme: this.#theme },
      own: this.hasAttribute("endpoint") ? new URL(this.getAttribute("endpoint")).origin : undefined,
      place,
      specs: this.onspecs ? () => this.onspecs() : undefined,
      onRender: ({ request, answer, ms }) => this.#tell("render", { request, answer, ms }),
      onStore: (props) => this.#tell("props", props),
      onComplete: (returnValue) => this.#tell("complete", returnValue),
    });
  }

  async #ask(body) {
    if (this.onrender) return { ok: true, status: 200, headers: new Headers(), body: await this.onrender(body) };
    const src = new URL(this.getAttribute("src") ?? "", document.baseURI);
    const headers = { ...this.headers };
    // The address of a first drawing holds its whole request; what is pressed then goes where it came from.
    const first = Boolean(src.search) && body.state === undefined && body.action === undefined;
    if (!first) src.search = "";
    const post = { method: "POST", headers: { ...headers, "Content-Type": "application/json" }, body: JSON.stringify(body) };
    const answer = await fetch(src, first ? { headers } : post);
    const text = await answer.text();
    try {
      return { ok: answer.ok, status: answer.status, headers: answer.headers, body: JSON.parse(text) };
    } catch {
      return { ok: false, status: answer.status, headers: answer.headers, body: null };
    }
  }

  /** Read an attribute that holds a JSON object. */
  #json(name) {
    const text = this.getAttribute(name);
    if (!text) return {};
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new Error(`content-kit: the attribute ${name} is not JSON: ${error.message}`);
    }
  }

  #tell(what, detail) {
    this.dispatchEvent(new CustomEvent(`contentkit-${what}`, { detail, bubbles: true, composed: true }));
  }
}

if (!customElements.get("content-kit")) customElements.define("content-kit", ContentKit);
