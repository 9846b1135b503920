/** The page about the published site: publishing it, who may read it, what is injected, and what its policy keeps out. */

import { make } from "/contentkit/dom.js";
import { screensOf } from "../shared/screens.js";
import { call } from "../shared/session.js";
import { drawPlaces, drawPolicy, drawReader, drawScripts, drawViolation } from "./view.js";
import { api, chooseTheme, followLine, linkPages, loadProject, name, say } from "../shared/frame.js";

const KEPT_OUT = "site_policy_violation";
const MOST = 100;
const $ = (id) => document.getElementById(id);
const events = `/v1/integrations/${encodeURIComponent(name)}/events`;

let project = null;
linkPages();
chooseTheme();

/** Say why there is nothing to see, with the pages where there is, as `[words of the link, address]`. */
function apologise(words, pages = []) {
  const links = pages.map(([title, place]) => make("li", {}, make("a", { href: `/preview/${encodeURIComponent(name)}${place}` }, title)));
  $("sorry").replaceChildren(words, links.length ? make("ul", { class: "lines" }, links) : "");
  $("known").hidden = words !== "";
}

/** Tell an author whose integration is on no site what can be previewed instead, and how it gets on one. */
function withoutSite(integration) {
  const shown = screensOf(project).length ? [["Its blocks and screens", ""]] : [];
  const elsewhere = [...shown, ["Its events, and sending events to it", "/events"], ["Where it is installed", "/installation"]];
  const { target } = integration;
  if (target === "space" || target === "organization") {
    return [`This integration is for ${target}s (its manifest says target: ${target}), so it cannot be on a site. With target: all, this page shows it on the sample site. You can preview these now:`, elsewhere];
  }
  return ["The integration is not on a site yet. Install it on one from the Installation page:", elsewhere.slice(-1)];
}

/** Load the site as it is now. */
async function load() {
  const found = await loadProject();
  if (found.sorry) return apologise(found.sorry);
  project = found.project;
  if (!project.integration) return apologise("There is no version yet. This page loads by itself once the first one is live.");
  if (!project.site) return apologise(...withoutSite(project.integration));
  const answer = await call(`${api}/site`);
  if (!answer.ok) return apologise(answer.body?.error?.message ?? `Status ${answer.status}`);
  apologise("");
  draw(answer.body);
  return undefined;
}

function draw(state) {
  const { site, integration } = project;
  $("site-title").textContent = site.title;
  $("site-status").textContent = site.published ? "published" : "not published";
  $("site-status").dataset.status = site.published ? "success" : "";
  $("publish").textContent = site.published ? "Take offline" : "Publish";
  $("open").hidden = !site.published;
  $("open").href = state.address;
  const guards = (integration.scopes ?? []).includes("site:visitor:auth");
  const hint = guards ? "Visitors are sent through the integration's handler for visitor authentication." : "The integration does not ask for the scope site:visitor:auth, so it cannot sign visitors in.";
  $("guard-hint").textContent = site.visibility === "share-link" || site.visibility === "unlisted" ? `${hint} Now: ${site.visibility}.` : hint;
  for (const choice of document.querySelectorAll("input[name=visibility]")) {
    choice.checked = choice.value === site.visibility;
    choice.disabled = choice.value === "visitor-auth" && !guards;
  }
  $("places").replaceChildren(...drawPlaces(state, name, site.published));
  $("scripts").replaceChildren(...drawScripts(state, integration));
  $("policy").replaceChildren(...drawPolicy(state));
  $("reader").replaceChildren(...drawReader(state.reader));
}

/** Change the site by the API. */
async function change(body, words) {
  const answer = await call(`/v1/orgs/${encodeURIComponent(project.organization.id)}/sites/${encodeURIComponent(project.site.id)}`, { method: "PATCH", body });
  $("wrong").textContent = answer.ok ? "" : (answer.body?.error?.message ?? `Status ${answer.status}`);
  if (answer.ok) say(words);
  await load();
}

$("publish").addEventListener("click", () => {
  const published = !project.site.published;
  return change({ published }, published ? "The site is published." : "The site is no longer published.");
});
for (const choice of document.querySelectorAll("input[name=visibility]")) {
  choice.addEventListener("change", () => {
    const guard = choice.value === "visitor-auth" ? { visitorAuth: { backend: "integration", integration: name } } : {};
    return change({ visibility: choice.value, ...guard }, choice.value === "public" ? "Everybody can read the site." : "Visitors must sign in first.");
  });
}

function showKept(items) {
  $("kept").prepend(...items.map(drawViolation));
  for (const old of [...$("kept").children].slice(MOST)) old.remove();
  $("kept").querySelector(".empty")?.remove();
  $("kept-count").textContent = String($("kept").children.length);
  if (!$("kept").children.length) $("kept").append(make("li", { class: "empty" }, "Nothing yet. What browsers block appears here immediately, and as a warning in the events."));
}

async function loadKept() {
  const answer = await call(`${events}?type=${KEPT_OUT}&limit=${MOST}`);
  $("kept").replaceChildren();
  showKept(answer.ok ? answer.body.items : []);
}

await load();
if (project) {
  followLine(
    {
      version: load,
      reader: (reader) => $("reader").replaceChildren(...drawReader(reader)),
      event: async (item) => {
        if (item.type === KEPT_OUT) {
          const answer = await call(`${events}/${encodeURIComponent(item.id)}`);
          if (answer.ok) showKept([answer.body.event]);
        } else if (item.type.startsWith("site_installation") || item.type.startsWith("installation")) await load();
      },
    },
    async (isFirst) => {
      if (!isFirst) await load();
      await loadKept();
    },
  );
}
