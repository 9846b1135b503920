/** Dynamic bindings: `{"$state": key}` stands for the current value of a key (docs/contract/contentkit.md, "Bindings"). */

/** Tell whether a value is a binding. */
export function isBinding(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value) && typeof value.$state === "string";
}

/** Return a copy of a value with every binding replaced; properties bound to an unknown key are left out. */
export function resolve(value, state) {
  if (isBinding(value)) return Object.hasOwn(state, value.$state) ? state[value.$state] : undefined;
  if (Array.isArray(value)) return value.map((item) => resolve(item, state)).filter((item) => item !== undefined);
  if (typeof value !== "object" || value === null) return value;
  const result = {};
  for (const [key, inner] of Object.entries(value)) {
    const resolved = resolve(inner, state);
    if (resolved !== undefined) result[key] = resolved;
  }
  return result;
}

/** Return the keys that a value is bound to. */
export function boundKeys(value) {
  if (isBinding(value)) return [value.$state];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(boundKeys);
}

/**
 * Return an address given as text or in parts. Parts name no scheme: it is https, or that of `own`, the origin on which
 * the integration answers, when the host is the same.
 */
export function addressOf(url, state, own) {
  if (typeof url === "string") return url;
  if (typeof url !== "object" || url === null || !url.host) return "";
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(resolve(url.query ?? {}, state))) query.set(key, String(value));
  const text = query.toString();
  const scheme = own && new URL(own).host === url.host ? new URL(own).protocol : "https:";
  return `${scheme}//${url.host}${url.pathname ?? "/"}${text ? `?${text}` : ""}`;
}
