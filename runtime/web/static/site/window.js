/**
 * `window.GitBook`, as injected scripts expect it: in place before the first of them runs.
 *
 *   addEventListener, removeEventListener   `load` when the page stands, `unload` when the reader leaves the site
 *   registerCookieBanner(handler)           the script asks about cookies in place of the site: `{onApprove, onReject}`
 *   isCookiesTrackingDisabled()             true, false, or undefined while nobody was asked
 *   isGlobalPrivacyControlEnabled()         whether the browser says no for its reader
 *   registerTool, registerAssistant         taken, and without effect: this site has no assistant
 *
 * Consent is kept in the cookie `__gitbook_cookie_granted`, `yes` or `no`. The site hears of a banner by
 * `site:banner`, and announces its own events by `site:load` and `site:unload`, all on the document. A page that is confined,
 * as with scripts on an origin that others share, has no cookies: there consent lasts as long as the page.
 */
(() => {
  const COOKIE = "__gitbook_cookie_granted";
  const YEAR = 365 * 24 * 3600;
  const path = new URL(document.currentScript.dataset.home).pathname;
  const listeners = { load: new Set(), unload: new Set() };

  const refused = () => navigator.globalPrivacyControl === true;
  let forThisPage;

  function said() {
    try {
      return new RegExp(`(?:^|; )${COOKIE}=(yes|no)`).exec(document.cookie)?.[1];
    } catch {
      return forThisPage;
    }
  }

  /** Keep what the reader said, or forget it, and load the page again; without cookies it is kept for this page. */
  function keep(value) {
    try {
      document.cookie = `${COOKIE}=${value ?? ""}; Path=${path}; Max-Age=${value ? YEAR : 0}; SameSite=Lax`;
    } catch {
      forThisPage = value;
      document.dispatchEvent(new Event("site:banner"));
      return;
    }
    location.reload();
  }

  /** Take what the reader says: what was not allowed before begins, or no longer does. */
  function choose(granted) {
    const value = granted && !refused() ? "yes" : "no";
    if (said() !== value) keep(value);
  }

  window.GitBook = {
    addEventListener: (type, listener) => listeners[type]?.add(listener),
    removeEventListener: (type, listener) => listeners[type]?.delete(listener),
    registerCookieBanner(handler) {
      document.documentElement.dataset.banner = "own";
      document.dispatchEvent(new Event("site:banner"));
      handler({ onApprove: () => choose(true), onReject: () => choose(false) });
    },
    isCookiesTrackingDisabled: () => (refused() ? true : said() === undefined ? undefined : said() === "no"),
    isGlobalPrivacyControlEnabled: refused,
    registerTool() {},
    registerAssistant: () => () => {},
  };

  for (const type of Object.keys(listeners)) {
    document.addEventListener(`site:${type}`, () => {
      for (const listener of [...listeners[type]]) {
        try {
          listener();
        } catch (error) {
          // One integration's mistake is no other's.
          console.error(error);
        }
      }
    });
  }

  document.addEventListener("site:choose", ({ detail }) => choose(detail));
  document.addEventListener("site:forget", () => keep(undefined));
})();
