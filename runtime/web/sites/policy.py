"""The content security policy of a published page: the page's own, opened as far as the scripts on it ask."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pydantic import MISSING

from runtime.contract.addresses import Addresses
from runtime.contract.security_policy import LOADING, ROOM_ON_SITES
from runtime.contract.sites import SiteIntegrationScript
from runtime.web.sites.page_content import SampleSite

BASE: dict[str, tuple[str, ...]] = {
    "default-src": (),
    **dict.fromkeys(LOADING, ()),
    "style-src": ("'self'",),
    "img-src": ("'self'", "data:"),
    "font-src": ("'self'",),
}
LEFT_OUT = ("'none'", "'strict-dynamic'")
"""What would take away from what others on the page ask for: with the second, browsers heed no addresses any more."""
RUNS = frozenset(("script-src", "worker-src", "object-src"))
"""What a block never opens: it is drawn, and only integrations that may inject a script run one in the page."""
INLINE = "'unsafe-inline'"
NONCE_OR_HASH = ("'nonce-", "'sha256-", "'sha384-", "'sha512-")
"""How the sources begin that allow a single script or style; where there is one, browsers ignore `INLINE`."""
MAX_POLICY = 13_312
"""Characters of the policy of a page, except for what the page needs itself: HTTP clients take few more.

What scripts leave of it is for blocks, which only some pages have.
"""
MAX_ANSWERING = 20
"""Integrations of a page whose scripts may answer its blocks."""
FIXED = "base-uri 'none'; frame-ancestors 'self'"
"""No script decides about these; `form-action` is open, because signing out leads to wherever visitors sign in."""


Sources = dict[str, dict[str, None]]
"""What a page lets browsers load, by directive, each source once."""


def scripts_that_fit(scripts: Iterable[SiteIntegrationScript]) -> list[SiteIntegrationScript]:
    """Choose the scripts that a page has: the first ones whose sources fit into its policy together.

    One that does not fit is left out whole, since it would not work; those of later integrations may still fit.
    """
    sources, left = _nothing(), ROOM_ON_SITES
    chosen = []
    for script in scripts:
        asked = _asked_by(script)
        if (size := _size_of_new(sources, asked)) <= left:
            left -= size
            _add(sources, asked)
            chosen.append(script)
    return chosen


def policy_of(
    scripts: Iterable[SiteIntegrationScript],
    own: Mapping[str, Sequence[str]] | None = None,
    blocks: Iterable[Mapping[str, Sequence[str]]] = (),
) -> str:
    """Write the policy of a page with these scripts; `own` is what the page needs itself, by directive.

    `blocks` are what blocks need, an integration each: with each, all that it needs, or nothing where no room is left.
    """
    sources = _nothing()
    _add(sources, BASE)
    _add(sources, own or {})
    before = len(_written(sources))
    for script in scripts:
        _add(sources, _asked_by(script))
    left = MAX_POLICY - (len(_written(sources)) - before)
    for asked in blocks:
        if (size := _size_of_new(sources, asked)) <= left:
            left -= size
            _add(sources, asked)
    return _written(sources)


def _asked_by(script: SiteIntegrationScript) -> Mapping[str, Sequence[str]]:
    policy = script.content_security_policy
    asked = _asked(policy if policy is not MISSING else "")
    asked["script-src"] = [script.script, *asked["script-src"]]
    return asked


def _nothing() -> Sources:
    return {name: {} for name in BASE}


def _add(sources: Sources, asked: Mapping[str, Sequence[str]]) -> None:
    for name, values in asked.items():
        sources[name].update(dict.fromkeys(values))


def _size_of_new(sources: Sources, asked: Mapping[str, Sequence[str]]) -> int:
    new = (value for name, values in asked.items() for value in dict.fromkeys(values) if value not in sources[name])
    return sum(len(value) + 1 for value in new)


def _written(sources: Sources) -> str:
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
        own["connect-src"].append(f"{home}-/render/")
        own["frame-src"] += ["http:", "https:"]
        own["connect-src"] += _answers(drawn, at)
    blocks = [
        {name: values for name, values in _asked(policy).items() if name not in RUNS}
        for policy in drawn.values()
        if policy
    ]
    return policy_of(scripts, own, blocks)


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
        own["connect-src"] += _answers((block.integration for block in sample.blocks), at)
    blocks = [_asked(policy) for policy in dict.fromkeys(block.policy for block in sample.blocks) if policy]
    return f"{policy_of(scripts, own, blocks)}; report-uri {home}-/violations"


def _answers(integrations: Iterable[str], at: Addresses) -> list[str]:
    """Return where the scripts of integrations answer, which blocks load their lists from."""
    return [f"{at.of_integration(name)}/" for name in [*dict.fromkeys(integrations)][:MAX_ANSWERING]]


def _asked(policy: str) -> dict[str, Sequence[str]]:
    """Read what a policy asks for, by the directives of a page; it takes nothing away."""
    requested = _directives(policy)
    everything = requested.pop("default-src", ())
    asked: dict[str, Sequence[str]] = {}
    for name in BASE:
        values = requested.get(name, everything) if name != "default-src" else ()
        # A policy with both means the nonce or hash: `INLINE` is its fallback for browsers that know neither.
        asked[name] = [value for value in values if value != INLINE or not any(map(_is_nonce_or_hash, values))]
    return asked


def _effective(values: Iterable[str]) -> list[str]:
    """Return the sources without those that would make browsers ignore `INLINE`, which another script needs."""
    once = list(values)
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
