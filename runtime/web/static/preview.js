/** The component page: draws one screen of an integration and shows what it does, live. */

import { make } from "/contentkit/dom.js";
import { icon } from "/contentkit/icons.js";
import { ComponentPage } from "./componentpage.js";
import { EventLog } from "./eventlog.js";
import { faultLines } from "./faults.js";
import { installationOf, screensOf } from "./screens.js";
import { api, chooseTheme, followLine, linkPages, loadProject, name, say } from "./surroundings.js";

const $ = (id) => document.getElementById(id);

let project = null;
linkPages();
const theme = chooseTheme((chosen) => page.setTheme(chosen));
const page = new ComponentPage({ name, api, theme, completed });
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
  const { project: found, sorry } = await loadProject();
  if (sorry) {
    page.say(sorry);
    return false;
  }
  project = found;
  showFault(project.fault ?? null);
  if (project.integration) return true;
  // The page is open before the first version could be published: it begins when the author has mended it.
  page.say("There is no version yet. This page begins by itself once the first one is live.");
  return false;
}

/** Draw the list of screens, and choose the one of the address, or the first. */
function listScreens() {
  const groups = screensOf(project);
  const all = groups.flatMap((group) => group.screens);
  const wanted = decodeURIComponent(window.location.hash.slice(1));
  const next = all.find((one) => one.key === wanted) ?? all.find((one) => one.key === page.screen?.key) ?? all[0] ?? null;
  const link = (one) => make("a", { class: "screen", href: `#${one.key}`, title: one.hint }, make("span", {}, one.title), make("small", {}, one.hint));
  $("screens").replaceChildren(
    ...groups.map((group) => make("section", {}, make("h2", {}, group.title), make("ul", {}, group.screens.map((one) => make("li", {}, link(one)))))),
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
  const words = make("div", {}, make("strong", {}, "The last change is not live"), make("span", {}, project?.integration ? "The version before it keeps running." : "There is no version before it."));
  $("fault").replaceChildren(make("header", {}, icon("warning"), words), faultLines(fault));
}

$("restart").addEventListener("click", () => page.screen && open(page.screen));

window.addEventListener("hashchange", () => {
  if (window.location.hash.startsWith("#key=")) {
    // The printed address was opened once more in this tab, perhaps with another key.
    window.location.reload();
    return;
  }
  const wanted = decodeURIComponent(window.location.hash.slice(1));
  const next = screensOf(project?.integration ? project : { integration: {} })
    .flatMap((group) => group.screens)
    .find((one) => one.key === wanted);
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
  const drawn = Promise.race([page.refresh(), new Promise((done) => setTimeout(done, 200))]);
  if (!manifest) await drawn;
  if (!(await (loading ?? load()))) return;
  // The first version: it is installed in a moment, and that is told too.
  if (began && !project.installation) return;
  if (version !== undefined) $("version").textContent = `v${version}`;
  if (began) await events.load();
  const next = listScreens();
  const same = (one) => JSON.stringify([one?.key, one?.componentId, one?.schema]);
  if (began || same(next) !== same(page.screen)) await open(next);
  else Object.assign(page, { screen: next, project });
  await drawn;
}

const first = (await load()) ? listScreens() : null;
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
