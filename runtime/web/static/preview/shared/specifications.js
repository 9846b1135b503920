/** The OpenAPI specifications of an organization, as the options of a select. */

import { call } from "./session.js";

/** Ask for all of them, a page after the other; resolves to `[{id, label}]`, to none where they cannot be seen. */
export async function specifications(organization) {
  const found = [];
  let page = organization ? "" : null;
  while (page !== null) {
    const more = page ? `&page=${encodeURIComponent(page)}` : "";
    const answer = await call(`/v1/orgs/${encodeURIComponent(organization)}/openapi?limit=1000${more}`);
    if (!answer.ok) break;
    found.push(...answer.body.items.map(({ slug }) => ({ id: slug, label: slug })));
    page = answer.body.next?.page ?? null;
  }
  return found;
}
