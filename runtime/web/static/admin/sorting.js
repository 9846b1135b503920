/** Lets the parts of a site be dragged; the arrows beside them do the same without a pointer, and without this module. */

const tree = document.getElementById("tree");
let dragged = null;

/** Tell whether something can be dropped beside another one: spaces beside spaces, sections and groups beside each other. */
function fits(item, other) {
  if (!item || !other || item === other || item.contains(other)) return false;
  return (item.dataset.kind === "site-space") === (other.dataset.kind === "site-space");
}

/** Find the part under the pointer that the dragged one can be dropped beside. */
function target(event) {
  let item = event.target.closest?.("li[data-id]");
  while (item && !fits(dragged, item)) item = item.parentElement.closest("li[data-id]");
  return item ?? null;
}

function whereIn(item, event) {
  const row = item.querySelector(".part").getBoundingClientRect();
  return event.clientY < row.top + row.height / 2 ? "before" : "after";
}

function mark(item, where) {
  for (const one of tree.querySelectorAll("[data-drop]")) delete one.dataset.drop;
  if (item) item.dataset.drop = where;
}

async function move(item, other, where) {
  const sent = new URLSearchParams({
    csrf: tree.dataset.csrf,
    do: "move",
    kind: item.dataset.kind,
    id: item.dataset.id,
    where,
    "anchor-kind": other.dataset.kind,
    anchor: other.dataset.id,
    focus: `item-${item.dataset.id}`,
  });
  const answer = await fetch(tree.dataset.at, { method: "POST", body: sent });
  if (answer.ok) {
    location.reload();
    return;
  }
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const said = tree.previousElementSibling?.matches(".problem") ? tree.previousElementSibling : document.createElement("p");
  said.className = "problem";
  said.setAttribute("role", "alert");
  said.textContent = page.querySelector(".problem, main p")?.textContent ?? "It could not be moved.";
  tree.before(said);
}

if (tree) {
  for (const item of tree.querySelectorAll("li[data-id]")) item.draggable = true;
  tree.addEventListener("dragstart", (event) => {
    dragged = event.target.closest?.("li[data-id]") ?? null;
    if (!dragged) return;
    event.stopPropagation();
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", dragged.dataset.id);
    dragged.classList.add("is-dragged");
  });
  tree.addEventListener("dragover", (event) => {
    const item = target(event);
    mark(item, item && whereIn(item, event));
    if (item) event.preventDefault();
  });
  tree.addEventListener("drop", async (event) => {
    const item = target(event);
    if (!item) return;
    event.preventDefault();
    await move(dragged, item, whereIn(item, event));
  });
  tree.addEventListener("dragend", () => {
    dragged?.classList.remove("is-dragged");
    dragged = null;
    mark(null);
  });
}
