/** One component on the screen: the render loop of the host (docs/contract/contentkit.md, "Rendering"). */

import { resolve } from "./bindings.js";
import { draw, drawModal } from "./draw.js";
import { focused, freshId, make, safeLink } from "./dom.js";
import { graft } from "./graft.js";
import { icon } from "./icons.js";
import { ask, Overlay } from "./overlay.js";

const HOST_ACTIONS = new Set(["@ui.modal.open", "@ui.modal.close", "@ui.url.open", "@editor.node.updateProps"]);

/** Return what to show for an answer without an output: `{message, status}`. */
export function complaintOf(answer) {
  return { message: answer.body?.error?.message ?? `The render failed with status ${answer.status}`, status: answer.status };
}

/**
 * Draws a component and keeps it alive.
 *
 * `render(body)` sends a render request and resolves to `{ok, status, body, headers}`. `onChange({state, props})` is
 * called after every change, `onComplete(returnValue)` when the component has finished, `onStore(props)` when the
 * document's node is to keep these props, `onRender({cause, request, answer, at, ms})` after every exchange, where
 * `cause` is an action or one of start, reload, props, state, context. `specs()` resolves to the options of a select
 * that lists OpenAPI specifications. Overlays go into `place`. `node` is what to put on the page.
 */
export class Component {
  #queue = Promise.resolve();
  #watchers = new Map();
  #written = new Map();

  constructor({ props = {}, place = document.body, ...options }) {
    Object.assign(this, { props, place, ...options });
    this.id = freshId("component");
    this.state = {};
    this.drawn = false;
    // Remote lists, by address, and the words for their ids: drawing again must not load them again.
    this.lists = new Map();
    this.labels = new Map();
    this.alert = make("div", { class: "ck-alert-area", role: "alert" });
    this.view = make("div", { class: "ck-view" });
    this.node = make("div", { class: "ck-component", "data-theme": this.context.theme, "data-component": this.componentId }, this.alert, this.view);
  }

  /** Whether block menus are shown, and props kept in the document. */
  get editable() {
    return this.context.editable !== false;
  }

  /** Draw it for the first time: without a state, so that the script gives the initial one. */
  start(action) {
    return this.#ask(() => ({ componentId: this.componentId, props: this.props, context: this.context, action }), "start");
  }

  /** Draw it again with what it has, after the script or the context changed. */
  refresh(cause = "reload") {
    this.child?.refresh(cause);
    return this.drawn ? this.#ask(() => this.#request(), cause) : this.start();
  }

