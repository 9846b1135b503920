"""The content security policy of a published page: the page's own, opened as far as the scripts on it ask."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pydantic import MISSING

from runtime.contract.sites import SiteIntegrationScript

BASE: dict[str, tuple[str, ...]] = {
    "default-src": (),
    "script-src": (),
    "style-src": ("'self'",),
    "img-src": ("'self'", "data:"),
    "font-src": ("'self'",),
    "connect-src": (),
    "frame-src": (),
    "media-src": (),
    "worker-src": (),
    "child-src": (),
    "manifest-src": (),
    "object-src": (),
}
FIXED = "base-uri 'none'; frame-ancestors 'self'"
"""No script decides about these; `form-action` is open, because signing out leads to wherever visitors sign in."""


def policy_of(scripts: Iterable[SiteIntegrationScript]) -> str:
    """Write the policy of a page with these scripts."""
    sources = {name: list(values) for name, values in BASE.items()}
    for script in scripts:
        sources["script-src"].append(script.script)
        asked = _directives(script.content_security_policy) if script.content_security_policy is not MISSING else {}
        everything = asked.pop("default-src", ())
        for name, into in sources.items():
            if name != "default-src":
                into += asked.get(name, everything)
    parts = [
        f"{name} {' '.join(dict.fromkeys(values)) or chr(39) + 'none' + chr(39)}" for name, values in sources.items()
    ]
    return "; ".join([*parts, FIXED])


def _directives(policy: str) -> dict[str, Sequence[str]]:
    """Read a normalised policy; what is said of elements and attributes apart counts for the whole."""
    found: dict[str, list[str]] = {}
    for part in policy.split(";"):
        name, *values = part.split()
        whole = name.removesuffix("-elem").removesuffix("-attr")
        found.setdefault(whole, []).extend(value for value in values if value != "'none'")
    return dict(found)
