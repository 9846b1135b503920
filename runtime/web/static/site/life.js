/** Tells the scripts of a site when a page stands, and when its reader leaves. */

const announce = (what) => document.dispatchEvent(new Event(`site:${what}`));

/** Announce both of this page. */
export function announceLife() {
  const ready = () => announce("load");
  if (document.readyState === "complete") ready();
  else window.addEventListener("load", ready);
  window.addEventListener("pagehide", () => announce("unload"));
}
