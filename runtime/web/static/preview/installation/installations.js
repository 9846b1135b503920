/** Where an integration is installed: its organization, and every space and site there. */

import { call } from "../shared/session.js";

const MOST = 1000;
const part = encodeURIComponent;

/** Give the sentence of an answer that is an error, or null. */
export const wrongOf = (answer) => (answer.ok ? null : (answer.body?.error?.message ?? `The host answered with status ${answer.status}.`));

/** Tell whether an integration is made for spaces, or for sites. */
export const madeFor = (integration, level) => level === "account" || ["all", level].includes(integration.target ?? "all");

/**
 * Load what is installed: `{installation, levels}`, or `{wrong}` with a sentence. `levels` has for `space` and `site` a list
 * of `{subject, part}`, the part null where it is not installed.
 */
export async function loadInstalled({ integration, organization, installation }) {
  const base = `/v1/integrations/${part(integration.name)}/installations`;
  const org = `/v1/orgs/${part(organization.id)}`;
  const one = installation ? `${base}/${part(installation.id)}` : null;
  const asked = { spaces: `${org}/spaces?limit=${MOST}`, sites: `${org}/sites?limit=${MOST}` };
  if (one) Object.assign(asked, { spaceParts: `${one}/spaces?limit=${MOST}`, siteParts: `${one}/sites?limit=${MOST}` });
  const keys = Object.keys(asked);
  const answers = await Promise.all(keys.map((key) => call(asked[key])));
  const wrong = answers.map(wrongOf).find(Boolean);
  if (wrong) return { wrong };
  const found = Object.fromEntries(keys.map((key, place) => [key, answers[place].body.items]));
  const joined = (subjects, parts, key) => subjects.map((subject) => ({ subject, part: (parts ?? []).find((each) => each[key] === subject.id) ?? null }));
  return { levels: { space: joined(found.spaces, found.spaceParts, "space"), site: joined(found.sites, found.siteParts, "site") } };
}

/** Give the addresses by which the API installs, changes and removes an installation on one level. */
export function addressesOf({ integration, organization, installation }, level, subject) {
  const base = `/v1/integrations/${part(integration.name)}/installations`;
  if (level === "account") {
    return { install: base, body: { organization: organization.id }, one: installation ? `${base}/${part(installation.id)}` : null };
  }
  const of = `${base}/${part(installation?.id ?? "")}/${level}s`;
  return { install: of, body: level === "space" ? { space: subject.id } : { siteId: subject.id }, one: `${of}/${part(subject.id)}` };
}

/** Say what is still missing before an installation is active. */
export function missingOf(integration, level, installation) {
  const schema = integration.configurations?.[level] ?? {};
  const empty = (schema.required ?? []).filter((key) => (installation.configuration?.[key] ?? "") === "");
  return empty.map((key) => schema.properties?.[key]?.title ?? key);
}
