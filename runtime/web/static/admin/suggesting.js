/** Loads suggestions for fields from where an integration's script answers; without them anything can be typed. */

for (const field of document.querySelectorAll("input[data-suggestions]")) {
  field.addEventListener("focus", () => suggest(field), { once: true });
}

async function suggest(field) {
  try {
    const answer = await fetch(field.dataset.suggestions, { credentials: "omit" });
    const items = await answer.json();
    const list = document.createElement("datalist");
    list.id = `${field.id}-suggestions`;
    list.append(...items.map(({ value, label }) => new Option(label, value)));
    field.after(list);
    field.setAttribute("list", list.id);
  } catch (error) {
    console.warn(`no suggestions from ${field.dataset.suggestions}:`, error.message);
  }
}
