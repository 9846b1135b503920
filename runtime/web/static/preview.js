/** The preview page: draws one screen of an integration and shows what it does, live. */

import { Component } from "./component.js";
import { make } from "./dom.js";
import { EventLog, faultLines } from "./eventlog.js";
import { schemaForm } from "./form.js";
import { icon } from "./icons.js";
import { contextOf, installationOf, propsOf, screensOf } from "./screens.js";
import { call } from "./session.js";
import { follow } from "./stream.js";

const name = decodeURIComponent(window.location.pathname.split("/").filter(Boolean)[1] ?? "");
const api = `/preview/api/${encodeURIComponent(name)}`;
const $ = (id) => document.getElementById(id);
const THEME = "devkit-preview-theme";
const PAUSE_BEFORE_PROPS = 300;

let project = null;
let screen = null;
let component = null;
let theme = localStorage.getItem(THEME) ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");

const propsKey = () => `devkit-preview-props:${name}:${screen.key}`;
const render = (body) => call(`/v1/integrations/${encodeURIComponent(name)}/render`, { method: "POST", body });

const events = new EventLog({
  name,
  list: $("events"),
  detail: $("detail"),
  filter: $("filter"),
  quiet: $("quiet"),
  followButton: $("follow"),
  count: $("count"),
});

/** Load what is known about the integration; returns whether it could be loaded. */
async function load() {
  const answer = await call(api);
  if (!answer.ok) {
    const closed = answer.status === 401 || answer.status === 403;
    stop(closed ? "This page needs its key. Open the address that devkit dev printed." : (answer.body?.error?.message ?? `Status ${answer.status}`));
    return false;
  }
  project = answer.body;
  showFault(project.fault ?? null);
  if (!project.integration) {
    // The page is open before the first version could be published: it begins when the author has mended it.
    $("title").textContent = name;
    stop("There is no version yet. This page begins by itself once the first one is live.");
    return false;
  }
  document.title = `${project.integration.title} · preview`;
  $("title").textContent = project.integration.title;
  $("version").textContent = `v${project.integration.version}`;
  $("description").textContent = project.integration.description ?? "";
  return true;
}

function stop(message) {
  $("stage").replaceChildren(make("p", { class: "stage-message", role: "alert" }, message));
}

/** Draw the list of screens, and choose the one of the address, or the first. */
function listScreens() {
  const groups = screensOf(project);
  const all = groups.flatMap((group) => group.screens);
  const wanted = decodeURIComponent(window.location.hash.slice(1));
  const next = all.find((one) => one.key === wanted) ?? all.find((one) => one.key === screen?.key) ?? all[0] ?? null;
  $("screens").replaceChildren(
    ...groups.map((group) =>
      make(
        "section",
        {},
        make("h2", {}, group.title),
        make(
          "ul",
          {},
          group.screens.map((one) =>
            make("li", {}, make("a", { class: "screen", href: `#${one.key}`, "aria-current": one.key === next?.key ? "page" : null, title: one.hint }, make("span", {}, one.title), make("small", {}, one.hint))),
          ),
        ),
      ),
    ),
  );
  return next;
}

