/** The events page: all of an integration's events, filtered, looked at, sent again and kept. */

import { make } from "/contentkit/dom.js";
import { EventLog } from "./log.js";
import { call } from "../shared/session.js";
import { api, chooseTheme, followLine, linkPages, loadProject, name, say } from "../shared/frame.js";

const MOST = 1000;
const PAUSE = 200;
// Events that ended earlier may have begun later than those that are looked for.
const SPARE = 20;
const $ = (id) => document.getElementById(id);

linkPages();
chooseTheme();
const log = new EventLog({
  name,
  list: $("events"),
  detail: $("detail"),
  count: $("count"),
  followButton: $("follow"),
  filters: { text: $("filter"), quiet: $("quiet"), type: $("type"), status: $("status"), installation: $("installation"), since: $("since") },
  most: MOST,
  fetch: latest,
  ticked: showTicked,
});

/** Load the events with their payloads, so that their text can be searched. */
async function latest() {
  const answer = await call(`${log.path}?limit=${MOST}&queued=true`);
  if (!answer.ok) return null;
  const items = answer.body.items.map(lineOf);
  offer(items);
  return items;
}

const lineOf = ({ id, createdAt, installationId, status, subject, payload, delivery }) => ({
  id,
  createdAt,
  installationId,
  status,
  subject,
  payload,
  type: payload.type,
  ending: delivery.ending,
  answer: delivery.answer,
  dueAt: delivery.nextAttemptAt,
  durationMs: delivery.durationMs,
});

/** Offer the types and installations that there are; what is chosen stays. */
function offer(items) {
  const fill = (field, values) => {
    for (const value of [...new Set(values)].filter(Boolean).sort()) {
      if (![...field.options].some((option) => option.value === value)) field.append(make("option", { value }, value));
    }
  };
  fill($("type"), items.map((item) => item.type));
  fill($("installation"), items.map((item) => item.installationId));
}

let bare = 0;
let timer = 0;

/** Take in a line as it arrives; the payloads of many are asked for in one go. */
function add(item) {
  offer([item]);
  log.add(item);
  bare += 1;
  clearTimeout(timer);
  timer = setTimeout(async () => {
    const limit = Math.min(bare + SPARE, MOST);
    bare = 0;
    const answer = await call(`${log.path}?limit=${limit}`);
    if (answer.ok) log.complete(answer.body.items);
  }, PAUSE);
}

function showTicked(ids) {
  $("save").disabled = ids.length === 0;
  $("save").textContent = ids.length ? `Save ${ids.length} as scenario` : "Save as scenario";
}

$("save").addEventListener("click", async () => {
  const answers = await Promise.all([...log.ticks].map((id) => call(`${log.path}/${encodeURIComponent(id)}`)));
  const events = answers.filter((answer) => answer.ok).map(({ body }) => ({ ...body.event, body: body.body }));
  if (events.length) log.actions.save(events);
  else say("These events no longer exist.");
});

$("send").addEventListener("click", async () => {
  const answer = await call(`${api}/examples`);
  if (answer.ok) log.actions.create(answer.body);
  else say(answer.body?.error?.message ?? `Status ${answer.status}`);
});

/** Show where requests from outside go: the integration's own endpoint, and those of its installations. */
function showEndpoints(project) {
  const places = [
    ["Integration", project.integration],
    ["Installation", project.installation],
    [`Space ${project.space?.title ?? ""}`, project.spaceInstallation],
    [`Site ${project.site?.title ?? ""}`, project.siteInstallation],
  ].filter(([, part]) => part?.urls?.publicEndpoint);
  $("endpoints").hidden = !places.length;
  $("endpoints-list").replaceChildren(...places.flatMap(([words, part]) => [make("dt", {}, words), make("dd", {}, make("code", {}, part.urls.publicEndpoint))]));
}

// What happened “in the last minute” changes while one looks.
setInterval(() => $("since").value && log.filter(), 5000);

async function load() {
  const { project, sorry } = await loadProject();
  if (sorry) $("detail").replaceChildren(make("p", { class: "empty", role: "alert" }, sorry));
  else if (project?.integration) showEndpoints(project);
  return project;
}

if (await load()) followLine({ event: add, version: load }, () => log.load());
