/** Controls: they write the local state; the script is called only when an action fires. */

import { freshId, make } from "./dom.js";
import { icon } from "./icons.js";
import { remote } from "./remote.js";

const SPECS = "openapi";
const BUTTON_STYLES = { primary: "ck-primary", danger: "ck-danger", secondary: "" };
const ROWS = { switch: "ck-field-row", button: "ck-field-row", checkbox: "ck-field-tick", radio: "ck-field-tick" };

export const controls = {
  button(element, drawing, path) {
    const text = element.label ?? "";
    const name = text ? null : (element.tooltip ?? element.icon ?? element.trailingIcon ?? "Button");
    const node = make(
      "button",
      {
        type: "button",
        class: `ck-button ${BUTTON_STYLES[element.style] ?? ""} ${text ? "" : "ck-square"}`.trim(),
        disabled: element.disabled === true,
        title: element.tooltip,
        "aria-label": name,
        "data-path": path,
      },
      element.icon && icon(element.icon),
      text && make("span", {}, text),
      element.trailingIcon && icon(element.trailingIcon),
    );
    node.addEventListener("click", drawing.firing(element.onPress, element.confirm));
    return node;
  },

  input(element, drawing, path) {
    const inner = element.element ?? {};
    const control = drawing.node(inner, `${path}.element`);
    const target = fieldOf(control);
    const words = typeof element.hint === "string" ? element.hint : element.hint && drawing.all(element.hint, `${path}.hint`);
    const hint = words && words.length ? make("div", { class: "ck-hint-line", id: freshId("hint") }, words) : null;
    const label = make(inner.type === "button" ? "span" : "label", { class: "ck-label" }, element.label ?? "");
    if (control.getAttribute("role") === "group") {
      label.id = freshId("label");
      control.setAttribute("aria-labelledby", label.id);
    } else if (target && inner.type !== "button") {
      target.id ||= freshId("control");
      label.htmlFor = target.id;
      // The label says what it is; a name of the control's own would drown it.
      target.removeAttribute("aria-label");
    }
    if (hint && target) target.setAttribute("aria-describedby", hint.id);
    const text = make("div", { class: "ck-field-words" }, label, hint);
    return make("div", { class: `ck-field ${ROWS[inner.type] ?? ""}`.trim() }, text, control);
  },

  textinput(element, drawing, path) {
    const { host } = drawing;
    start(element, host);
    const type = ["password", "email"].includes(element.inputType) ? element.inputType : "text";
    const attributes = {
      class: "ck-textinput",
      disabled: element.disabled === true,
      placeholder: element.placeholder,
      value: String(host.state[element.state] ?? ""),
      "aria-label": element.placeholder ?? element.state,
      "data-path": path,
      autocomplete: "off",
    };
    const node = element.multiline ? make("textarea", { rows: "4", ...attributes }) : make("input", { type, ...attributes });
    node.addEventListener("input", () => host.set(element.state, node.value));
    host.watch([element.state], () => {
      const value = String(host.state[element.state] ?? "");
      if (node.value !== value) node.value = value;
    });
    return node;
  },

  select(element, drawing, path) {
    const { host } = drawing;
    start(element, host);
    const choose = (value) => {
      host.set(element.state, value);
      if (element.onValueChange) host.dispatch(element.onValueChange);
    };
    const build = { true: several, false: element.acceptInput ? typed : single }[element.multiple === true];
    const known = Array.isArray(element.options);
    if (known && element.multiple === true && element.acceptInput) return remote(element, drawing, path, choose);
    if (known) return build(element, drawing, path, element.options, choose, null);
    if (element.options?.url) return remote(element, drawing, path, choose);
    return specifications(element, drawing, path, choose, build);
  },

  switch(element, drawing, path) {
    const { host } = drawing;
    start(element, host);
    const node = make("input", {
      type: "checkbox",
      role: "switch",
      class: "ck-switch",
      disabled: element.disabled === true,
      checked: host.state[element.state] === true,
      "aria-label": element.state,
      "data-path": path,
    });
    node.addEventListener("change", async () => {
      const isOn = node.checked;
      node.checked = !isOn;
      if (!(await host.ask(element.confirm))) return;
      node.checked = isOn;
      host.set(element.state, isOn);
      if (element.onValueChange) await host.dispatch(element.onValueChange);
    });
    host.watch([element.state], () => {
      node.checked = host.state[element.state] === true;
    });
    return node;
  },

  checkbox(element, drawing, path) {
    const { host } = drawing;
    const checked = () => (Array.isArray(host.state[element.state]) ? host.state[element.state] : []);
    const node = make("input", {
      type: "checkbox",
      class: "ck-checkbox",
      checked: checked().includes(element.value),
      "aria-label": String(element.value),
      "data-path": path,
    });
    node.addEventListener("change", async () => {
      const isOn = node.checked;
      node.checked = !isOn;
      if (!(await host.ask(element.confirm))) return;
      const others = checked().filter((value) => value !== element.value);
      host.set(element.state, isOn ? [...others, element.value] : others);
    });
    host.watch([element.state], () => {
      node.checked = checked().includes(element.value);
    });
    return node;
  },

  radio(element, drawing, path) {
    const { host } = drawing;
    const node = make("input", {
      type: "radio",
      class: "ck-radio",
      name: `${host.id}-${element.state}`,
      disabled: element.disabled === true,
      checked: host.state[element.state] === element.value,
      "aria-label": String(element.value),
      "data-path": path,
    });
    const follow = () => {
      node.checked = host.state[element.state] === element.value;
    };
    node.addEventListener("change", async () => {
      if (element.confirm) {
        follow();
        if (!(await host.ask(element.confirm))) {
          host.set(element.state, host.state[element.state]);
          return;
        }
      }
      host.set(element.state, element.value);
    });
    host.watch([element.state], follow);
    return node;
  },
};

