/** Tabs: one panel at a time, moved through with the arrow keys. */

/** Make a `role=tablist` work; returns a function that chooses the tab with an id. */
export function tabs(list) {
  const all = [...list.querySelectorAll("[role=tab]")];
  const choose = (id) => {
    for (const tab of all) {
      const chosen = tab.id === id;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      document.getElementById(tab.getAttribute("aria-controls")).hidden = !chosen;
    }
  };
  for (const tab of all) tab.addEventListener("click", () => choose(tab.id));
  list.addEventListener("keydown", (event) => {
    const at = all.indexOf(document.activeElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    const next = all[(to + all.length) % all.length];
    next.focus();
    choose(next.id);
  });
  choose(all.find((tab) => tab.getAttribute("aria-selected") === "true")?.id ?? all[0].id);
  return choose;
}
