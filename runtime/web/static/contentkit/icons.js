/** The icons of ContentKit as line drawings on a grid of 16 by 16. */

const PATHS = {
  close: "M4 4l8 8M12 4l-8 8",
  edit: "M3 13h2.5L13 5.5 10.5 3 3 10.5zM9 4.5 11.5 7",
  github: "M6 14v-2c-2.4.6-3-1.2-3.4-1.6M10 14v-2.5c0-.7-.2-1.1-.5-1.4 2-.3 3.7-1.1 3.7-4 0-.9-.3-1.6-.8-2.2.2-.6.2-1.3-.1-2 0 0-.8-.1-2.2.9a8 8 0 0 0-4.2 0C4.5 1.8 3.7 1.9 3.7 1.9c-.3.7-.3 1.4-.1 2-.5.6-.8 1.3-.8 2.2 0 2.9 1.7 3.7 3.7 4-.3.3-.5.7-.5 1.4",
  gitlab: "M8 14 1.5 9.2 3.2 3l1.6 4.5h6.4L12.8 3l1.7 6.2z",
  maximize: "M9.5 2.5h4v4M6.5 13.5h-4v-4M13.5 2.5l-4.5 4.5M2.5 13.5 7 9",
  email: "M2 4h12v8.5H2zM2 4.5l6 4.5 6-4.5",
  settings: "M8 5.7a2.3 2.3 0 1 0 0 4.6 2.3 2.3 0 0 0 0-4.6zM8 1.5v2M8 12.5v2M1.5 8h2M12.5 8h2M3.4 3.4l1.4 1.4M11.2 11.2l1.4 1.4M12.6 3.4l-1.4 1.4M4.8 11.2l-1.4 1.4",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.3 10.3 14 14",
  delete: "M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.7 9h6.6l.7-9M6.7 7v4M9.3 7v4",
  star: "M8 2l1.8 3.9 4.2.5-3.1 2.9.8 4.2L8 11.4l-3.7 2.1.8-4.2L2 6.4l4.2-.5z",
  warning: "M8 2.5 14.5 13.5h-13zM8 6.5v3.5M8 11.7v.1",
  link: "M6.5 9.5l3-3M7.5 4.7l1-1a2.7 2.7 0 0 1 3.8 3.8l-1 1M8.5 11.3l-1 1a2.7 2.7 0 0 1-3.8-3.8l1-1",
  "link-external": "M9 2.5h4.5V7M13.5 2.5 7.5 8.5M11.5 9v4.5h-9v-9H7",
  eye: "M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 6.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6z",
  "eye-off": "M2 2l12 12M6.3 3.8A6 6 0 0 1 8 3.5c4 0 6.5 4.5 6.5 4.5a11 11 0 0 1-2 2.5M4.3 4.8A11 11 0 0 0 1.5 8S4 12.5 8 12.5c1.3 0 2.4-.4 3.4-1",
  lock: "M3.5 7.5h9v6h-9zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5",
  check: "M3 8.5l3.5 3.5L13 4.5",
  "check-circle": "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8zM5.3 8.2l2 2 3.4-4",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  chevron: "M4.5 6.5 8 10l3.5-3.5",
  info: "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8zM8 7.3V11M8 5v.1",
};

/** Return the drawing of an icon, or null when there is no such icon; drawings are hidden from screen readers. */
export function icon(name) {
  if (!Object.hasOwn(PATHS, name)) return null;
  const space = "http://www.w3.org/2000/svg";
  const drawing = document.createElementNS(space, "svg");
  drawing.setAttribute("viewBox", "0 0 16 16");
  drawing.setAttribute("class", "ck-icon");
  drawing.setAttribute("aria-hidden", "true");
  drawing.dataset.icon = name;
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", PATHS[name]);
  drawing.append(path);
  return drawing;
}