/** Show a screen from its beginning. */
async function open(next) {
  screen = next;
  component?.leave();
  component = null;
  $("state-title").textContent = screen?.schema ? "Stored configuration" : "State";
  if (!screen) {
    stop("This integration has no block and no configuration screen. Its events are below.");
    editProps({}, false);
    showState({});
    $("stage-title").textContent = "";
    return;
  }
  $("stage-title").textContent = screen.title;
  for (const link of $("screens").querySelectorAll("a")) {
    if (link.hash === `#${screen.key}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (screen.schema) openForm();
  else await openComponent();
}

function openForm() {
  const { installation, path } = installationOf(screen, project);
  editProps({}, false);
  showState(installation?.configuration ?? {});
  if (!installation) {
    stop("The integration is not installed here, so there is nothing to configure.");
    return;
  }
  const form = schemaForm(screen.schema, installation.configuration ?? {}, installation.urls?.publicEndpoint, async (configuration) => {
    const answer = await call(path, { method: "PATCH", body: { configuration } });
    if (!answer.ok) return answer.body?.error?.message ?? `Status ${answer.status}`;
    Object.assign(installation, { configuration });
    showState(configuration);
    return null;
  });
  $("stage").replaceChildren(form);
}

async function openComponent() {
  const supplied = propsOf(screen, project);
  const props = screen.kind === "block" ? storedProps(supplied) : supplied;
  component = new Component({
    render,
    componentId: screen.componentId,
    props,
    context: contextOf(screen, project, theme),
    own: ownOrigin(),
    onChange: ({ state, props: current }) => {
      showState(state);
      if (document.activeElement !== $("props")) editProps(current, true);
    },
    onStore: (current) => {
      if (screen.kind === "block") localStorage.setItem(propsKey(), JSON.stringify(current));
      editProps(current, true);
    },
    onComplete: completed,
  });
  editProps(props, true);
  showState({});
  $("stage").replaceChildren(component.node);
  await component.start();
}

/** The origin on which the scripts of the integration answer. */
function ownOrigin() {
  const endpoint = project.installation?.urls?.publicEndpoint ?? project.integration.urls?.publicEndpoint;
  return endpoint ? new URL(endpoint).origin : undefined;
}

/** A configuration that is complete has saved by itself: load its new values and begin again. */
async function completed(returnValue) {
  say(`Completed${returnValue === undefined ? "" : ` with ${JSON.stringify(returnValue)}`}`);
  if (await load()) await openComponent();
}

function storedProps(fallback) {
  try {
    return JSON.parse(localStorage.getItem(propsKey())) ?? fallback;
  } catch {
    return fallback;
  }
}

/** Show props in the editor, unless somebody is typing there. */
function editProps(props, enabled) {
  $("props").value = JSON.stringify(props, null, 2);
  $("props").disabled = !enabled;
  $("props-wrong").textContent = "";
  $("props").removeAttribute("aria-invalid");
}

let propsTimer = 0;
$("props").addEventListener("input", () => {
  clearTimeout(propsTimer);
  let props;
  try {
    props = JSON.parse($("props").value);
    if (typeof props !== "object" || props === null || Array.isArray(props)) throw new Error("Props are a JSON object: { … }");
  } catch (error) {
    $("props").setAttribute("aria-invalid", "true");
    $("props-wrong").textContent = error.message;
    return;
  }
  $("props").removeAttribute("aria-invalid");
  $("props-wrong").textContent = "";
  propsTimer = setTimeout(() => {
    if (screen?.kind === "block") localStorage.setItem(propsKey(), JSON.stringify(props));
    component?.setProps(props);
  }, PAUSE_BEFORE_PROPS);
});

function showState(state) {
  $("state").textContent = JSON.stringify(state, null, 2);
}

let sayTimer = 0;
function say(message) {
  $("toast").textContent = message;
  $("toast").hidden = false;
  clearTimeout(sayTimer);
  sayTimer = setTimeout(() => {
    $("toast").hidden = true;
  }, 4000);
}

function showFault(fault) {
  $("fault").hidden = !fault;
  if (!fault) return;
  const words = make("div", {}, make("strong", {}, "The last change is not live"), make("span", {}, project?.integration ? "The version before it keeps running." : "There is no version before it."));
  $("fault").replaceChildren(make("header", {}, icon("warning"), words), faultLines(fault));
}

function applyTheme() {
  document.documentElement.dataset.theme = theme;
  for (const choice of document.querySelectorAll("input[name=theme]")) choice.checked = choice.value === theme;
}

for (const choice of document.querySelectorAll("input[name=theme]")) {
  choice.addEventListener("change", () => {
    theme = choice.value;
    localStorage.setItem(THEME, theme);
    applyTheme();
    component?.setContext(contextOf(screen, project, theme));
  });
}

$("restart").addEventListener("click", () => screen && open(screen));

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
  if (next && next.key !== screen?.key) open(next);
});

// A sign-in in another window may have changed the configuration.
window.addEventListener("focus", async () => {
  if (!project?.integration || screen?.kind !== "configuration" || $("stage").contains(document.activeElement)) return;
  const before = JSON.stringify(installationOf(screen, project).installation?.configuration);
  if ((await load()) && JSON.stringify(installationOf(screen, project).installation?.configuration) !== before) await open(screen);
});

/** A new version is live: draw at once with the state kept, then see whether the manifest changed. */
async function changed({ version }) {
  // First what the author waits for; a script that takes long must not hold up the rest.
  await Promise.race([component?.refresh(), new Promise((done) => setTimeout(done, 200))]);
  const began = screen === null;
  if (!(await load())) return;
  // The first version: it is installed in a moment, and that is told too.
  if (began && !project.installation) return;
  if (version !== undefined) $("version").textContent = `v${version}`;
  if (began) await events.load();
  const next = listScreens();
  const same = (one) => JSON.stringify([one?.key, one?.componentId, one?.schema]);
  if (began || same(next) !== same(screen)) await open(next);
  else screen = next;
}

let connectedOnce = false;
async function lineState(connected) {
  $("line").dataset.state = connected ? "live" : "off";
  $("line").lastChild.textContent = connected ? "Live" : "Reconnecting …";
  if (connected && connectedOnce) await changed({});
  if (connected) {
    connectedOnce = true;
    await events.load();
  }
}

applyTheme();
const first = (await load()) ? listScreens() : null;
if (project) {
  follow(
    `${api}/stream`,
    {
      version: changed,
      fault: ({ fault }) => {
        showFault(fault);
        // Told once more after the first version was installed: only now it can be drawn.
        if (!fault && !project.installation) changed({});
      },
      event: (item) => events.add(item),
    },
    lineState,
  );
  if (first || project.integration) await open(first);
}
