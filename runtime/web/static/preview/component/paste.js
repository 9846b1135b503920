/** Beginning a block with a link, as somebody who pastes an address into a page. */

import { freshId, make } from "/contentkit/dom.js";
import { Overlay } from "/contentkit/overlay.js";

/** Ask for an address that fits one of the `patterns`, and hand it over. */
export function pasteLink(patterns, begin) {
  const overlay = new Overlay({ title: "Paste link", onClose: () => overlay.close() });
  const id = freshId("address");
  const field = make("input", { id, type: "url", required: true, autocomplete: "off", "aria-describedby": `${id}-hint` });
  // A pattern with its stars filled is an address that fits it.
  field.value = patterns[0].replace(/\*+/g, "example");
  const form = make(
    "form",
    { class: "dialog-form", id: `${id}-form` },
    make("label", { for: id }, "Address"),
    field,
    make("p", { class: "empty", id: `${id}-hint` }, `This block accepts ${patterns.join(", ")}`),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    overlay.close();
    begin(field.value.trim());
  });
  overlay.body.append(form);
  overlay.foot(
    make("button", { type: "button", class: "ck-button", onclick: () => overlay.close() }, "Cancel"),
    make("button", { type: "submit", class: "ck-button ck-primary", form: form.id }, "Paste"),
  );
  field.focus();
  field.select();
}
