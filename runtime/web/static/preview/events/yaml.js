/** Writing JSON values as YAML that a person can edit: plain words where YAML reads them as text, quotes elsewhere. */

const PLAIN = /^[A-Za-z_][A-Za-z0-9_./-]*$/;
const RESERVED = /^(?:null|true|false|yes|no|on|off|y|n)$/i;

/** Return a value as block YAML, each line indented by so many spaces. */
export function yaml(value, indent = 0) {
  const pad = " ".repeat(indent);
  if (Array.isArray(value) && value.length) {
    return value.map((one) => (isBlock(one) ? `${pad}- ${yaml(one, indent + 2).trimStart()}` : `${pad}- ${scalar(one)}\n`)).join("");
  }
  if (isBlock(value)) {
    return Object.entries(value)
      .map(([key, one]) => (isBlock(one) ? `${pad}${scalar(key)}:\n${yaml(one, indent + 2)}` : `${pad}${scalar(key)}: ${scalar(one)}\n`))
      .join("");
  }
  return `${pad}${scalar(value)}\n`;
}

/** Tell whether a value is written over several lines. */
const isBlock = (value) => typeof value === "object" && value !== null && Object.keys(value).length > 0;

function scalar(value) {
  if (typeof value !== "string") return JSON.stringify(value);
  // A JSON string is a YAML one, except that YAML wants two characters escaped that JSON lets stand.
  if (!PLAIN.test(value) || RESERVED.test(value)) return JSON.stringify(value).replace(/[\u007f-\u009f\u2028\u2029\ufeff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return value;
}
