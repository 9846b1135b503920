/** Who looks: the key that the address brought, and requests made with it. */

const STORE = "devkit-preview-key";

/** Take the key out of the address, where nobody should see or copy it, and keep it for this tab. */
function takeKey() {
  const match = /^#key=([^&]+)&?(.*)$/.exec(window.location.hash);
  if (match) {
    sessionStorage.setItem(STORE, decodeURIComponent(match[1]));
    const rest = match[2] ? `#${match[2]}` : "";
    history.replaceState(null, "", window.location.pathname + window.location.search + rest);
  }
  return sessionStorage.getItem(STORE);
}

const key = takeKey();

/**
 * Send a request as the person who looks; resolves to `{ok, status, headers, body}`, the body parsed when it is JSON.
 * Without an answer the status is 0.
 */
export async function call(path, { method = "GET", body } = {}) {
  let answer;
  let text;
  try {
    answer = await send(path, { method, body });
    text = await answer.text();
  } catch (error) {
    const message = `The host does not answer (${error.message}). Is devkit dev running?`;
    return { ok: false, status: 0, headers: new Headers(), body: { error: { code: 0, message } } };
  }
  let parsed = null;
  try {
    parsed = text ? JSON.parse(text) : null;
  } catch {
    parsed = { error: { code: answer.status, message: `The host answered with status ${answer.status}` } };
  }
  return { ok: answer.ok, status: answer.status, headers: answer.headers, body: parsed };
}

/** Send a request and leave its body to the caller. */
export function send(path, { method = "GET", body, signal } = {}) {
  const headers = key ? { Authorization: `Bearer ${key}` } : {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  return fetch(path, { method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body) });
}
