"""Writes a render as a self-contained HTML page, with the host's renderer in it."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from functools import cache
from html import escape
from importlib import resources
from typing import Any

from devkit.rendering.remote_lists import Lists

IMPORT = re.compile(r"""(\bfrom\s*|\bimport\s*)(["'])\./([\w.-]+\.js)\2""")
NAMESPACE = "contentkit/"
STYLES = ("contentkit.css", "controls.css")
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline'; "
    "img-src https: http: data:; frame-src https: http:; connect-src https: http:"
)
# Modules of a data: address have no folder, so they import each other by bare names, which the map leads to.
PAGE = """\
<!doctype html>
<html lang="en" data-theme="{theme}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
{style}
body {{ margin: 0; padding: 16px; background: var(--ck-surface); color: var(--ck-text) }}
main {{ max-width: 760px; margin: auto }}
</style>
<script type="importmap">{modules}</script>
</head>
<body>
<main></main>
<script type="module">
import {{ Component }} from "contentkit/component.js";
const given = {given};
const render = async () => ({{ ok: false, status: 503, body: {{ error: {{ message: given.message }} }} }});
const {{ lists, ...shown }} = given;
const component = new Component({{ render, ...shown }});
for (const [address, answer] of lists) component.lists.set(new URL(address).href, answer);
document.querySelector("main").append(component.node);
await component.show(given.output);
await document.fonts.ready;
document.documentElement.dataset.height = String(Math.ceil(document.documentElement.getBoundingClientRect().height));
</script>
</body>
</html>
"""
NOT_INTERACTIVE = "This page is a copy of one render: buttons do nothing here."


def page(component: str, output: Mapping[str, Any], context: Mapping[str, Any], lists: Lists) -> str:
    """Return a page that shows a render; it loads images and frames from their addresses, and includes `lists`."""
    replacements = {
        "componentId": component,
        "output": output,
        "props": output.get("props") or {},
        "context": context,
        "lists": list(lists.items()),
        "message": NOT_INTERACTIVE,
    }
    return PAGE.format(
        theme="dark" if context.get("theme") == "dark" else "light",
        policy=escape(POLICY),
        title=escape(component),
        style="".join(_read(name) for name in STYLES),
        modules=_modules(),
        # No end tag of the script may be in what somebody wrote.
        given=json.dumps(replacements).replace("<", "\\u003c"),
    )


@cache
def _modules() -> str:
    """Return the import map of the renderer: each module's code under its name."""
    folder = resources.files("runtime") / "web" / "static" / "contentkit"
    modules = {}
    for file in sorted(folder.iterdir(), key=lambda path: path.name):
        if file.name.endswith(".js"):
            code = IMPORT.sub(rf"\g<1>\g<2>{NAMESPACE}\g<3>\g<2>", file.read_text(encoding="utf-8"))
            encoded = base64.b64encode(code.encode()).decode()
            modules[NAMESPACE + file.name] = f"data:text/javascript;base64,{encoded}"
    return json.dumps({"imports": modules})


def _read(name: str) -> str:
    return (resources.files("runtime") / "web" / "static" / "contentkit" / name).read_text(encoding="utf-8")
