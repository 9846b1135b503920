/** Roots, and elements that hold others. */

import { focused, freshId, make } from "./dom.js";
import { icon } from "./icons.js";

const ALIGN = { start: "start", center: "center", end: "end" };

export const layout = {
  block(element, drawing, path) {
    const menu = element.controls && drawing.host.editable ? blockMenu(element.controls, drawing) : null;
    return make("section", { class: "ck-block" }, menu, make("div", { class: "ck-stack" }, drawing.all(element.children, path)));
  },

  // Drawn in place only where a modal is not an overlay, as in the preview of a modal's own component.
  modal(element, drawing, path) {
    return make(
      "section",
      { class: "ck-inline-modal" },
      element.title && make("h2", { class: "ck-overlay-title" }, element.title),
      element.subtitle && make("div", { class: "ck-overlay-subtitle" }, drawing.all(element.subtitle, `${path}.subtitle`)),
      make("div", { class: "ck-stack" }, drawing.all(element.children, path)),
      element.submit &&
        make("footer", { class: "ck-overlay-footer" }, drawing.node({ style: "primary", ...element.submit }, `${path}.submit`)),
    );
  },

  configuration(element, drawing, path) {
    return make("section", { class: "ck-configuration ck-stack" }, drawing.all(element.children, path));
  },

  vstack(element, drawing, path) {
    return make("div", { class: "ck-vstack", "data-align": ALIGN[element.align] ?? "start" }, drawing.all(element.children, path));
  },

  hstack(element, drawing, path) {
    return make("div", { class: "ck-hstack", "data-align": ALIGN[element.align] ?? "start" }, drawing.all(element.children, path));
  },

  box(element, drawing, path) {
    const grow = Number.isFinite(element.grow) ? { "flex-grow": String(element.grow), "flex-basis": "0" } : {};
    return make("div", { class: "ck-box", style: grow }, drawing.all(element.children, path));
  },

  divider(element) {
    return make("hr", { class: "ck-divider", "data-size": element.size ?? "medium" });
  },

  card(element, drawing, path) {
    const hint = typeof element.hint === "string" ? element.hint : drawing.all(element.hint, `${path}.hint`);
    const title = element.title ? make("div", { class: "ck-card-title" }, element.title) : null;
    const picture = cardIcon(element.icon, drawing, path);
    const buttons = drawing.all(element.buttons, `${path}.buttons`);
    const children = drawing.all(element.children, path);
    const head = make(
      "div",
      { class: "ck-card-head" },
      picture,
      make("div", { class: "ck-card-words" }, title, hint.length ? make("div", { class: "ck-hint-line" }, hint) : null),
      buttons.length ? make("div", { class: "ck-card-buttons" }, buttons) : null,
    );
    const body = children.length ? make("div", { class: "ck-stack ck-card-body" }, children) : null;
    const card = make("div", { class: "ck-card" }, picture || title || hint.length || buttons.length ? head : null, body);
    if (element.onPress) pressable(card, title ?? card, drawing.firing(element.onPress), path);
    return card;
  },

  stepper(element, drawing, path) {
    const steps = drawing.listed(element.children);
    const at = Math.max(0, steps.findIndex((step) => step.id === element.activeStep));
    const go = (index) => () => drawing.host.dispatch({ ...element.onStepChange, step: steps[index].id });
    const last = at === steps.length - 1;
    const marks = steps.map((step, index) =>
      make(
        "li",
        { class: "ck-step-mark", "aria-current": index === at ? "step" : null, "data-done": index < at },
        step.title ?? `Step ${index + 1}`,
      ),
    );
    const back = make("button", { type: "button", class: "ck-button", disabled: at === 0, "data-path": `${path}.back`, onclick: go(at - 1) }, "Back");
    const next = make(
      "button",
      {
        type: "button",
        class: "ck-button ck-primary",
        "data-path": `${path}.next`,
        disabled: steps[at]?.next !== true,
        onclick: last ? drawing.firing(element.onComplete) : go(at + 1),
      },
      last ? "Finish" : "Next",
    );
    const active = steps[at] ? drawing.node(steps[at], `${path}.${at}`) : null;
    return make("div", { class: "ck-stepper" }, make("ol", { class: "ck-steps" }, marks), active, make("footer", { class: "ck-step-buttons" }, back, next));
  },

  step(element, drawing, path) {
    return make("div", { class: "ck-stack", role: "group", "aria-label": element.title }, drawing.all(element.children, path));
  },
};

function cardIcon(value, drawing, path) {
  if (!value) return null;
  const picture = typeof value === "string" ? icon(value) : drawing.node(value, `${path}.icon`);
  return picture && make("div", { class: "ck-card-icon" }, picture);
}

/** Make a card act as a button, without putting buttons inside a button. */
function pressable(card, focus, fire, path) {
  card.classList.add("ck-pressable");
  focus.setAttribute("role", "button");
  focus.tabIndex = 0;
  focus.dataset.path = path;
  card.addEventListener("click", (event) => {
    if (!event.target.closest("a, button, input, select, textarea, label")) fire();
  });
  focus.addEventListener("keydown", (event) => {
    if (event.target === focus && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      fire();
    }
  });
}

/** The menu of a block; a list inside the list is a group of its own. */
function blockMenu(entries, drawing) {
  const id = freshId("menu");
  const groups = drawing.listed(entries.map((entry) => [Array.isArray(entry) ? { group: entry } : entry]));
  const item = (entry) => {
    const fire = drawing.firing(entry.onPress, entry.confirm);
    const press = () => {
      show(false);
      fire();
    };
    return make("button", { type: "button", role: "menuitem", tabindex: "-1", onclick: press }, entry.icon && icon(entry.icon), entry.label);
  };
  const menu = make(
    "div",
    { id, role: "menu", class: "ck-menu", hidden: true, "aria-label": "Block" },
    groups.flatMap((entry, index) => {
      const items = (entry.group ? drawing.listed(entry.group) : [entry]).map(item);
      return entry.group && index > 0 ? [make("hr", { role: "separator" }), ...items] : items;
    }),
  );
  const button = make(
    "button",
    {
      type: "button",
      class: "ck-button ck-quiet ck-menu-button",
      "aria-label": "Block menu",
      "aria-haspopup": "menu",
      "aria-expanded": "false",
      "aria-controls": id,
      "data-path": "menu",
      onclick: () => show(menu.hidden),
    },
    icon("more"),
  );
  const holder = make("div", { class: "ck-menu-holder" }, button, menu);
  const items = () => [...menu.querySelectorAll("[role=menuitem]")];
  const outside = (event) => {
    if (!event.composedPath().includes(holder)) show(false, false);
  };
  function show(open, focus = true) {
    menu.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
    if (open) {
      document.addEventListener("pointerdown", outside);
      items()[0]?.focus();
    } else {
      document.removeEventListener("pointerdown", outside);
      if (focus) button.focus();
    }
  }
  menu.addEventListener("keydown", (event) => {
    const all = items();
    const at = all.indexOf(focused(menu));
    const to = { ArrowDown: (at + 1) % all.length, ArrowUp: (at - 1 + all.length) % all.length, Home: 0, End: all.length - 1 }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      all[to].focus();
    } else if (event.key === "Escape") {
      event.stopPropagation();
      event.preventDefault();
      show(false);
    } else if (event.key === "Tab") {
      show(false, false);
    }
  });
  return holder;
}
