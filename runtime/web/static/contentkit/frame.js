/** Web frames: a page of the integration inside a component (docs/contract/contentkit.md, "Web frames"). */

import { addressOf, boundKeys, resolve } from "./bindings.js";
import { make, safeLink } from "./dom.js";

const TALLEST = 4000;
const FRAMES = new WeakMap();

/** Return a frame. It cannot reach this page: it has an origin of its own and talks through messages only. */
export function frame(element, host) {
  const node = make("iframe", {
    src: safeLink(addressOf(element.source?.url, host.state, host.own)),
    class: "ck-frame",
    title: "Content of the integration",
    sandbox: "allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox",
    referrerpolicy: "no-referrer",
  });
  FRAMES.set(node, new Conversation(node, element, host));
  return node;
}

/** Tell whether two frames show the same page. */
export const sameFrame = (first, second) => first.getAttribute("src") === second.getAttribute("src");

/** Let a frame on the page go on as what a newer drawing says of it. */
export function adopt(running, fresh) {
  const [before, after] = [FRAMES.get(running), FRAMES.get(fresh)];
  before.end();
  after.take(running, before.ready);
  FRAMES.set(running, after);
}

class Conversation {
  constructor(node, element, host) {
    Object.assign(this, { node, element, host, ready: false });
    shape(node, { aspectRatio: element.aspectRatio ?? 16 / 9 });
    this.hear = this.hear.bind(this);
    window.addEventListener("message", this.hear);
    host.watch(boundKeys(element.data), () => this.post());
  }

  /** Talk with a frame that is on the page already. */
  take(node, ready) {
    Object.assign(this, { node, ready });
    this.post();
  }

  /** Stop listening. */
  end() {
    window.removeEventListener("message", this.hear);
  }

  post() {
    if (this.ready) this.node.contentWindow?.postMessage({ state: resolve(this.element.data ?? {}, this.host.state) }, "*");
  }

  hear(event) {
    if (!this.node.isConnected) {
      this.end();
      return;
    }
    const action = event.data?.action;
    if (event.source !== this.node.contentWindow || typeof action?.action !== "string") return;
    if (action.action === "@webframe.ready") {
      this.ready = true;
      this.post();
    } else if (action.action === "@webframe.resize") {
      shape(this.node, action.size ?? {});
    } else {
      this.host.dispatch(action);
    }
  }
}

function shape(node, { aspectRatio, height }) {
  if (Number.isFinite(height) && height > 0) {
    node.style.setProperty("height", `${Math.min(height, TALLEST)}px`);
    node.style.setProperty("aspect-ratio", "auto");
  } else if (Number.isFinite(aspectRatio) && aspectRatio > 0) {
    node.style.setProperty("aspect-ratio", String(aspectRatio));
    node.style.removeProperty("height");
  }
}
