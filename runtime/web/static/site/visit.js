/** A published site without sample pages: the host hears that it is read, and its scripts are told of the page. */

import { askForConsent, viewed } from "./insights.js";
import { announceLife } from "./life.js";

if (document.getElementById("consent")) askForConsent();
// A page behind a shared link has an address that opens it: that is told to nobody.
if (!("silent" in document.getElementById("content").dataset)) viewed();
announceLife();
