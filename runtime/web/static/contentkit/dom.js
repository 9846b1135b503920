/** Building DOM without markup strings: nothing a script sends can become HTML. */

/**
 * Make an element. Attributes that are null, undefined or false are left out; `on...` keys are listeners; `style` is an
 * object of CSS properties (set one by one, so that a content security policy without inline styles holds).
 */
export function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, text] of Object.entries(value)) node.style.setProperty(key, text);
    else if (name === "value" || name === "checked") node[name] = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

let last = 0;

/** Return an id that no other element of the page has. */
export function freshId(prefix = "ck") {
  last += 1;
  return `${prefix}-${last}`;
}

/** Return the element that has the focus among those a node stands with: in its page, or in its shadow tree. */
export const focused = (node) => node.getRootNode().activeElement ?? null;

const LINKS = new Set(["http:", "https:", "mailto:", "tel:"]);
const IMAGES = new Set(["http:", "https:", "data:", "blob:"]);

function checked(url, allowed) {
  // Nothing, written out, would be an address below this page: `/undefined`.
  if (typeof url !== "string" || url === "") return null;
  try {
    const parsed = new URL(url, document.baseURI);
    return allowed.has(parsed.protocol) ? parsed.href : null;
  } catch {
    return null;
  }
}

/** Return an address that is safe to follow, or null. */
export const safeLink = (url) => checked(url, LINKS);

/** Return an address that is safe to show as a picture, or null. */
export const safeImage = (url) => {
  const safe = checked(url, IMAGES);
  return safe && (!safe.startsWith("data:") || safe.startsWith("data:image/")) ? safe : null;
};