/** Return the field that a label belongs to. */
function fieldOf(control) {
  const fields = "input, select, textarea";
  return control.matches(`${fields}, button`) ? control : (control.querySelector(fields) ?? control.querySelector("button"));
}

/** Fill the state key of a control when the state has none. */
function start(element, host) {
  const value = host.state[element.state];
  if ((value === undefined || value === null) && element.initialValue !== undefined && element.initialValue !== null) {
    host.set(element.state, element.initialValue);
  }
}

/** A choice among the OpenAPI specifications of the organization, which whoever shows the component knows. */
function specifications(element, drawing, path, choose, build) {
  const { host } = drawing;
  const holder = make("div", { class: "ck-specs" });
  const show = (options, note) => {
    const had = holder.firstChild && fieldOf(holder.firstChild);
    const fresh = build(element, drawing, path, options, choose, note);
    const field = fieldOf(fresh);
    // The label that an input has given to the first one belongs to what takes its place.
    if (had && field) {
      if (had.id) field.id = had.id;
      if (!had.hasAttribute("aria-label")) field.removeAttribute("aria-label");
      if (had.hasAttribute("aria-describedby")) field.setAttribute("aria-describedby", had.getAttribute("aria-describedby"));
    }
    holder.replaceChildren(fresh);
  };
  const known = host.lists.get(SPECS);
  const none = "No OpenAPI specifications";
  if (known) {
    show(known, known.length ? null : none);
    return holder;
  }
  show([], host.specs ? "Loading …" : none);
  host.specs?.().then((options) => {
    host.lists.set(SPECS, options);
    show(options, options.length ? null : none);
  });
  return holder;
}

function single(element, drawing, path, options, choose, note) {
  const { host } = drawing;
  const current = host.state[element.state];
  const known = options.some((option) => option.id === current);
  const node = make(
    "select",
    { class: "ck-select", disabled: element.disabled === true, "aria-label": element.placeholder ?? element.state, "data-path": path },
    make("option", { value: "", disabled: true, hidden: true }, note ?? element.placeholder ?? "Select …"),
    !known && current ? make("option", { value: current }, String(current)) : null,
    options.map((option) => make("option", { value: option.id }, option.label ?? option.id)),
  );
  const follow = () => {
    node.value = host.state[element.state] ?? "";
  };
  follow();
  node.addEventListener("change", () => choose(node.value));
  host.watch([element.state], follow);
  return node;
}

function typed(element, drawing, path, options, choose, note) {
  const { host } = drawing;
  const list = freshId("options");
  const labelOf = (id) => options.find((option) => option.id === id)?.label ?? id ?? "";
  const node = make("input", {
    class: "ck-textinput",
    list,
    disabled: element.disabled === true,
    placeholder: note ?? element.placeholder,
    value: labelOf(host.state[element.state]),
    "aria-label": element.placeholder ?? element.state,
    "data-path": path,
  });
  node.addEventListener("change", () => choose(options.find((option) => option.label === node.value)?.id ?? node.value));
  return make("div", { class: "ck-typed" }, node, make("datalist", { id: list }, options.map((option) => make("option", { value: option.label ?? option.id }))));
}

function several(element, drawing, path, options, choose, note) {
  const { host } = drawing;
  const chosen = () => (Array.isArray(host.state[element.state]) ? host.state[element.state] : []);
  const boxes = options.map((option, index) => {
    const box = make("input", {
      type: "checkbox",
      class: "ck-checkbox",
      disabled: element.disabled === true,
      checked: chosen().includes(option.id),
      "data-path": `${path}.${index}`,
      onchange: () => {
        const picked = options.map((option) => option.id).filter((id) => (id === option.id ? box.checked : chosen().includes(id)));
        choose(picked);
      },
    });
    return make("label", { class: "ck-option" }, box, option.label ?? option.id);
  });
  const empty = boxes.length ? null : make("span", { class: "ck-hint-line" }, note ?? "No options");
  return make("div", { class: "ck-several", role: "group", "aria-label": element.placeholder ?? element.state }, boxes, empty);
}
