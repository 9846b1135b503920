"""A JavaScript bundle as an isolate gets it: the code, and its source map apart."""

from __future__ import annotations

from runtime.contract.invocation import Script

BUNDLE = "script.js"
MAP = "script.map"
_MAP_COMMENT = "//# sourceMappingURL="


def script_name(script: Script) -> str:
    """Return the name an author knows the bundle by."""
    return script.entry if script.entry.endswith((".js", ".mjs", ".ts", ".tsx", ".jsx")) else BUNDLE


def without_map(source: str) -> tuple[str, str]:
    """Take an inline source map out of a bundle; returns the code and the map's URL, empty without one.

    Deno would read the map whenever it loads the bundle, which takes ten times longer than the code itself; an
    isolate reads it when there is an error to report.
    """
    at = source.rfind(_MAP_COMMENT + "data:")
    if at < 0 or (at > 0 and source[at - 1] != "\n"):
        return source, ""
    comment, _, rest = source[at:].partition("\n")
    # Only at the end, where tools put it: elsewhere it may be part of a text.
    if any(line.strip() and not line.lstrip().startswith("//") for line in rest.splitlines()):
        return source, ""
    return f"{source[:at]}\n{rest}", comment.removeprefix(_MAP_COMMENT)
