/** A searchable select: from a paged list that the integration serves (docs/contract/contentkit.md, "Select options"), or from known options. */

import { addressOf, boundKeys } from "./bindings.js";
import { focused, freshId, make, safeImage, safeLink } from "./dom.js";
import { icon } from "./icons.js";

const PAUSE_BEFORE_SEARCH = 200;
const LONGEST_SORRY = 300;

/** Return a field with a list below it; `choose(value)` is called with an id, or a list of ids. */
export function remote(element, drawing, path, choose) {
  return new Remote(element, drawing.host, path, choose).node;
}

class Remote {
  #options = [];
  #next = null;
  #active = -1;
  #timer = 0;
  #request = 0;
  #shown = "[]";

  constructor(element, host, path, choose) {
    Object.assign(this, { element, host, choose });
    this.multiple = element.multiple === true;
    this.labels = host.labels;
    const list = freshId("options");
    this.field = make("input", {
      type: "text",
      class: "ck-textinput",
      role: "combobox",
      autocomplete: "off",
      spellcheck: "false",
      disabled: element.disabled === true,
      placeholder: element.placeholder ?? "Search …",
      "aria-label": element.placeholder ?? element.state,
      "aria-expanded": "false",
      "aria-controls": list,
      "aria-autocomplete": "list",
      "data-path": path,
    });
    this.list = make("ul", { id: list, class: "ck-options", role: "listbox", hidden: true, "aria-multiselectable": this.multiple });
    this.status = make("div", { class: "ck-hint-line", role: "status" });
    this.chips = make("div", { class: "ck-chips" });
    this.node = make("div", { class: "ck-remote" }, this.chips, this.field, this.list, this.status);
    this.field.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#search(this.field.value), PAUSE_BEFORE_SEARCH);
      this.#open(true);
    });
    this.field.addEventListener("click", () => this.#openSelected());
    this.field.addEventListener("keydown", (event) => this.#key(event));
    this.field.addEventListener("blur", () => this.#leave());
    // A press on an entry must not take the focus away before it is a click.
    this.list.addEventListener("mousedown", (event) => event.preventDefault());
    host.watch([element.state], () => this.#show());
    host.watch(boundKeys(element.options.url), () => this.#search(""));
    this.#show();
    this.#search("");
  }

  get #chosen() {
    const value = this.host.state[this.element.state];
    if (this.multiple) return Array.isArray(value) ? value : [];
    return value === undefined || value === null || value === "" ? [] : [value];
  }

  /** Ask for the entries that fit a text; an older answer that comes late is dropped. */
  async #search(text) {
    if (Array.isArray(this.element.options)) {
      const words = text.toLowerCase();
      this.#take([], { items: this.element.options.filter((option) => (option.label ?? option.id).toLowerCase().includes(words)), selected: this.element.options, next: null });
      return;
    }
    const address = safeLink(addressOf(this.element.options.url, this.host.state, this.host.own));
    if (!address) {
      this.status.textContent = "The list has no usable address";
      return;
    }
    const url = new URL(address);
    if (text) url.searchParams.set("q", text);
    await this.#load(url.href, []);
  }

  async #load(address, before) {
    this.#request += 1;
    const number = this.#request;
    const known = this.host.lists.get(address);
    if (!known) this.status.textContent = "Loading …";
    try {
      const answer = known ?? (await ask(address));
      this.host.lists.set(address, answer);
      if (number === this.#request) this.#take(before, answer);
    } catch (error) {
      if (number === this.#request) this.status.textContent = error.message;
    }
  }

  /** Offer the entries of an answer after those that are there. */
  #take(before, answer) {
    this.#options = [...before, ...answer.items];
    this.#next = answer.next;
    for (const option of [...answer.items, ...answer.selected]) this.labels.set(option.id, option.label ?? option.id);
    this.status.textContent = this.#options.length ? "" : "Nothing found";
    this.#active = Math.min(this.#active, this.#options.length - 1);
    this.#fill();
    this.#show();
  }

  /** Show what is chosen. */
  #show() {
    const label = (id) => this.labels.get(id) ?? String(id);
    const display = JSON.stringify(this.#chosen.map((id) => [id, label(id)]));
    if (this.multiple && display !== this.#shown) {
      // Only when it changed: a chip that is taken away while it is pressed would not hear the press.
      this.#shown = display;
      this.chips.replaceChildren(
        ...this.#chosen.map((id) =>
          make("button", { type: "button", class: "ck-chip", "aria-label": `Remove ${label(id)}`, disabled: this.element.disabled === true, onclick: () => this.#toggle(id) }, label(id), icon("close")),
        ),
      );
    } else if (!this.multiple && (focused(this.field) !== this.field || this.list.hidden)) {
      this.field.value = this.#chosen.map(label).join("");
    }
    this.chips.hidden = !this.chips.childElementCount;
    for (const [index, option] of this.#options.entries()) {
      this.list.children[index]?.setAttribute("aria-selected", String(this.#chosen.includes(option.id)));
    }
  }

  #fill() {
    const entry = (option, index) => {
      const picture = typeof option.icon === "string" ? icon(option.icon) : pictureOf(option.icon);
      return make("li", { id: `${this.list.id}-${index}`, role: "option", onclick: () => this.#pick(index) }, picture, option.label ?? option.id);
    };
    const more = this.#next && make("li", { id: `${this.list.id}-${this.#options.length}`, role: "option", class: "ck-more", onclick: () => this.#pick(this.#options.length) }, "More …");
    this.list.replaceChildren(...this.#options.map(entry), ...(more ? [more] : []));
    this.#point(this.#active);
  }

  #point(index) {
    this.#active = index;
    for (const [at, item] of [...this.list.children].entries()) item.classList.toggle("is-active", at === index);
    const item = this.list.children[index];
    if (item) {
      this.field.setAttribute("aria-activedescendant", item.id);
      item.scrollIntoView({ block: "nearest" });
    } else {
      this.field.removeAttribute("aria-activedescendant");
    }
  }

  // Opened by a click or an arrow key, the text is selected, so that the next letter replaces it. Opened by typing, it is
  // not: the next letter would replace the first.
  #openSelected() {
    const closed = this.list.hidden;
    this.#open(true);
    if (closed && !this.multiple) this.field.select();
  }

  #open(open) {
    if (open === !this.list.hidden) return;
    this.list.hidden = !open;
    this.field.setAttribute("aria-expanded", String(open));
    if (!open) this.#point(-1);
  }

  #key(event) {
    const last = this.list.childElementCount - 1;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      this.#openSelected();
      this.#point(Math.max(0, Math.min(last, this.#active + step)));
    } else if (event.key === "Enter" && !this.list.hidden) {
      event.preventDefault();
      if (this.#active >= 0) this.#pick(this.#active);
      else this.#accept();
    } else if (event.key === "Escape" && !this.list.hidden) {
      // Only the list closes, not the dialog it may stand in.
      event.preventDefault();
      event.stopPropagation();
      this.#open(false);
      this.#show();
    }
  }

  #pick(index) {
    if (index >= this.#options.length) {
      if (!this.#next) return;
      const url = safeLink(addressOf(this.#next, this.host.state, this.host.own));
      if (url) this.#load(url, this.#options);
      return;
    }
    const { id } = this.#options[index];
    if (this.multiple) {
      if (this.field.value) this.#search("");
      this.field.value = "";
      this.#toggle(id);
      return;
    }
    this.#open(false);
    this.choose(id);
  }

  #toggle(id) {
    const chosen = this.#chosen;
    this.choose(chosen.includes(id) ? chosen.filter((option) => option !== id) : [...chosen, id]);
  }

  /** Take the typed text as a value, where that is allowed. */
  #accept() {
    const text = this.field.value.trim();
    if (!this.element.acceptInput || !text) return;
    const id = this.#options.find((option) => (option.label ?? option.id) === text)?.id ?? text;
    this.field.value = "";
    this.#open(false);
    if (!this.#chosen.includes(id)) this.choose(this.multiple ? [...this.#chosen, id] : id);
    this.#show();
  }

  #leave() {
    clearTimeout(this.#timer);
    const label = this.#chosen.map((id) => this.labels.get(id) ?? String(id)).join("");
    if (!this.list.hidden && this.field.value !== label) this.#accept();
    this.#open(false);
    if (this.multiple) this.field.value = "";
    this.#show();
  }
}

async function ask(address) {
  let answer;
  try {
    answer = await fetch(address, { credentials: "omit" });
  } catch {
    throw new Error("The options could not be loaded: the server did not answer, or does not allow this page to read its answer");
  }
  const text = await answer.text();
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    body = answer.ok ? null : text;
  }
  if (!answer.ok) throw new Error(sorryOf(body) || `The options could not be loaded (status ${answer.status})`);
  if (body === null) throw new Error("The options could not be loaded: the answer is not JSON");
  const list = Array.isArray(body) ? { items: body } : body;
  const entries = (value) => (Array.isArray(value) ? value.filter((option) => option && option.id !== undefined) : []);
  return { items: entries(list?.items), selected: entries(list?.selected), next: list?.nextPage ?? null };
}

/** Return what a script says is wrong, as scripts say it: `{error: "…"}`, `{error: {message}}`, or a short text. */
function sorryOf(body) {
  const words = typeof body === "string" ? body : (body?.error?.message ?? body?.error ?? body?.message);
  return typeof words === "string" && words.length <= LONGEST_SORRY && !words.trimStart().startsWith("<") ? words.trim() : "";
}

function pictureOf(image) {
  const src = safeImage(image?.source?.url);
  return src && make("img", { src, alt: "", class: "ck-option-picture" });
}
