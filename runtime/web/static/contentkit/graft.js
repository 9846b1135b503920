/** Putting a new drawing in the place of an old one while web frames stay: a frame that moves in a page reloads. */

import { adopt, sameFrame } from "./frame.js";

/** Replace the children of `place`; frames that both drawings show at the same place keep running. */
export function graft(place, fresh) {
  const pairs = pair([...place.children], fresh);
  if (!pairs) {
    place.replaceChildren(...fresh);
    return;
  }
  const remaining = new Set(pairs.values());
  for (const node of [...place.childNodes]) if (!remaining.has(node)) node.remove();
  let after = place.firstChild;
  for (const node of fresh) {
    const old = pairs.get(node);
    if (!old) {
      place.insertBefore(node, after);
      continue;
    }
    after = old.nextSibling;
    if (old.tagName === "IFRAME") {
      adopt(old, node);
      continue;
    }
    for (const { name } of [...old.attributes]) if (!node.hasAttribute(name)) old.removeAttribute(name);
    for (const { name, value } of [...node.attributes]) old.setAttribute(name, value);
    graft(old, [...node.childNodes]);
  }
}

/** Find for each new node with a frame the old one it stands for; null when there is none, or the order changed. */
function pair(old, fresh) {
  const matches = new Map();
  let from = 0;
  for (const node of fresh) {
    if (!frameOf(node) || hears(node)) continue;
    const at = old.findIndex((candidate, index) => index >= from && fits(candidate, node));
    if (at < 0) continue;
    matches.set(node, old[at]);
    from = at + 1;
  }
  return matches.size ? matches : null;
}

function fits(old, fresh) {
  const [before, after] = [frameOf(old), frameOf(fresh)];
  return before && after && old.tagName === fresh.tagName && old.dataset.ck === fresh.dataset.ck && !hears(old) && sameFrame(before, after);
}

const frameOf = (node) => (node.nodeType !== Node.ELEMENT_NODE ? null : node.tagName === "IFRAME" ? node : node.querySelector("iframe"));

/** Tell whether a node answers presses itself: it cannot stay, since it would go on with the old action. */
const hears = (node) => node.classList.contains("ck-pressable");
