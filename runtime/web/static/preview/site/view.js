/** What the page about the site draws: pages, scripts, policy, reader, and what was kept out. */

import { make } from "/contentkit/dom.js";
import { clock } from "../shared/format.js";

const empty = (words) => make("li", { class: "empty" }, words);
const fact = (term, ...words) => [make("dt", {}, term), make("dd", {}, ...words)];

/** Return the props that the component page keeps for a block, as part of an address; nothing where it has none. */
function propsOf(name, block) {
  const kept = block && localStorage.getItem(`devkit-preview-props:${name}:block:${block.component}`);
  return kept && block.integration === name ? `#props=${encodeURIComponent(kept)}` : "";
}

/** Draw links to the pages of a site; blocks get the props they have on the component page. */
export function drawPlaces({ address, pages }, name, published) {
  return pages.map(({ place, title, block }) => {
    const words = [title, block ? make("small", {}, `block of ${block.integration}`) : null];
    const link = () => make("a", { href: address + place + propsOf(name, block), target: "_blank", rel: "noopener" }, title);
    return make("li", {}, published ? link() : words.shift(), words.at(-1));
  });
}

/** Draw the scripts that integrations inject. */
export function drawScripts({ scripts }, integration) {
  if (!scripts.length) {
    const asks = (integration.scopes ?? []).includes("site:script:inject");
    return [empty(asks ? "None: the integration must be active on this site." : "None: the integration does not ask for the scope site:script:inject.")];
  }
  return scripts.map(({ script, contentSecurityPolicy, cookies }) =>
    make(
      "li",
      {},
      make("a", { href: script, target: "_blank", rel: "noopener", class: "address" }, script),
      make("small", {}, cookies ? "may set cookies once the reader agrees" : "sets no cookies (scope site:script:cookies)"),
      make("small", {}, contentSecurityPolicy ? `asks for: ${contentSecurityPolicy}` : "asks for nothing in contentSecurityPolicy"),
    ),
  );
}

/** Draw a policy, one directive a line. */
export function drawPolicy({ policy }) {
  return policy.split("; ").flatMap((part) => {
    const [directive, ...sources] = part.split(" ");
    return fact(directive, sources.join(" ") || "–");
  });
}

/** Draw where the reader is. */
export function drawReader(reader) {
  if (!reader) return fact("Nobody yet", "open the site in another tab");
  return [...fact("Page", `/${reader.page}`), ...fact("Cookies", reader.consent), ...fact("Seen at", clock(reader.at))];
}

/** Draw one thing that was kept out. */
export function drawViolation({ createdAt, payload: { violation } }) {
  const source = violation.source ? `${violation.source}${violation.line ? `:${violation.line}` : ""}` : "";
  return make(
    "li",
    {},
    make("span", {}, make("code", {}, violation.directive || "?"), " blocked ", make("code", { class: "address" }, violation.blocked || "something")),
    make("small", {}, `${clock(createdAt)} on ${violation.page || "/"}`),
    source ? make("small", { class: "address" }, `requested by ${source}`) : null,
  );
}