  /** Show an output that is known already, without asking the script; `complaint` is shown over it. */
  show(output, complaint) {
    this.#queue = this.#queue.then(() => {
      this.#written.clear();
      this.child?.leave();
      this.child = null;
      this.#take(output, false);
      if (complaint) this.#complain(complaint.message, complaint.status);
    });
    return this.#queue;
  }

  /** Take it off the page, with what it has opened. */
  leave() {
    this.child?.leave();
    this.overlay?.close();
    this.node.remove();
  }

  /** Draw it with other props. */
  setProps(props) {
    this.props = props;
    return this.refresh("props");
  }

  /** Draw it with another state. */
  setState(state) {
    this.state = state;
    return this.refresh("state");
  }

  /** Draw it in another place. */
  setContext(context) {
    this.context = context;
    this.node.dataset.theme = context.theme;
    return this.refresh("context");
  }

  /** Write a key of the local state. */
  set(key, value) {
    this.state[key] = value;
    this.#written.set(key, value);
    for (const follow of this.#watchers.get(key) ?? []) follow();
    this.onChange?.({ state: this.state, props: this.props });
  }

  /** Call `follow` when one of the keys is written, until the next drawing. */
  watch(keys, follow) {
    for (const key of keys) this.#watchers.set(key, [...(this.#watchers.get(key) ?? []), follow]);
  }

  /** Ask the person before an action. */
  ask(question) {
    return ask(question, { place: this.place, theme: this.context.theme });
  }

  /** Handle an action: the host's own ones here, all others in the script. */
  async dispatch(unresolved) {
    if (!unresolved?.action) return undefined;
    // Bindings are read when the request leaves, since others may be waiting before it.
    if (!HOST_ACTIONS.has(unresolved.action)) return this.#ask(() => this.#request(resolve(unresolved, this.state)), unresolved.action);
    const action = resolve(unresolved, this.state);
    switch (action.action) {
      case "@ui.modal.open":
        return this.#open(action);
      case "@ui.modal.close":
        return this.close ? this.close(action) : this.#send(action);
      case "@ui.url.open": {
        const address = safeLink(action.url);
        if (address) window.open(address, "_blank", "noopener,noreferrer");
        else this.#complain(`This address cannot be opened: ${action.url}`);
        return undefined;
      }
      default:
        this.props = action.props ?? {};
        if (this.editable) this.onStore?.(this.props);
        return this.#ask(() => this.#request(), action.action);
    }
  }

  #request(action) {
    return { componentId: this.componentId, props: this.props, state: this.state, context: this.context, action };
  }

  #send(action) {
    return this.#ask(() => this.#request(action), action.action);
  }

  /** Send requests one after the other: a second press must see the state that the first one made. */
  #ask(request, cause) {
    this.#queue = this.#queue.then(() => this.#exchange(request, cause));
    return this.#queue;
  }

  async #exchange(request, cause) {
    const body = JSON.parse(JSON.stringify(request()));
    const [at, from] = [Date.now(), performance.now()];
    this.#written.clear();
    const late = setTimeout(() => this.node.setAttribute("aria-busy", "true"), 150);
    let answer;
    try {
      answer = await this.render(body);
    } catch (error) {
      this.#complain(`The host did not answer: ${error.message}`);
      return;
    } finally {
      clearTimeout(late);
      this.node.removeAttribute("aria-busy");
    }
    const ms = performance.now() - from;
    try {
      if (answer.ok) this.#take(answer.body);
      else this.#complain(complaintOf(answer).message, answer.status);
    } catch (error) {
      // An element of a shape nobody expects must not stop the requests that wait in line.
      console.error(error);
      this.#complain(`The answer cannot be drawn: ${error.message}`);
    }
    this.onRender?.({ cause, request: body, answer, at, ms });
  }

  #take(output, fresh = true) {
    this.alert.replaceChildren();
    if (output.type === "complete") {
      if (fresh) this.onComplete?.(output.returnValue);
      return;
    }
    const old = JSON.stringify(this.props);
    // What was typed while the answer was on its way is newer than the answer.
    this.state = { ...output.state, ...Object.fromEntries(this.#written) };
    this.props = output.props ?? {};
    this.root = output.element;
    this.drawn = true;
    this.#draw();
    if (fresh && this.editable && JSON.stringify(this.props) !== old) this.onStore?.(this.props);
    this.onChange?.({ state: this.state, props: this.props });
  }

  #draw() {
    this.#watchers.clear();
    const keep = this.#focus();
    if (this.overlay && this.root?.type === "modal") {
      const parts = drawModal(this.root, this);
      this.overlay.head(parts);
      this.overlay.foot(...parts.submit);
      graft(this.view, [make("div", { class: "ck-stack" }, parts.body)]);
    } else {
      graft(this.view, [draw(this.root, this)]);
    }
    keep();
  }

  /** Remember which control has the focus; returns what gives it back after drawing. */
  #focus() {
    const area = this.overlay?.dialog ?? this.node;
    const active = focused(area);
    if (!active || !area.contains(active) || !active.dataset?.path) return () => {};
    const { path } = active.dataset;
    const text = active.matches("textarea, input:not([type]), input[type=text], input[type=password]");
    const [from, to, top] = text ? [active.selectionStart, active.selectionEnd, active.scrollTop] : [];
    return () => {
      const next = area.querySelector(`[data-path="${CSS.escape(path)}"]`);
      if (!next) return;
      next.focus({ preventScroll: true });
      if (text && next.setSelectionRange && next.tagName === active.tagName) {
        next.setSelectionRange(from, to);
        next.scrollTop = top;
      }
    };
  }

  /** Show a message over the old view, which stays. In an overlay, which has a cross of its own, it goes with the next answer. */
  #complain(message, status) {
    const cross = { type: "button", class: "ck-button ck-quiet ck-square", "aria-label": "Dismiss", onclick: () => this.alert.replaceChildren() };
    const dismiss = this.overlay ? null : make("button", cross, icon("close"));
    const code = status ? make("span", { class: "ck-alert-code" }, String(status)) : null;
    this.alert.replaceChildren(make("div", { class: "ck-alert" }, icon("warning"), make("span", {}, message), code, dismiss));
  }

  /** Show another component of the integration as an overlay. */
  async #open({ componentId, props }) {
    const modal = new Component({
      render: this.render,
      componentId,
      props: props ?? {},
      context: this.context,
      own: this.own,
      specs: this.specs,
      place: this.place,
      onComplete: (returnValue) => modal.close({ action: "@ui.modal.close", returnValue: returnValue ?? {} }),
    });
    const leave = () => {
      const returned = modal.root?.returnValue;
      if (returned === undefined || returned === null) modal.leave();
      else modal.close({ action: "@ui.modal.close", returnValue: resolve(returned, modal.state) });
    };
    const overlay = new Overlay({ onClose: leave, place: this.place });
    this.child = modal;
    overlay.dialog.dataset.theme = this.context.theme;
    modal.overlay = overlay;
    modal.close = (action) => {
      modal.leave();
      this.child = null;
      return this.#send(action);
    };
    overlay.body.append(modal.node);
    await modal.start();
    const first = overlay.body.querySelector("input, select, textarea, button") ?? overlay.footer.querySelector("button");
    first?.focus();
  }
}
