/** What the site reports about its reader: pages that were seen, and whether they helped. */

const tell = (what, detail) => document.dispatchEvent(new CustomEvent(`site:${what}`, { detail }));
const VISITOR = "site-visitor";

/** A reader who agreed to be remembered keeps a name; anybody else, and on a page that is confined, has a new one. */
function remembered() {
  const fresh = crypto.randomUUID();
  if (self.origin === "null" || window.GitBook.isCookiesTrackingDisabled() !== false) return fresh;
  const visitor = localStorage.getItem(VISITOR) ?? fresh;
  localStorage.setItem(VISITOR, visitor);
  return visitor;
}

const visitorId = remembered();
const sessionId = crypto.randomUUID();
let referrer = document.referrer;

/** Send events about the page that is shown: `{type}`, with `feedback` for a rating. */
export async function send(...events) {
  const { home, page, siteSpace } = document.getElementById("site:content").dataset;
  const session = { visitorId, sessionId, cookies: {}, userAgent: navigator.userAgent, language: navigator.language, referrer };
  const here = { url: location.href.split("#")[0], page, ...(siteSpace ? { siteSpace } : {}) };
  try {
    const answer = await fetch(`${home}-/insights`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ events: events.map((event) => ({ ...event, session, location: here })) }),
      keepalive: true,
    });
    return answer.ok;
  } catch {
    return false;
  }
}

/** Tell that a page is seen; the next one was come to from here. */
export function viewed() {
  const sent = send({ type: "page_view" });
  referrer = location.href;
  return sent;
}

/** Make the question at the end of a page work. */
export function askWhetherItHelped(form) {
  const status = form.querySelector("[role=status]");
  const comment = form.querySelector(".comment");
  let rating = null;
  const say = (sent) => {
    status.textContent = sent ? "Thank you." : "Your answer could not be sent; try again.";
  };
  for (const press of form.querySelectorAll("button[value]")) {
    press.addEventListener("click", async () => {
      rating = press.value;
      for (const button of form.querySelectorAll("button[value]")) button.setAttribute("aria-pressed", String(button === press));
      comment.hidden = false;
      say(await send({ type: "page_post_feedback", feedback: { rating } }));
    });
  }
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const text = form.elements.comment.value.trim();
    if (rating && text) say(await send({ type: "page_post_feedback_comment", feedback: { rating, comment: text } }));
  });
}

/** Ask about cookies, unless a script does, or the reader has said already. */
export function askForConsent() {
  const banner = document.getElementById("site:consent");
  const open = () => {
    const own = document.documentElement.dataset.banner === "own";
    banner.hidden = own || window.GitBook.isCookiesTrackingDisabled() !== undefined;
  };
  document.addEventListener("site:banner", open);
  document.getElementById("site:accept").addEventListener("click", () => tell("choose", true));
  document.getElementById("site:reject").addEventListener("click", () => tell("choose", false));
  document.getElementById("site:ask-again").addEventListener("click", () => tell("forget"));
  open();
}
