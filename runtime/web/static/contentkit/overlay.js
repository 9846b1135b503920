/** Dialogs: an overlay over the page, and the question asked before an action. */

import { focused, freshId, make } from "./dom.js";
import { icon } from "./icons.js";

const FOCUSABLE = 'a[href], button, input, select, textarea, iframe, [tabindex]:not([tabindex="-1"])';

/**
 * An overlay with a title bar, put into `place`. `onClose` is asked when the person wants to leave; close() takes the
 * overlay away.
 */
export class Overlay {
  constructor({ title = "", size = "medium", onClose, label = "Dialog", place = document.body }) {
    const id = freshId("overlay");
    this.before = focused(place);
    this.title = make("h2", { id, class: "ck-overlay-title" }, title);
    this.subtitle = make("div", { class: "ck-overlay-subtitle", hidden: true });
    this.body = make("div", { class: "ck-overlay-body" });
    this.footer = make("footer", { class: "ck-overlay-footer", hidden: true });
    const leave = make(
      "button",
      { type: "button", class: "ck-button ck-quiet ck-overlay-close", "aria-label": "Close", onclick: () => onClose() },
      icon("close"),
    );
    const head = make("header", { class: "ck-overlay-head" }, make("div", {}, this.title, this.subtitle), leave);
    this.dialog = make(
      "dialog",
      { class: "ck-overlay", role: "dialog", "aria-modal": "true", "data-size": size, "aria-label": title ? null : label },
      head,
      this.body,
      this.footer,
    );
    if (title) this.dialog.setAttribute("aria-labelledby", id);
    this.dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      onClose();
    });
    this.dialog.addEventListener("keydown", (event) => this.#hold(event));
    this.dialog.addEventListener("mousedown", (event) => {
      // The dialog fills its own box: a press on the element itself, outside that box, is a press on the backdrop.
      const box = this.dialog.getBoundingClientRect();
      const inside =
        event.clientX >= box.left && event.clientX <= box.right && event.clientY >= box.top && event.clientY <= box.bottom;
      if (event.target !== this.dialog || inside) return;
      // Else the press would take the focus away from where closing puts it.
      event.preventDefault();
      onClose();
    });
    place.append(this.dialog);
    this.dialog.showModal();
  }

  /** Set what the title bar says. */
  head({ title, subtitle = [], size = "medium" }) {
    this.title.textContent = title ?? "";
    if (title) {
      this.dialog.setAttribute("aria-labelledby", this.title.id);
      this.dialog.removeAttribute("aria-label");
    }
    this.subtitle.replaceChildren(...subtitle);
    this.subtitle.hidden = subtitle.length === 0;
    this.dialog.dataset.size = size;
  }

  /** Set the buttons below. */
  foot(...buttons) {
    this.footer.replaceChildren(...buttons);
    this.footer.hidden = buttons.length === 0;
  }

  /** Take the overlay away and put the focus back where it was. */
  close() {
    if (!this.dialog.isConnected) return;
    this.dialog.close();
    this.dialog.remove();
    if (this.before?.isConnected) this.before.focus();
  }

  #hold(event) {
    if (event.key !== "Tab") return;
    const stops = [...this.dialog.querySelectorAll(FOCUSABLE)].filter((node) => !node.disabled && node.offsetParent !== null);
    if (!stops.length) return;
    const [first, last, now] = [stops[0], stops.at(-1), focused(this.dialog)];
    if (event.shiftKey && now === first) {
      event.preventDefault();
      last.focus();
    } else if (!event.shiftKey && now === last) {
      event.preventDefault();
      first.focus();
    }
  }
}

/** Ask before an action; resolves to true when the person goes on. `question` is a ContentKitConfirm, or nothing. */
export function ask(question, { place, theme } = {}) {
  if (!question) return Promise.resolve(true);
  return new Promise((decided) => {
    const done = (answer) => {
      overlay.close();
      decided(answer);
    };
    const overlay = new Overlay({ title: question.title, size: "small", place, onClose: () => done(false) });
    if (theme) overlay.dialog.dataset.theme = theme;
    overlay.body.append(make("p", { class: "ck-text" }, question.text ?? ""));
    const style = question.style === "danger" ? "ck-danger" : "ck-primary";
    const go = make("button", { type: "button", class: `ck-button ${style}`, onclick: () => done(true) }, question.confirm || "OK");
    const no = make("button", { type: "button", class: "ck-button", onclick: () => done(false) }, "Cancel");
    overlay.foot(no, go);
    (question.style === "danger" ? no : go).focus();
  });
}
