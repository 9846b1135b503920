"""Adds a script to published sites: a notice that readers can close."""

import json

from runtime.sdk import Context, Integration

integration = Integration()

# Runs in readers' browsers. That a reader closed the notice is remembered only when cookies were agreed to.
SCRIPT = """\
(function (text) {
  var agreed = document.cookie.split("; ").indexOf("__gitbook_cookie_granted=yes") >= 0;
  var key = "notice closed: " + text;
  if (agreed && localStorage.getItem(key)) return;
  var notice = document.createElement("div");
  notice.setAttribute("role", "status");
  notice.style.cssText =
    "position:fixed;inset:auto 1rem 1rem auto;padding:1rem;border-radius:.5rem;background:#1c2733;color:#fff";
  // Text, never HTML: what an administrator typed must not become code.
  notice.textContent = text + " ";
  var close = document.createElement("button");
  close.textContent = "Close";
  close.onclick = function () {
    notice.remove();
    if (agreed) localStorage.setItem(key, "yes");
  };
  notice.appendChild(close);
  document.body.appendChild(notice);
})(%s);
"""


@integration.published_script
def script(context: Context):
    # `context.configuration` is that of this one site.
    text = str(context.configuration.get("text", "Welcome!")).strip()
    if not text:
        return None  # no notice, no script
    # Text answered here may be kept by browsers for a week; a change of the configuration changes its address.
    return SCRIPT % json.dumps(text)
