/** Draws the configuration screen of an integration's script, and says when it is saved. */

import "/contentkit.js";

const place = document.getElementById("screen");
const { src, csrf, component, props, context, endpoint, specs } = place.dataset;
const kit = document.createElement("content-kit");
kit.onspecs = async () => JSON.parse(specs);
kit.headers = { "X-CSRF-Token": csrf };
for (const [name, value] of Object.entries({ src, component, props, context, endpoint })) kit.setAttribute(name, value);
kit.addEventListener("contentkit-complete", () => {
  const said = document.getElementById("said");
  said.hidden = false;
});
place.replaceChildren(kit);
