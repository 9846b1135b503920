/** What all pages of the preview have: their header with its links, the theme, the line to the host, and the short messages. */

import { make } from "/contentkit/dom.js";
import { screensOf } from "./screens.js";
import { call } from "./session.js";
import { follow } from "./stream.js";

/** The pages: what follows the integration's name in the address, and the words of the link. */
const PAGES = [
  ["", "Component"],
  ["/events", "Events"],
  ["/site", "Site"],
  ["/installation", "Installation"],
];
const NO_KEY = "This page needs a key. In the terminal where devkit dev runs, open the address in the line “Preview of …”, or press o.";
const THEME = "devkit-preview-theme";
const $ = (id) => document.getElementById(id);
const path = window.location.pathname.split("/").filter(Boolean);

/** The integration that is looked at, and the path of what its pages ask for. */
export const name = decodeURIComponent(path[1] ?? "");
export const api = `/preview/api/${encodeURIComponent(name)}`;

/** Whether somebody has chosen another page, which is on its way: nothing may lead them elsewhere. */
export let leaving = false;
$("pages").addEventListener("click", (click) => {
  leaving ||= click.target.closest("a") !== null && !(click.ctrlKey || click.metaKey || click.shiftKey);
});

/** Draw the links to the pages; an integration that draws nothing has no page of its components. */
export function linkPages(project) {
  const here = path[2] ? `/${path[2]}` : "";
  const pages = project?.integration && !screensOf(project).length ? PAGES.slice(1) : PAGES;
  $("pages").replaceChildren(
    ...pages.map(([place, words]) => make("a", { href: `/preview/${encodeURIComponent(name)}${place}`, "aria-current": place === here ? "page" : null }, words)),
  );
}

/** Apply the theme that was chosen, or the system's; returns it, and calls `changed(theme)` when another is chosen. */
export function chooseTheme(changed) {
  const apply = (theme) => {
    document.documentElement.dataset.theme = theme;
    for (const choice of document.querySelectorAll("input[name=theme]")) choice.checked = choice.value === theme;
  };
  for (const choice of document.querySelectorAll("input[name=theme]")) {
    choice.addEventListener("change", () => {
      localStorage.setItem(THEME, choice.value);
      apply(choice.value);
      changed?.(choice.value);
    });
  }
  const theme = localStorage.getItem(THEME) ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  apply(theme);
  return theme;
}

/** Load what is known about the integration and show it in the header; returns `{project}`, or `{sorry}` with a sentence. */
export async function loadProject() {
  const answer = await call(api);
  if (!answer.ok) {
    const closed = answer.status === 401 || answer.status === 403;
    // Nothing will connect by itself.
    $("line").lastChild.textContent = closed ? "No key" : "Not connected";
    return { sorry: closed ? NO_KEY : (answer.body?.error?.message ?? `Status ${answer.status}`) };
  }
  const project = answer.body;
  $("title").textContent = project.integration?.title ?? name;
  if (!project.integration) return { project };
  linkPages(project);
  document.title = `${project.integration.title} · ${path[2] ?? "preview"}`;
  $("version").textContent = `v${project.integration.version}`;
  $("description").textContent = project.integration.description ?? "";
  return { project };
}

/** Follow what happens on the host; `back(first)` is called whenever the line stands, `on[event](data)` for what it brings. */
export function followLine(on, back) {
  let first = true;
  follow(`${api}/stream`, on, async (connected) => {
    $("line").dataset.state = connected ? "live" : "off";
    $("line").lastChild.textContent = connected ? "Live" : "Reconnecting …";
    if (!connected) return;
    const wasFirst = first;
    first = false;
    await back(wasFirst);
  });
}

let timer = 0;

/** Say something for a moment. */
export function say(message) {
  $("toast").textContent = message;
  $("toast").hidden = false;
  clearTimeout(timer);
  timer = setTimeout(() => {
    $("toast").hidden = true;
  }, 4000);
}
