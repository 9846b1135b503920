/** Configuration screens that are a list of properties: a form, saved into the installation. */

import { freshId, make, safeLink } from "/contentkit/dom.js";
import { icon } from "/contentkit/icons.js";

/**
 * Return a form for `schema` (`{properties, required}`), filled with `configuration`.
 *
 * `endpoint` is what relative addresses are below; `save(configuration)` resolves to a message of an error, or to nothing.
 * `latest()` resolves to what is stored when it is saved: a script may have added to it since the form was drawn.
 */
export function schemaForm(schema, configuration, endpoint, save, latest) {
  const required = new Set(schema.required ?? []);
  const readers = new Map();
  const fields = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const { node, read } = field(name, property, configuration[name], required.has(name), endpoint);
    if (read) readers.set(name, read);
    return node;
  });
  const status = make("span", { class: "form-status", role: "status" });
  const submit = make("button", { type: "submit", class: "ck-button ck-primary" }, "Save");
  const form = make(
    "form",
    { class: "ck-stack", novalidate: true },
    fields.length ? fields : make("p", { class: "ck-text" }, "This screen has no properties."),
    make("div", { class: "form-actions" }, submit, status),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const values = { ...(await latest()) };
    let missing = null;
    for (const [name, { control, value, complain }] of readers) {
      const current = value();
      if (current === undefined) delete values[name];
      else values[name] = current;
      const wrong = complain(required.has(name) && (current === undefined || current === ""));
      missing ??= wrong ? control : null;
    }
    if (missing) {
      missing.focus();
      status.textContent = "";
      return;
    }
    submit.disabled = true;
    const error = await save(values);
    submit.disabled = false;
    if (document.activeElement === document.body) submit.focus(); // a button that is disabled loses the focus
    status.dataset.kind = error ? "error" : "good";
    status.textContent = error ?? "Saved";
  });
  return make("div", { class: "ck-component" }, form);
}

function field(name, property, current, required, endpoint) {
  const title = property.title ?? name;
  const hint = property.description ? make("div", { class: "ck-hint-line", id: freshId("hint") }, property.description) : null;
  if (property.type === "button") {
    const href = below(endpoint, property.callback_url);
    const press = make("button", { type: "button", class: "ck-button", disabled: !href, onclick: () => window.open(href, "_blank", "noopener") }, property.button_text ?? title, icon("link-external"));
    const words = make("div", { class: "ck-field-words" }, make("span", { class: "ck-label" }, title), hint);
    return { node: make("div", { class: "ck-field ck-field-row" }, words, press), read: null };
  }
  const id = freshId("control");
  const shared = { id, "aria-describedby": hint?.id, "aria-required": required ? "true" : null };
  const value = current ?? property.default;
  const control = controlOf(property, value, shared, endpoint);
  const wrong = make("div", { class: "form-wrong", id: freshId("wrong"), role: "alert" });
  const label = make("label", { class: "ck-label", for: id }, title, required ? make("span", { class: "form-required", "aria-hidden": "true" }, " *") : null);
  const row = property.type === "boolean";
  const node = make("div", { class: row ? "ck-field ck-field-row" : "ck-field" }, make("div", { class: "ck-field-words" }, label, hint), control.node, row ? null : wrong);
  const complain = (isMissing) => {
    const text = control.fault?.() || (isMissing ? `${title} is needed` : "");
    wrong.textContent = text;
    if (text) control.field.setAttribute("aria-invalid", "true");
    else control.field.removeAttribute("aria-invalid");
    return Boolean(text);
  };
  return { node, read: { control: control.field, value: control.value, complain } };
}

function controlOf(property, value, shared, endpoint) {
  if (property.type === "boolean") {
    const box = make("input", { type: "checkbox", role: "switch", class: "ck-switch", checked: value === true, ...shared });
    return { node: box, field: box, value: () => box.checked };
  }
  if (property.type === "number") {
    const box = make("input", { type: "number", step: "any", class: "ck-textinput", value: value ?? "", ...shared });
    const fault = () => (box.validity.badInput ? "This is not a number" : "");
    return { node: box, field: box, value: () => (box.value === "" ? undefined : Number(box.value)), fault };
  }
  if (property.enum) {
    const options = property.enum.map((value) => make("option", { value }, value));
    const box = make("select", { class: "ck-select", ...shared }, make("option", { value: "" }, "Select …"), options);
    box.value = value ?? "";
    return { node: box, field: box, value: () => box.value || undefined };
  }
  const box = make("input", { type: "text", class: "ck-textinput", value: value ?? "", autocomplete: "off", ...shared });
  const suggestions = property.completion_url ? make("datalist", { id: freshId("list") }) : null;
  if (suggestions) {
    box.setAttribute("list", suggestions.id);
    box.addEventListener("focus", () => complete(suggestions, below(endpoint, property.completion_url)), { once: true });
  }
  return { node: suggestions ? make("div", {}, box, suggestions) : box, field: box, value: () => box.value || undefined };
}

async function complete(list, url) {
  if (!url) return;
  try {
    const answer = await fetch(url, { credentials: "omit" });
    const items = await answer.json();
    list.replaceChildren(...items.map((item) => make("option", { value: item.value }, item.label)));
  } catch (error) {
    console.warn(`no suggestions from ${url}:`, error.message);
  }
}

/** Return an address of the script: relative ones are below the endpoint of the installation being configured. */
function below(endpoint, url) {
  if (!url) return null;
  if (/^[a-z][a-z0-9+.-]*:/i.test(url)) return safeLink(url);
  return endpoint ? safeLink(`${endpoint}/${url.replace(/^\//, "")}`) : null;
}
