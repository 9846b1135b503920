/** What there is to look at: blocks, configuration screens, content sources; each with its context and props. */

const LEVELS = { account: "Account", space: "Space", site: "Site" };

/** Return the groups of the list on the left: `[{title, screens: [{key, title, hint, ...}]}]`. */
export function screensOf(project) {
  const { integration } = project;
  const blocks = (integration.blocks ?? []).map((block) => ({
    key: `block:${block.id}`,
    kind: "block",
    title: block.title ?? block.id,
    hint: block.description ?? block.id,
    componentId: block.id,
    unfurls: block.urlUnfurl ?? [],
  }));
  const configurations = Object.entries(LEVELS)
    .filter(([level]) => integration.configurations?.[level])
    .map(([level, title]) => ({
      key: `configuration:${level}`,
      kind: "configuration",
      level,
      title: `${title} configuration`,
      hint: integration.configurations[level].componentId ?? "Form",
      componentId: integration.configurations[level].componentId,
      schema: integration.configurations[level].componentId ? null : integration.configurations[level],
    }));
  const sources = (integration.contentSources ?? []).map((source) => ({
    key: `source:${source.id}`,
    kind: "source",
    title: source.title ?? source.id,
    hint: source.description ?? source.id,
    componentId: source.configuration?.componentId,
  }));
  return [
    { title: "Blocks", screens: blocks },
    { title: "Configuration", screens: configurations },
    { title: "Content sources", screens: sources.filter((source) => source.componentId) },
  ].filter((group) => group.screens.length);
}

/** Return the context of a screen (docs/contract/contentkit.md, "Contexts"). */
export function contextOf(screen, project, theme) {
  const { space, site, organization } = project;
  if (screen.kind === "block") return { type: "document", spaceId: space?.id, editable: true, theme };
  if (screen.kind === "source") {
    return { type: "configuration_contentsource", organizationId: organization?.id, spaceId: space?.id, theme };
  }
  const place = {
    account: { organizationId: organization?.id },
    space: { spaceId: space?.id },
    site: { siteId: site?.id },
  }[screen.level];
  return { type: `configuration_${screen.level}`, ...place, theme };
}

/** Return the props that the host supplies to a screen. */
export function propsOf(screen, project) {
  if (screen.kind === "block") return {};
  if (screen.kind === "source") return { contentSource: { props: {}, dependencies: {} } };
  const props = { installation: { configuration: project.installation?.configuration ?? {} } };
  if (screen.level === "space") props.spaceInstallation = { configuration: project.spaceInstallation?.configuration ?? {} };
  if (screen.level === "site") props.siteInstallation = { configuration: project.siteInstallation?.configuration ?? {} };
  return props;
}

/** Return the installation that a configuration screen is about, and its API path. */
export function installationOf(screen, project) {
  const { integration, installation, space, site } = project;
  if (!installation) return { installation: null, path: null };
  const path = `/v1/integrations/${encodeURIComponent(integration.name)}/installations/${encodeURIComponent(installation.id)}`;
  if (screen.level === "space") return { installation: project.spaceInstallation, path: `${path}/spaces/${encodeURIComponent(space?.id)}` };
  if (screen.level === "site") return { installation: project.siteInstallation, path: `${path}/sites/${encodeURIComponent(site?.id)}` };
  return { installation, path };
}

const PLACES = {
  organizationId: "id of the organization",
  spaceId: "id of the space",
  siteId: "id of the site",
  editable: "true where the document can be edited, false on a published page",
};
const CONTEXTS = {
  document: ["spaceId", "editable"],
  configuration_account: ["organizationId"],
  configuration_space: ["spaceId"],
  configuration_site: ["siteId"],
  configuration_contentsource: ["organizationId", "spaceId"],
};

/** Return the keys of a context: `[[key, label], …]` (docs/contract/contentkit.md, "Contexts"). */
export function contextHelp(type) {
  const keys = CONTEXTS[type];
  if (!keys) return [["type", `one of ${Object.keys(CONTEXTS).join(", ")}`]];
  const optional = type === "configuration_contentsource" ? ["spaceId"] : [];
  return [
    ["type", `“${type}” or one of ${Object.keys(CONTEXTS).length - 1} others`],
    ...keys.map((key) => [key, PLACES[key] + (optional.includes(key) ? ", optional" : "")]),
    ["theme", "“light” or “dark”"],
  ];
}

/** Say which props a screen gets: `[[key, words], …]`. */
export function propsHelp(screen, project) {
  if (screen.kind === "source") return [["contentSource.props", "what was chosen when the source was set up"], ["contentSource.dependencies", "values of its dependencies"]];
  if (screen.kind === "configuration") {
    const rows = [["installation.configuration", "stored for the organization"]];
    if (screen.level === "space") rows.push(["spaceInstallation.configuration", "stored for the space"]);
    if (screen.level === "site") rows.push(["siteInstallation.configuration", "stored for the site"]);
    return rows;
  }
  const block = (project.integration.blocks ?? []).find((candidate) => candidate.id === screen.componentId) ?? {};
  const rows = [["any key", "stored in the document for this block; the script reads it as element.props"]];
  if (block.markdown?.body) rows.push([block.markdown.body, `the text of a \`${block.markdown.codeblock}\` code block in Markdown`]);
  if (block.urlUnfurl?.length) rows.push(["from a link", `set by the answer to @link.unfurl, for ${block.urlUnfurl.join(", ")}`]);
  return rows;
}
