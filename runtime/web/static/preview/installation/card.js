/** One installation on an organization, a space or a site: its status, its configuration, and what can be done with it. */

import { Component } from "/contentkit/component.js";
import { freshId, make } from "/contentkit/dom.js";
import { ask } from "/contentkit/overlay.js";
import { schemaForm } from "../shared/form.js";
import { addressesOf, missingOf, wrongOf } from "./installations.js";
import { contextOf, propsOf } from "../shared/screens.js";
import { call } from "../shared/session.js";
import { say } from "../shared/frame.js";
import { specifications } from "../shared/specifications.js";

const MAX_IDS = 5;
const STATUS = { active: "success", pending: "failed", paused: "" };

export class InstallationCard {
  #component = null;
  #drawn = null;
  #saving = false;
  #screen;

  /**
   * `getProject()` gives the project with what is installed, `theme()` the theme; `changed()` is called after every change
   * that was made here.
   */
  constructor({ level, subject, getProject, theme, changed }) {
    Object.assign(this, { level, subject, getProject, theme, changed, installation: null });
    const id = freshId("card");
    const press = (words, style, act) => make("button", { type: "button", class: `ck-button ${style}`, "aria-describedby": id, onclick: act }, words);
    this.status = make("span", { class: "badge" });
    this.toggle = press("", "", () => this.#pause());
    this.install = press("", "ck-primary", () => (this.installation ? this.#uninstall() : this.#install()));
    this.wrong = make("p", { class: "wrong", role: "alert" });
    this.note = make("p", { class: "empty" });
    this.body = make("div", {});
    this.title = make("h4", { id }, subject.title);
    this.node = make("article", { class: "sheet", "aria-labelledby": id }, make("header", {}, this.title, this.status, make("span", { class: "card-buttons" }, this.toggle, this.install)), this.wrong, this.note, this.body);
  }

  get #at() {
    return addressesOf(this.getProject(), this.level, this.subject);
  }

  /** Show the installation as it is now; null where it is not installed. What somebody fills in stays. */
  show(installation) {
    const before = this.installation;
    this.installation = installation;
    const { integration } = this.getProject();
    this.status.textContent = installation?.status ?? "not installed";
    this.status.dataset.status = STATUS[installation?.status] ?? "";
    this.install.textContent = installation ? "Uninstall" : "Install";
    this.install.classList.toggle("ck-primary", !installation);
    this.toggle.hidden = !installation;
    this.toggle.textContent = installation?.status === "paused" ? "Resume" : "Pause";
    const missing = installation?.status === "pending" ? missingOf(integration, this.level, installation) : [];
    this.note.textContent = missing.length ? `Setup is incomplete: ${missing.join(", ")} ${missing.length > 1 ? "are" : "is"} required before it is active.` : "";
    if (!installation || !before) {
      this.#drawn = null;
      this.#component?.leave();
      this.#component = null;
      this.body.replaceChildren(...(installation ? this.#parts() : []));
      return;
    }
    if (this.ids !== document.activeElement) this.ids.value = (installation.externalIds ?? []).join("\n");
    if (JSON.stringify(before.configuration) !== JSON.stringify(installation.configuration)) this.#redraw();
  }

  /** Draw a component in another theme. */
  setTheme(theme) {
    if (this.#component) this.#component.setContext({ ...this.#component.context, theme });
  }

  /** A new version is live: draw its screen, again where the manifest has another one. */
  refresh() {
    if (!this.installation) return;
    if (this.#screen !== this.#screenNow) this.body.replaceChildren(...this.#parts());
    else if (this.#component) this.#component.refresh();
  }

  get #screenNow() {
    return JSON.stringify(this.getProject().integration.configurations?.[this.level]);
  }

  /** Draw the configuration again, unless somebody is at it. */
  #redraw() {
    if (this.#saving || this.#drawn?.contains(document.activeElement)) return;
    this.#drawn?.replaceWith(this.#configuration());
  }

  #parts() {
    this.#screen = this.#screenNow;
    const { urls, externalIds } = this.installation;
    const screen = this.getProject().integration.configurations?.[this.level];
    const more = (title, content) => make("details", { class: "more" }, make("summary", {}, title), content);
    return [
      make("dl", { class: "facts" }, make("dt", {}, "Public endpoint"), make("dd", { class: "copied" }, make("code", {}, urls.publicEndpoint), this.#copy(urls.publicEndpoint))),
      screen ? more("Configuration", this.#configuration()) : null,
      more("External ids", this.#ids(externalIds ?? [])),
    ].filter(Boolean);
  }

  #copy(text) {
    const copy = async () => {
      try {
        await navigator.clipboard.writeText(text);
        say("Address copied.");
      } catch {
        say("This browser does not let pages copy. Select the address and copy it yourself.");
      }
    };
    return make("button", { type: "button", class: "ck-button ck-quiet", "aria-label": `Copy the public endpoint of ${this.subject.title}`, onclick: copy }, "Copy");
  }

  /** Draw the screen of this level: the form of its properties, or the component that stands for it. */
  #configuration() {
    const project = this.getProject();
    const schema = project.integration.configurations[this.level];
    this.#component?.leave();
    this.#component = null;
    if (!schema.componentId) {
      this.#drawn = schemaForm(schema, this.installation.configuration ?? {}, this.installation.urls.publicEndpoint, (configuration) => this.#patch({ configuration }), () => this.#latest());
      return this.#drawn;
    }
    const screen = { kind: "configuration", level: this.level };
    const here = { ...project, [this.level]: this.subject, [`${this.level}Installation`]: this.installation };
    this.#component = new Component({
      render: (body) => call(`/v1/integrations/${encodeURIComponent(project.integration.name)}/render`, { method: "POST", body }),
      componentId: schema.componentId,
      props: propsOf(screen, here),
      context: contextOf(screen, here, this.theme()),
      own: new URL(this.installation.urls.publicEndpoint).origin,
      specs: () => specifications(project.organization?.id),
      onComplete: () => {
        say("Saved.");
        this.changed();
      },
    });
    this.#drawn = make("div", {}, this.#component.node);
    this.#component.start();
    return this.#drawn;
  }

  #ids(ids) {
    this.ids = make("textarea", { id: freshId("ids"), class: "code", rows: 3, spellcheck: "false", value: ids.join("\n") });
    const save = async (event) => {
      event.preventDefault();
      const externalIds = this.ids.value.split("\n").map((line) => line.trim()).filter(Boolean);
      await this.#act("PATCH", this.#at.one, { externalIds }, "External ids saved.");
    };
    const words = `Names that an external service uses for this installation, one per line, at most ${MAX_IDS}.`;
    return make("form", { class: "ids", onsubmit: save }, make("label", { for: this.ids.id }, words), this.ids, make("button", { class: "ck-button" }, "Save external ids"));
  }

  async #pause() {
    const paused = this.installation.status === "paused";
    await this.#act("PATCH", this.#at.one, { status: paused ? "active" : "paused" }, paused ? "Resumed." : "Paused. It receives no events.");
  }

  async #install() {
    const { install, body } = this.#at;
    await this.#act("POST", install, body, `Installed on ${this.subject.title}.`);
  }

  async #uninstall() {
    const all = this.level === "account" ? " It is also removed from all spaces and sites of the organization." : "";
    const text = `Its configuration on ${this.subject.title} is lost.${all}`;
    const sure = await ask({ title: "Uninstall it?", text, confirm: "Uninstall", style: "danger" }, { theme: this.theme() });
    if (sure) await this.#act("DELETE", this.#at.one, undefined, `Uninstalled from ${this.subject.title}.`);
  }

  /** Ask for the configuration as it is stored now. */
  async #latest() {
    const answer = await call(this.#at.one);
    return answer.ok ? answer.body.configuration : this.installation.configuration;
  }

  /** Save a configuration; resolves to the sentence of an error, or to null. The form stays, and says that it is saved. */
  async #patch(body) {
    this.#saving = true;
    try {
      const wrong = wrongOf(await call(this.#at.one, { method: "PATCH", body }));
      if (!wrong) await this.changed();
      return wrong;
    } finally {
      this.#saving = false;
    }
  }

  async #act(method, path, body, words) {
    const wrong = wrongOf(await call(path, { method, body }));
    this.wrong.textContent = wrong ?? "";
    if (!wrong) say(words);
    await this.changed();
  }
}
