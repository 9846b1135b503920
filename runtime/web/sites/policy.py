"""The content security policy of a published page: the page's own, opened as far as the scripts on it ask."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pydantic import MISSING

from runtime.contract.addresses import Addresses
from runtime.contract.sites import SiteIntegrationScript
from runtime.web.sites.page_content import SampleSite

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
LEFT_OUT = ("'none'", "'strict-dynamic'")
"""What would take away from what others on the page ask for: with the second, browsers heed no addresses any more."""
RUNS = frozenset(("script-src", "worker-src", "object-src"))
"""What a block never opens: it is drawn, and only integrations that may inject a script run one in the page."""
INLINE = "'unsafe-inline'"
NONCE_OR_HASH = ("'nonce-", "'sha256-", "'sha384-", "'sha512-")
"""How the sources begin that allow a single script or style; where there is one, browsers ignore `INLINE`."""
FIXED = "base-uri 'none'; frame-ancestors 'self'"
"""No script decides about these; `form-action` is open, because signing out leads to wherever visitors sign in."""


def policy_of(scripts: Iterable[SiteIntegrationScript], own: Mapping[str, Sequence[str]] | None = None) -> str:
    """Write the policy of a page with these scripts; `own` is what the page needs itself, by directive."""
    sources = {name: [*values, *(own or {}).get(name, ())] for name, values in BASE.items()}
    for script in scripts:
        sources["script-src"].append(script.script)
        _open(sources, script.content_security_policy if script.content_security_policy is not MISSING else "")
    parts = [f"{name} {' '.join(_effective(values)) or chr(39) + 'none' + chr(39)}" for name, values in sources.items()]
    return "; ".join([*parts, FIXED])


def policy_of_framed(
    scripts: Iterable[SiteIntegrationScript],
    at: Addresses,
    site_id: str,
    *,
    alive: bool,
    style: str,
    pictures: Sequence[str],
) -> str:
    """Write the policy of a site's page without content; `style` is the source of the one stylesheet in it.

    `pictures` are where those around the page come from. With `alive` the page has the host's own script, by which the
    host hears that it is read.
    """
    own = {"style-src": [style], "img-src": list(pictures)}
    if alive:
        own["script-src"] = [f"{at.site_origin(site_id)}/sites/-/"]
        own["connect-src"] = [f"{at.site(site_id)}-/insights"]
    return policy_of(scripts, own)


def policy_of_read(
    scripts: Iterable[SiteIntegrationScript],
    drawn: Mapping[str, str | None],
    at: Addresses,
    site_id: str,
    home: str,
    *,
    alive: bool,
    style: str,
) -> str:
    """Write the policy of a page of a space; `drawn` names the integrations that draw blocks in it, each with its own.

    Whatever pictures people put into their pages are shown. With `alive` the page has the host's own script. `style` is
    the source of the one stylesheet that is in the page.
    """
    here = at.site_origin(site_id)
    own = {name: list[str]() for name in BASE}
    own["img-src"] += ["http:", "https:"]
    own["style-src"].append(style)
    if alive:
        own["script-src"].append(f"{here}/sites/-/")
        own["connect-src"].append(f"{at.site(site_id)}-/insights")
    if drawn:
        own["script-src"].append(f"{here}/contentkit/")
        own["connect-src"] += [f"{home}-/render/", *(f"{at.of_integration(name)}/" for name in drawn)]
        own["frame-src"] += ["http:", "https:"]
    for policy in dict.fromkeys(policy for policy in drawn.values() if policy):
        asked = {name: list[str]() for name in BASE}
        _open(asked, policy)
        for name in asked.keys() - RUNS:
            own[name] += asked[name]
    return policy_of(scripts, own)


def policy_of_sample(scripts: Iterable[SiteIntegrationScript], sample: SampleSite, at: Addresses, site_id: str) -> str:
    """Write the policy of a site with sample pages: one for all, because readers go from page to page in place.

    Browsers report what it keeps out. Those that know both would prefer `report-to`, and report a minute later.
    """
    here, home = at.site_origin(site_id), at.site(site_id)
    own = {name: list[str]() for name in BASE}
    own["script-src"] += [f"{here}/sites/-/", f"{here}/contentkit/"]
    own["connect-src"].append(home)
    if sample.map is not None and sample.map.parts.spaces:
        own["img-src"] += ["http:", "https:"]  # whatever pictures people put into their pages
    if sample.blocks:
        # Blocks show pictures and frames from everywhere, and load lists from where their script answers.
        own["img-src"] += ["http:", "https:"]
        own["frame-src"] += ["http:", "https:"]
        own["connect-src"] += [f"{at.of_integration(block.integration)}/" for block in sample.blocks]
    for policy in dict.fromkeys(block.policy for block in sample.blocks if block.policy):
        _open(own, policy)
    return f"{policy_of(scripts, own)}; report-uri {home}-/violations"


def _open(sources: dict[str, list[str]], policy: str) -> None:
    """Add what a policy asks for, and take nothing away."""
    requested = _directives(policy)
    everything = requested.pop("default-src", ())
    for name, into in sources.items():
        if name != "default-src":
            values = requested.get(name, everything)
            # A policy with both means the nonce or hash: `INLINE` is its fallback for browsers that know neither.
            into += [value for value in values if value != INLINE or not any(map(_is_nonce_or_hash, values))]


def _effective(values: Sequence[str]) -> list[str]:
    """Return each source once, without those that would make browsers ignore `INLINE`, which another script needs."""
    once = list(dict.fromkeys(values))
    return [value for value in once if not _is_nonce_or_hash(value)] if INLINE in once else once


def _is_nonce_or_hash(source: str) -> bool:
    return source.lower().startswith(NONCE_OR_HASH)


def _directives(policy: str) -> dict[str, Sequence[str]]:
    """Read a normalised policy; what is said of elements and attributes apart counts for the whole."""
    directives: dict[str, list[str]] = {}
    for part in policy.split(";"):
        name, *values = part.split() or [""]
        whole = name.removesuffix("-elem").removesuffix("-attr")
        directives.setdefault(whole, []).extend(value for value in values if value not in LEFT_OUT)
    return dict(directives)
