"""Adds Google Analytics to a published site; nothing is loaded or sent before the reader agrees to cookies."""

import json
import re

from runtime.sdk import Integration

integration = Integration()

MEASUREMENT_ID = re.compile(r"[A-Z]{1,4}-[A-Z0-9-]{4,20}")

# Runs in the reader's browser. The consent is a cookie that the site sets; browsers report its change where they can,
# elsewhere it is looked at again now and then.
SCRIPT = """\
(function (id) {
  var agreed = function () {
    return document.cookie.split("; ").indexOf("__gitbook_cookie_granted=yes") >= 0;
  };
  var start = function () {
    window.dataLayer = window.dataLayer || [];
    window.gtag = window.gtag || function () { window.dataLayer.push(arguments); };
    window.gtag("js", new Date());
    window.gtag("config", id, { anonymize_ip: true });
    var loader = document.createElement("script");
    loader.async = true;
    loader.src = "https://www.googletagmanager.com/gtag/js?id=" + encodeURIComponent(id);
    document.head.appendChild(loader);
  };
  if (agreed()) return start();
  var timer = setInterval(look, 2000);
  function look() {
    if (!agreed()) return;
    clearInterval(timer);
    if (window.cookieStore) window.cookieStore.removeEventListener("change", look);
    start();
  }
  if (window.cookieStore) window.cookieStore.addEventListener("change", look);
})(%s);
"""


@integration.published_script
def script(context):
    tracking_id = str(context.configuration.get("tracking_id") or "").strip()
    if not tracking_id:
        # Nothing returned means an empty script.
        context.log.info("no measurement id is configured for this site")
        return None
    if not MEASUREMENT_ID.fullmatch(tracking_id):
        context.log.warn("%r is not a measurement id", tracking_id)
        return None
    return SCRIPT % json.dumps(tracking_id)
