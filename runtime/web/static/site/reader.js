/** A published site with sample pages: blocks are drawn, pages change in place, and the host hears what is read. */

import { askForConsent, askWhetherItHelped, viewed } from "./insights.js";
import { announceLife } from "./life.js";

const IN_PLACE = "site-in-place";
const PROPS = "site-props";
/** With scripts on an origin that others share, a page has none of its own: it stores nothing, and reads no other page. */
const confined = self.origin === "null";
const memory = new Map();
const store = confined ? { getItem: (name) => memory.get(name) ?? null, setItem: (name, value) => memory.set(name, value) } : sessionStorage;
const $ = (id) => document.getElementById(id);

/**
 * Props that the preview sends along with the address of a block's page; they stay for this tab. A document would hold
 * them, and this site has none.
 */
function takeProps() {
  const known = JSON.parse(store.getItem(PROPS) ?? "{}");
  const sent = /^#props=(.+)$/.exec(location.hash);
  if (!sent) return known;
  try {
    known[$("site:content").dataset.page] = JSON.parse(decodeURIComponent(sent[1]));
    store.setItem(PROPS, JSON.stringify(known));
  } catch (error) {
    console.warn("the props in the address cannot be read:", error.message);
  }
  history.replaceState(null, "", location.pathname + location.search);
  return known;
}

const props = takeProps();

/** Bring the page that is shown to life. */
async function begin() {
  const content = $("site:content");
  askWhetherItHelped(content.querySelector(".feedback"));
  const block = content.querySelector("content-kit");
  const own = props[content.dataset.page];
  if (own) block?.setAttribute("props", JSON.stringify(own));
  if (block) await import("/contentkit/element.js");
}

let latest = 0;

/** Show another page of the site in place of this one, unless a later one is chosen meanwhile; an address outside it is loaded as any other. */
async function show(address) {
  const mine = (latest += 1);
  let text;
  try {
    const answer = await fetch(address, { headers: { Accept: "text/html" } });
    // Somebody whose session is over is led away from the site.
    if (!answer.ok || answer.redirected) throw new Error(`status ${answer.status}`);
    text = await answer.text();
  } catch {
    if (mine === latest) location.assign(address);
    return false;
  }
  if (mine !== latest) return false;
  const next = new DOMParser().parseFromString(text, "text/html");
  if (!next.getElementById("site:content")?.dataset.page) {
    location.assign(address);
    return false;
  }
  document.title = next.title;
  $("site:content").replaceWith(document.adoptNode(next.getElementById("site:content")));
  document.querySelector("nav").replaceWith(document.adoptNode(next.querySelector("nav")));
  return true;
}

async function go(address, add) {
  if (add) history.pushState(null, "", address);
  if (!(await show(address))) return;
  await begin();
  $("site:content").querySelector("h1").focus();
  window.scrollTo(0, 0);
  await viewed();
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (!link || !plain || event.defaultPrevented || !$("in-place").checked) return;
  const inside = link.href.startsWith($("site:content").dataset.home) && !link.hash;
  if (!inside || link.target) return;
  event.preventDefault();
  go(link.href, link.href !== location.href);
});
window.addEventListener("popstate", () => go(location.href, false));

$("in-place").checked = !confined && store.getItem(IN_PLACE) !== "no";
$("in-place").disabled = confined;
$("in-place").addEventListener("change", ({ target }) => store.setItem(IN_PLACE, target.checked ? "yes" : "no"));

askForConsent();
begin();
viewed();
announceLife();
