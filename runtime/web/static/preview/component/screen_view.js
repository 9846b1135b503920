/** One screen of an integration: drawn, edited, stepped through its renders, and looked at closely. */

import { Component, complaintOf } from "/contentkit/component.js";
import { make } from "/contentkit/dom.js";
import { failureBox, failureOf } from "./failure.js";
import { schemaForm } from "../shared/form.js";
import { History } from "./history.js";
import { HistoryView } from "./history_view.js";
import { JsonEditor } from "../shared/json_editor.js";
import { drawOutput, examine, problemsOf } from "./output_view.js";
import { contextHelp, contextOf, installationOf, propsHelp, propsOf } from "../shared/screens.js";
import { call } from "../shared/session.js";
import { specifications } from "../shared/specifications.js";
import { tabs } from "./tabs.js";

const $ = (id) => document.getElementById(id);

export class ScreenView {
  screen = null;
  project = null;
  #component = null;
  #theme;
  #failed = 0;

  /** `api` is the path of what the preview asks for; `completed(returnValue)` is called when a component has finished. */
  constructor({ name, api, theme, completed }) {
    Object.assign(this, { name, api, completed });
    this.#theme = theme;
    tabs($("side-tabs"));
    this.history = new History(() => this.#showHistory());
    this.view = new HistoryView({
      history: this.history,
      list: $("history"),
      count: $("history-count"),
      compare: $("compare"),
      back: $("back"),
      forward: $("forward"),
      place: $("history-place"),
      choose: (entry) => this.#travel(entry),
    });
    const editor = (id, what, change) => new JsonEditor({ area: $(id), wrong: $(`${id}-wrong`), what, change });
    this.props = editor("props", "Props", (props) => {
      this.#store(props);
      this.#component?.setProps(props);
    });
    this.context = editor("context", "The context", (context) => this.#setContext(context));
    this.state = editor("state", "The state", (state) => this.#component?.setState(state));
  }

  get #propsKey() {
    return `devkit-preview-props:${this.name}:${this.screen.key}`;
  }

  /** Show a screen from its beginning, which an `action` may make; null when the integration has none. */
  async open(screen, project, action) {
    if (screen?.key !== this.screen?.key) this.history.clear();
    Object.assign(this, { screen, project });
    this.#component?.leave();
    this.#component = null;
    $("state-title").textContent = screen?.schema ? "Stored configuration" : "State";
    $("stage-title").textContent = screen?.title ?? "";
    this.#help();
    if (!screen) {
      this.say("This integration has no block and no configuration screen. Its events are below.");
      this.#showInputs({}, {}, false);
    } else if (screen.schema) this.#openForm();
    else await this.#openComponent(action);
  }

  /** Say something in the place of the screen. */
  say(message) {
    $("stage").replaceChildren(make("p", { class: "stage-message", role: "alert" }, message));
  }

  /** Begin the block with an address: it is drawn as when somebody pastes that into a page. */
  async paste(url) {
    this.#store(propsOf(this.screen, this.project));
    await this.open(this.screen, this.project, { action: "@link.unfurl", url });
  }

  /** Draw it again: a new version is live. */
  refresh() {
    return this.#component?.refresh();
  }

  /** Draw it in another theme. */
  setTheme(theme) {
    this.#theme = theme;
    if (this.#component) this.#setContext({ ...this.#component.context, theme }, true);
  }

  #setContext(context, force = false) {
    this.#component?.setContext(context);
    this.context.show(context, { force });
    this.#help(context.type);
  }

  #openForm() {
    const { installation, path } = installationOf(this.screen, this.project);
    this.#showInputs({}, installation?.configuration ?? {}, false);
    if (!installation) {
      this.say("The integration is not installed here, so there is nothing to configure.");
      return;
    }
    const latest = async () => (await call(path)).body?.configuration ?? installation.configuration;
    const save = async (configuration) => {
      const answer = await call(path, { method: "PATCH", body: { configuration } });
      if (!answer.ok) return answer.body?.error?.message ?? `Status ${answer.status}`;
      Object.assign(installation, { configuration });
      this.state.show(configuration, { enabled: false });
      return null;
    };
    const form = schemaForm(this.screen.schema, installation.configuration ?? {}, installation.urls?.publicEndpoint, save, latest);
    $("stage").replaceChildren(form);
  }

  async #openComponent(action) {
    const { screen, project } = this;
    const supplied = propsOf(screen, project);
    const props = screen.kind === "block" ? this.#storedProps(supplied) : supplied;
    const endpoint = project.installation?.urls?.publicEndpoint ?? project.integration.urls?.publicEndpoint;
    // An answer may come when another screen is shown already.
    const ifCurrent = (handle) => (value) => this.#component === component && handle(value);
    const component = new Component({
      render: (body) => this.#ask(body),
      componentId: screen.componentId,
      props,
      context: contextOf(screen, project, this.#theme),
      // The origin on which the scripts of the integration answer.
      own: endpoint ? new URL(endpoint).origin : undefined,
      specs: () => specifications(project.organization?.id),
      onChange: ifCurrent(({ state, props: current }) => {
        this.state.show(state);
        this.props.show(current);
      }),
      onStore: ifCurrent((current) => {
        this.#store(current);
        this.props.show(current, { force: true });
      }),
      onRender: ifCurrent((exchange) => this.#rendered(exchange)),
      onComplete: ifCurrent(this.completed),
    });
    this.#component = component;
    this.#showInputs(props, {}, true);
    $("stage").replaceChildren(component.node);
    await component.start(action);
  }

  /** Ask for a render, of the screen or of an overlay on it; where the script fails, its line is shown below. */
  async #ask(body) {
    const since = Date.now();
    const answer = await call(`/v1/integrations/${encodeURIComponent(this.name)}/render`, { method: "POST", body });
    $("stage").querySelector(".render-fault")?.remove();
    this.#failed = answer.status >= 500 ? since : 0;
    if (this.#failed) {
      failureOf({ name: this.name, componentId: body.componentId, since }).then((fault) => {
        if (fault && this.#failed === since) $("stage").append(failureBox(fault));
      });
    }
    return answer;
  }

  async #rendered(exchange) {
    const entry = this.history.add(exchange);
    await examine(this.api, entry);
    if (entry === this.history.current) this.#showOutput();
  }

  /** Show an earlier render; what is pressed then goes on from there. */
  async #travel(entry) {
    const { output, failed } = this.history.go(entry);
    if (!output || !this.#component) return;
    this.#component.context = entry.request.context;
    this.#component.node.dataset.theme = entry.request.context.theme;
    await this.#component.show(output, failed ? complaintOf(entry.answer) : null);
    this.props.show(this.#component.props, { force: true });
    this.state.show(this.#component.state, { force: true });
    this.context.show(entry.request.context, { force: true });
  }

  #showHistory() {
    this.view.draw();
    this.#showOutput();
  }

  #showOutput() {
    const count = problemsOf(this.history.current);
    $("problems").hidden = count === 0;
    $("problems").textContent = `${count} ${count === 1 ? "problem" : "problems"}`;
    $("output").replaceChildren(...drawOutput(this.history.current));
  }

  #showInputs(props, state, enabled) {
    this.props.show(props, { enabled, force: true });
    this.state.show(state, { enabled, force: true });
    this.context.show(enabled ? this.#component.context : {}, { enabled, force: true });
  }

  #help(type) {
    const rows = (list) => list.map(([key, words]) => [make("dt", {}, make("code", {}, key)), make("dd", {}, words)]).flat();
    const hasComponent = this.screen && !this.screen.schema;
    $("props-help").replaceChildren(...rows(hasComponent ? propsHelp(this.screen, this.project) : []));
    $("context-help").replaceChildren(...rows(hasComponent ? contextHelp(type ?? contextOf(this.screen, this.project, this.#theme).type) : []));
  }

  #store(props) {
    if (this.screen?.kind === "block") localStorage.setItem(this.#propsKey, JSON.stringify(props));
  }

  #storedProps(fallback) {
    try {
      return JSON.parse(localStorage.getItem(this.#propsKey)) ?? fallback;
    } catch {
      return fallback;
    }
  }
}
