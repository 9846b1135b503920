/** The component page: draws one screen of an integration and shows what it does, live. */

import { make } from "/contentkit/dom.js";
import { icon } from "/contentkit/icons.js";
import { pasteLink } from "./paste.js";
import { ScreenView } from "./screen_view.js";
import { EventLog } from "../events/log.js";
import { faultLines } from "../shared/faults.js";
import { installationOf, screensOf } from "../shared/screens.js";
import { api, chooseTheme, followLine, leaving, linkPages, loadProject, name, say } from "../shared/frame.js";

const $ = (id) => document.getElementById(id);

let project = null;
linkPages();
const theme = chooseTheme((chosen) => page.setTheme(chosen));
const page = new ScreenView({ name, api, theme, completed });
const events = new EventLog({
  name,
  list: $("events"),
  detail: $("detail"),
  count: $("count"),
  followButton: $("follow"),
  filters: { text: $("filter"), quiet: $("quiet") },
});

/** Load what is known about the integration; returns whether there is something to draw. */
async function load() {
  const { project: loaded, sorry } = await loadProject();
  if (sorry) {
    page.say(sorry);
    return false;
  }
  project = loaded;
  showFault(project.fault ?? null);
  if (project.integration) return true;
  // The page is open before the first version could be published: it begins when the author has fixed it.
  page.say("There is no version yet. This page loads by itself once the first one is live.");
  return false;
}

/** Draw the list of screens, and choose the one of the address, or the first. */
function listScreens() {
  const groups = screensOf(project);
  const all = groups.flatMap((group) => group.screens);
  const key = decodeURIComponent(window.location.hash.slice(1));
  const next = all.find((screen) => screen.key === key) ?? all.find((screen) => screen.key === page.screen?.key) ?? all[0] ?? null;
  const link = (screen) => make("a", { class: "screen", href: `#${screen.key}`, title: screen.hint }, make("span", {}, screen.title), make("small", {}, screen.hint));
  $("screens").replaceChildren(
    ...groups.map((group) => make("section", {}, make("h2", {}, group.title), make("ul", {}, group.screens.map((screen) => make("li", {}, link(screen)))))),
  );
  mark(next);
  return next;
}

function mark(screen) {
  for (const link of $("screens").querySelectorAll("a")) {
    if (link.hash === `#${screen?.key}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

/** Show a screen from its beginning. */
async function open(next) {
  mark(next);
  $("paste").hidden = !next?.unfurls?.length;
  await page.open(next, project);
}

/** A configuration that is complete has saved by itself: load its new values and begin again. */
async function completed(returnValue) {
  say(`Completed${returnValue === undefined ? "" : ` with ${JSON.stringify(returnValue)}`}`);
  if (await load()) await page.open(page.screen, project);
}

function showFault(fault) {
  $("fault").hidden = !fault;
  if (!fault) return;
  const words = make("div", {}, make("strong", {}, "The last change is not live"), make("span", {}, project?.integration ? "The previous version keeps running." : "There is no previous version."));
  $("fault").replaceChildren(make("header", {}, icon("warning"), words), faultLines(fault));
}

$("paste").addEventListener("click", () => pasteLink(page.screen.unfurls, (url) => page.paste(url)));
$("restart").addEventListener("click", () => page.screen && open(page.screen));

window.addEventListener("hashchange", () => {
  if (window.location.hash.startsWith("#key=")) {
    // The printed address was opened once more in this tab, perhaps with another key.
    window.location.reload();
    return;
  }
  const key = decodeURIComponent(window.location.hash.slice(1));
  const next = screensOf(project?.integration ? project : { integration: {} })
    .flatMap((group) => group.screens)
    .find((screen) => screen.key === key);
  if (next && next.key !== page.screen?.key) open(next);
});

// A sign-in in another window may have changed the configuration.
window.addEventListener("focus", async () => {
  const { screen } = page;
  if (!project?.integration || screen?.kind !== "configuration" || $("stage").contains(document.activeElement)) return;
  const before = JSON.stringify(installationOf(screen, project).installation?.configuration);
  if ((await load()) && JSON.stringify(installationOf(screen, project).installation?.configuration) !== before) await open(screen);
});

/** A new version is live: draw at once with the state kept, then see whether the manifest changed. */
async function changed({ version, manifest }) {
  const began = page.screen === null;
  // First what the author waits for: the manifest's part where that changed, else the new render alone. A script that
  // takes long must not hold up the rest.
  const loading = manifest ? load() : null;
  const rendering = Promise.race([page.refresh(), new Promise((done) => setTimeout(done, 200))]);
  if (!manifest) await rendering;
  if (!(await (loading ?? load()))) return;
  // The first version: it is installed in a moment, and that is reported too.
  if (began && !project.installation) return;
  if (version !== undefined) $("version").textContent = `v${version}`;
  if (began) await events.load();
  const next = listScreens();
  const same = (screen) => JSON.stringify([screen?.key, screen?.componentId, screen?.schema]);
  if (began || same(next) !== same(page.screen)) await open(next);
  else Object.assign(page, { screen: next, project });
  await rendering;
}

const first = (await load()) ? listScreens() : null;
// What has nothing to draw is looked at by its events.
if (project?.integration && !first && !leaving) window.location.replace(`/preview/${encodeURIComponent(name)}/events`);
if (project) {
  followLine(
    {
      version: changed,
      fault: ({ fault }) => {
        showFault(fault);
        // Told once more after the first version was installed: only now it can be drawn.
        if (!fault && !project.installation) changed({});
      },
      event: (item) => events.add(item),
    },
    async (isFirst) => {
      if (!isFirst) await changed({});
      await events.load();
    },
  );
  if (first || project.integration) await open(first);
}
