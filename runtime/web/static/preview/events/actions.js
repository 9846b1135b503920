/** What can be done with past events: sent again, sent again with another payload, kept as a scenario. */

import { freshId, make } from "/contentkit/dom.js";
import { Overlay } from "/contentkit/overlay.js";
import { JsonEditor } from "../shared/json_editor.js";
import { call } from "../shared/session.js";
import { say } from "../shared/frame.js";
import { yaml } from "./yaml.js";

const PLACES = ["installationId", "spaceId", "siteId"];
const MASKED = "[secret]";
const ENDPOINT = /^https?:\/\/[^/]+\/v1\/integrations\/[^/?]+\/(?:integration|installation\/[^/?]+|(?:space|site)-installation\/[^/?]+\/[^/?]+)(?=[/?]|$)/;
const HEADER = `# A scenario for \`devkit play\`. \`after\` is the pause before an event, in seconds.
# Events get the ids of the installation, space and site they are played to; to choose others, write installationId,
# spaceId or siteId into an event ("*": any). A \`fetch\` may have a \`body\` next to its event.
`;

const without = (value, keys) => Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));

/**
 * Return a past payload as it can be sent once more: without its id and, `elsewhere`, the ids of its host. The address of
 * a request becomes relative to the endpoint, and headers that the host did not keep are left out. \`devkit replay\` does
 * the same.
 */
export function again(payload, elsewhere) {
  const event = without(payload, ["eventId", ...(elsewhere ? PLACES : [])]);
  if (event.type === "fetch") {
    if (elsewhere) for (const key of PLACES) if (key in payload) event[key] = "*";
    const headers = Object.fromEntries(Object.entries(event.request.headers ?? {}).filter(([, value]) => value !== MASKED));
    const tail = event.request.url.replace(ENDPOINT, "");
    event.request = { ...event.request, headers, url: tail || "/" };
  }
  if (elsewhere && event.context && typeof event.context === "object") event.context = without(event.context, [...PLACES, "organizationId"]);
  return event;
}

/** Return events as the text of a scenario, oldest first, with the pauses between them. */
export function scenario(integration, events) {
  const ordered = [...events].sort((first, second) => first.createdAt.localeCompare(second.createdAt));
  let before = null;
  const steps = ordered.map((event) => {
    const moment = Date.parse(event.createdAt);
    const after = before === null ? 0 : Math.max(0, (moment - before) / 1000);
    before = moment;
    return { after, event: again(event.payload, true), ...(event.body === undefined ? {} : { body: event.body }) };
  });
  return HEADER + yaml({ integration, events: steps });
}

/** Offer a text as a file to keep. */
function download(file, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "application/yaml" }));
  make("a", { href: url, download: file }).click();
  URL.revokeObjectURL(url);
}

/** Make and perform the actions on events of one integration; `sent(id)` is called for each event that went out. */
export class EventActions {
  constructor({ name, sent }) {
    Object.assign(this, { name, sent });
  }

  /** Return the buttons for an event, which has the `body` of its request where the host kept it. */
  buttons(event) {
    const button = (words, onclick) => make("button", { type: "button", class: "ck-button", onclick }, words);
    return [
      button("Replay", () => this.replay(event)),
      button("Edit and replay", () => this.edit(event)),
      button("Save as scenario", () => this.save([event])),
    ];
  }

  /** Send an event again, as it was. */
  async replay(event) {
    const sorry = await this.#send(again(event.payload, false), event.body);
    if (sorry) say(`Not sent: ${sorry}`);
  }

  /** Open a dialog with the payload, and send what it becomes. */
  edit(event) {
    this.#compose("Edit and replay", again(event.payload, false), event.body);
  }

  /** Open a dialog in which an event of any type is written; `examples` are payloads by type. */
  create(examples) {
    const kinds = Object.keys(examples);
    const first = kinds.includes("space_content_updated") ? "space_content_updated" : kinds[0];
    this.#compose("Send event", examples[first], "", examples);
  }

  #compose(title, payload, content, examples) {
    const overlay = new Overlay({ title, size: "xlarge", onClose: () => overlay.close() });
    const id = freshId("payload");
    const wrong = make("p", { class: "wrong", role: "status", id: `${id}-wrong` });
    const area = make("textarea", { id, class: "code", rows: "18", spellcheck: "false", autocomplete: "off", "aria-describedby": wrong.id });
    const editor = new JsonEditor({ area, wrong, what: "A payload" });
    editor.show(payload, { force: true });
    const body = make("textarea", { id: `${id}-body`, class: "code", rows: "4", spellcheck: "false" });
    body.value = content ?? "";
    const request = make("div", { class: "dialog-form", hidden: payload.type !== "fetch" }, make("label", { for: body.id }, "Body of the request"), body);
    const choice = examples && make("select", { id: `${id}-type` }, Object.keys(examples).map((kind) => make("option", { value: kind, selected: kind === payload.type }, kind)));
    choice?.addEventListener("change", () => {
      editor.show(examples[choice.value], { force: true });
      request.hidden = choice.value !== "fetch";
    });
    overlay.body.append(
      make("div", { class: "dialog-form" }, ...(choice ? [make("label", { for: choice.id }, "Type"), choice] : []), make("label", { for: id }, "Payload"), area, wrong, request),
    );
    const send = make("button", { type: "button", class: "ck-button ck-primary" }, "Send");
    send.addEventListener("click", async () => {
      const payload = editor.read();
      if (!payload) return area.focus();
      send.disabled = true;
      const sorry = await this.#send(payload, payload.type === "fetch" ? body.value : "");
      send.disabled = false;
      if (!sorry) return overlay.close();
      wrong.textContent = sorry;
      return area.focus();
    });
    overlay.foot(make("button", { type: "button", class: "ck-button", onclick: () => overlay.close() }, "Cancel"), send);
    (choice ?? area).focus();
  }

  /** Keep events as a file that `devkit play` sends. */
  save(events) {
    download(`${this.name}.yaml`, scenario(this.name, events));
    say(`${events.length === 1 ? "One event" : `${events.length} events`} saved; \`devkit play ${this.name}.yaml\` sends ${events.length === 1 ? "it" : "them"}.`);
  }

  /** Send a payload by hand; returns what kept it from being sent, or nothing. */
  async #send(event, body) {
    const message = { event, ...(body ? { body } : {}) };
    const answer = await call(`/v1/integrations/${encodeURIComponent(this.name)}/events`, { method: "POST", body: message });
    if (!answer.ok) return answer.body?.error?.message ?? `Status ${answer.status}`;
    const { events, reason, answer: scriptAnswer } = answer.body;
    if (!events.length) return `no installation received the event: ${reason ?? "nothing matched"}`;
    say(scriptAnswer ? `Sent ${events[0]}, answered ${scriptAnswer.status}` : `Sent ${events[0]}`);
    this.sent?.(events[0]);
    return null;
  }
}
