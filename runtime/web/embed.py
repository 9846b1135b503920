"""The renderer as files that any page may load: `<content-kit>` for platforms, and for the preview."""

from __future__ import annotations

import hashlib

from flask import Flask, Response

from runtime.web.assets import STATIC, load, serve

FOLDER = STATIC / "contentkit"
EVERYWHERE = {"Access_Control_Allow_Origin": "*", "Cross_Origin_Resource_Policy": "cross-origin"}
"""A module is loaded over origins only where its host allows it; there is nothing secret in these."""


def mount_contentkit(app: Flask) -> None:
    """Add the files; they need no token.

    `/contentkit.js` leads to them by an address that changes with them, so that a page never mixes those of two
    versions, and keeps them for good.
    """
    current = _tag()
    kept = serve(FOLDER, Cache_Control="public, max-age=31536000, immutable", **EVERYWHERE)
    fresh = serve(FOLDER, Cache_Control="no-cache", **EVERYWHERE)

    def entry() -> Response:
        text = f'export * from "/contentkit/{current}/element.js";\n'
        headers = {name.replace("_", "-"): value for name, value in EVERYWHERE.items()}
        return Response(
            text,
            200,
            {"Cache-Control": "public, max-age=300", "X-Content-Type-Options": "nosniff", **headers},
            mimetype="text/javascript",
        )

    def versioned(tag: str, file: str) -> Response:
        # A page that was loaded before an upgrade asks by the old address.
        return (kept if tag == current else fresh)(file)

    app.add_url_rule("/contentkit.js", "contentkit", entry, methods=("GET",))
    app.add_url_rule("/contentkit/<file>", "contentkit file", fresh, methods=("GET",))
    app.add_url_rule("/contentkit/<tag>/<file>", "contentkit version", versioned, methods=("GET",))


def _tag() -> str:
    """Name the state of all files together."""
    tags = "".join(load(path).tag for path in sorted(FOLDER.iterdir()) if path.is_file())
    return hashlib.sha256(tags.encode()).hexdigest()[:16]
