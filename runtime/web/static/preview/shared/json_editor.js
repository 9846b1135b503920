/** A text area that holds a JSON object, and says what is wrong with what is typed. */

const PAUSE = 300;

/** Tells `change(value)` once typing pauses and the text is an object; `what` names it in messages. */
export class JsonEditor {
  #timer = 0;

  constructor({ area, wrong, what, change }) {
    Object.assign(this, { area, wrong, what, change });
    area.addEventListener("input", () => this.#typed());
  }

  /** Show a value, unless somebody is typing here and `force` is not set; nothing can be typed when it is not enabled. */
  show(value, { enabled = true, force = false } = {}) {
    if (enabled && !force && document.activeElement === this.area) return;
    clearTimeout(this.#timer);
    this.area.value = JSON.stringify(value, null, 2);
    this.area.readOnly = !enabled;
    this.#say("");
  }

  /** Read what is written; says what is wrong and gives null when it is not an object. */
  read() {
    try {
      const value = JSON.parse(this.area.value);
      if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error(`${this.what} is a JSON object: { … }`);
      this.#say("");
      return value;
    } catch (error) {
      this.#say(error.message);
      return null;
    }
  }

  #typed() {
    clearTimeout(this.#timer);
    const value = this.read();
    if (value) this.#timer = setTimeout(() => this.change?.(value), PAUSE);
  }

  #say(text) {
    this.wrong.textContent = text;
    if (text) this.area.setAttribute("aria-invalid", "true");
    else this.area.removeAttribute("aria-invalid");
  }
}
