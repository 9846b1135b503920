/** The installation page: an integration installed, configured, paused and uninstalled, everywhere in its organization. */

import { EventLog } from "../events/log.js";
import { InstallationCard } from "./card.js";
import { loadInstalled, madeFor, wrongOf } from "./installations.js";
import { call } from "../shared/session.js";
import { chooseTheme, followLine, linkPages, loadProject, name, say } from "../shared/frame.js";

const LEVELS = { space: "spaces", site: "sites" };
const $ = (id) => document.getElementById(id);

let project = null;
let choosing = 0;
let loading = Promise.resolve();
const cards = new Map();
linkPages();
let theme = chooseTheme((chosen) => {
  theme = chosen;
  for (const card of cards.values()) card.setTheme(chosen);
});
const log = new EventLog({ name, list: $("events"), detail: $("detail"), count: $("count"), followButton: $("follow"), filters: { text: $("filter"), quiet: $("quiet") } });

function apologise(words) {
  $("sorry").textContent = words;
  $("known").hidden = words !== "";
}

/** Load everything again, one after the other: an answer of before must not cover that of after. */
function load() {
  loading = loading.then(refresh);
  return loading;
}

async function refresh() {
  const found = await loadProject();
  if (found.sorry) return apologise(found.sorry);
  project = found.project;
  if (!project.integration) return apologise("There is no version yet. This page loads by itself once the first one is live.");
  const installed = await loadInstalled(project);
  if (installed.wrong) return apologise(installed.wrong);
  apologise("");
  draw(installed.levels);
  return undefined;
}

function draw(levels) {
  const kept = new Set();
  const show = (place, level, subject, installation) => {
    const key = `${level}:${subject.id}`;
    kept.add(key);
    if (!cards.has(key)) {
      cards.set(key, new InstallationCard({ level, subject, getProject: () => project, theme: () => theme, changed: load }));
      place.append(cards.get(key).node);
    }
    cards.get(key).show(installation);
  };
  show($("organization"), "account", project.organization, project.installation);
  for (const [level, plural] of Object.entries(LEVELS)) {
    const meant = madeFor(project.integration, level);
    $(plural).hidden = !project.installation || !meant;
    if ($(plural).hidden) continue;
    for (const { subject, part } of levels[level]) show($(`${plural}-cards`), level, subject, part);
    $(`${plural}-none`).hidden = levels[level].length > 0;
    // What somebody has just chosen is not stored yet.
    if (choosing) continue;
    for (const choice of document.querySelectorAll(`input[name=${level}_selection]`)) choice.checked = choice.value === project.installation[`${level}_selection`];
  }
  for (const [key, card] of cards) {
    if (kept.has(key)) continue;
    card.node.remove();
    cards.delete(key);
  }
}

for (const [level, plural] of Object.entries(LEVELS)) {
  for (const choice of document.querySelectorAll(`input[name=${level}_selection]`)) {
    choice.addEventListener("change", async () => {
      const path = `/v1/integrations/${encodeURIComponent(name)}/installations/${encodeURIComponent(project.installation.id)}`;
      choosing += 1;
      const wrong = wrongOf(await call(path, { method: "PATCH", body: { [`${level}_selection`]: choice.value } }));
      choosing -= 1;
      $(`${plural}-wrong`).textContent = wrong ?? "";
      if (!wrong) say(choice.value === "all" ? `Installed on all ${plural}, including future ones.` : `Installed only on the selected ${plural}.`);
      await load();
    });
  }
}

// A sign-in in another window may have changed the configuration.
window.addEventListener("focus", load);

await load();
if (project) {
  followLine(
    {
      version: async () => {
        await load();
        for (const card of cards.values()) card.refresh();
      },
      event: async (item) => {
        log.add(item);
        if (/_(setup|deleted)$/.test(item.type)) await load();
      },
    },
    async (isFirst) => {
      if (!isFirst) await load();
      await log.load();
    },
  );
}
