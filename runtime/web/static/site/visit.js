/** A page of a published site: blocks are drawn, the host hears that it is read, and scripts are told of the page. */

import { askForConsent, askWhetherItHelped, viewed } from "./insights.js";
import { announceLife } from "./life.js";

const form = document.querySelector(".feedback");
if (document.getElementById("site:consent")) askForConsent();
if (form) askWhetherItHelped(form);
// A page behind a shared link has an address that opens it: that is told to nobody.
if (!("silent" in document.getElementById("site:content").dataset)) viewed();
if (document.querySelector("content-kit")) await import("/contentkit/element.js");
announceLife();
