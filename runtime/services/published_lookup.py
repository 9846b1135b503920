"""What a published address leads to: a place in a site, or somewhere to be sent to first.

Source: docs/contract/api.md, "Published content".
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, parse_qs, quote, unquote, urlencode

from pydantic import MISSING
from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.addresses import Addresses
from runtime.contract.conditions import ConditionEvaluator
from runtime.contract.origins import authority, authority_of
from runtime.contract.published import ContentRedirect, Lookup, PublishedContent
from runtime.contract.url_parts import split_url
from runtime.serializers.published_urls import canonical_home
from runtime.services import content, published_places, sharing, site_entry, visiting, visitor_asking, visitor_keys
from runtime.services.published_places import Place
from runtime.services.site_entry import Entry
from runtime.services.visitor_keys import BadToken
from runtime.store import rows, searching
from runtime.store.content.revisions import snapshot_of
from runtime.store.content_tokens import Preview
from runtime.store.reach import Reach
from runtime.store.tables.change_requests import ChangeRequestRow
from runtime.store.tables.content import RevisionRow
from runtime.store.tables.sites import SiteRow

TOKEN = "jwt_token"
ASKED = "visit"
MAX_SEGMENTS = 100
MAX_PARAMETERS = 50
NOT_FOUND = "There is no published site at this address."
NO_SIGN_IN_PAGE = (
    "This site is for visitors who sign in, and has no sign-in page: use the link that its owners give you."
)


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who asks: a token signed for the site, and what they say of themselves."""

    token: str | None = None
    unsigned: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """An address that was asked for, of a site: the path up to the site, and what follows it."""

    url: SplitResult
    site: SiteRow
    base: str
    path: list[str]


def resolve(
    session: Session, at: Addresses, url: str, visitor: Visitor, reach: Reach, *, redirect_on_error: bool
) -> Lookup:
    """Find what an address leads to; raises NotFound, and Forbidden for a token that is not accepted.

    `~/changes/NUMBER` and `~/revisions/ID` below a space preview what people see who read the space: for `reach`.
    """
    asked = _asked(session, at, url)
    if asked is None:
        raise errors.NotFound(NOT_FOUND)
    key: str | None = None
    if asked.site.visibility == "share-link":
        key = asked.path.pop(0) if asked.path else None
    try:
        token = visitor.token or _token_in(asked.url)
        entry = site_entry.enter(session, asked.site, token, visitor.unsigned or {}, key)
    except BadToken as error:
        if not redirect_on_error:
            raise errors.Forbidden(str(error)) from None
        entry = None
    if entry is not None:
        return _found(session, at, asked, entry, reach)
    if asked.site.visibility != "visitor-auth":
        raise errors.NotFound(NOT_FOUND)
    return ContentRedirect(target="external", redirect=_sign_in(session, at, asked))


def _asked(session: Session, at: Addresses, url: str) -> Asked | None:
    parts = split_url(url)
    raw = [segment for segment in parts.path.split("/") if segment]
    path = [unquote(segment) for segment in raw]
    hostile = any(segment in ("..", ".") or "\x00" in segment for segment in path)
    if parts.username is not None or len(path) > MAX_SEGMENTS or hostile:
        return None
    if path[:1] == ["sites"] and len(path) > 1 and len(path[1]) <= 100:
        home = authority_of(at.site_origin(path[1]))
        if authority(parts.netloc, parts.scheme) == home:
            site = visiting.published(session, path[1])
            return Asked(parts, site, f"/sites/{path[1]}/", path[2:]) if site is not None else None
    if parts.port not in (None, 80, 443):
        return None
    host = (parts.hostname or "").lower()
    site = searching.site_at(session, [f"{host}/{'/'.join(path[:count])}" for count in range(1, len(path) + 1)])
    if site is None or site.proxy is None:
        return None
    depth = site.proxy.count("/")
    return Asked(parts, site, f"/{'/'.join(path[:depth])}/", path[depth:])


def _token_in(url: SplitResult) -> str | None:
    return next(iter(_parameters(url).get(TOKEN, ())), None)


def _parameters(url: SplitResult) -> dict[str, list[str]]:
    try:
        return parse_qs(url.query, max_num_fields=500)
    except ValueError:
        return {}  # more than anybody reads


def _found(session: Session, at: Addresses, asked: Asked, entry: Entry, reach: Reach) -> Lookup:
    site = asked.site
    place = published_places.locate(
        published_places.visible_parts(session, site, ConditionEvaluator(entry.claims)), asked.path
    )
    if place is None:
        raise errors.NotFound(NOT_FOUND)
    preview = _previewed(session, reach, place)
    if preview is not None:
        used = (*place.used, *place.rest[:3])
        place = published_places.Place(place.section, place.part, used, place.rest[3:], complete=True)
    home = canonical_home(at, asked.site) + (f"{entry.share_key}/" if entry.share_key else "")
    sent_to = sent_on(session, site, asked.path, place, entry.claims) if preview is None else None
    if sent_to is not None:
        return ContentRedirect(target="content", redirect=home + sent_to)
    base = asked.base + (f"{entry.share_key}/" if entry.share_key else "")
    rest = "/".join(_written(segment) for segment in place.rest)
    canonical = published_places.Place(place.section, place.part, (), (), complete=True).canonical
    return PublishedContent(
        site=site.id,
        site_section=place.section.id if place.section is not None else MISSING,
        site_space=place.part.id,
        space=place.part.space_id,
        pathname=f"/{rest}",
        base_path=base + "".join(f"{segment}/" for segment in place.used),
        site_base_path=base,
        change_request=preview.id if isinstance(preview, ChangeRequestRow) else MISSING,
        revision=preview.id if isinstance(preview, RevisionRow) else MISSING,
        api_token=entry.token(site, Preview(preview.id, reach.user_id or "") if preview is not None else None),
        organization=site.organization_id,
        share_key=entry.share_key or MISSING,
        complete=place.complete,
        context_id=_context(entry) if entry.claims else MISSING,
        canonical_url=home + canonical + rest,
    )


def _previewed(session: Session, reach: Reach, place: Place) -> ChangeRequestRow | RevisionRow | None:
    """Find what an address previews; raises NotFound for what is not there for the requester."""
    if len(place.rest) < 3 or place.rest[0] != "~" or place.rest[1] not in ("changes", "revisions"):
        return None
    space_id, name = place.part.space_id, place.rest[2]
    row: ChangeRequestRow | RevisionRow | None = None
    if reach.kind == "user" and place.rest[1] == "revisions":
        row = rows.find(session, reach, RevisionRow, id=name[:100], space_id=space_id)
    elif reach.kind == "user":
        by: dict[str, Any] = {"number": int(name)} if re.fullmatch(r"[0-9]{1,9}", name) else {"id": name[:100]}
        row = rows.find(session, reach, ChangeRequestRow, space_id=space_id, **by)
    if row is None:
        raise errors.NotFound(
            "There is no such preview, or this token may not see it: send the token of somebody who may.",
            on_pages="There is no such preview, or you may not see it: ask somebody who may.",
        )
    return row


def sent_on(
    session: Session, site: SiteRow, path: Sequence[str], place: Place, claims: Mapping[str, Any]
) -> str | None:
    """Find where a redirect or a former path of a page sends from a path of a site; None where nothing does.

    What the structure itself has is not sent on, so none go in a circle. `place` is where the path leads otherwise; the
    result is what follows the site's address.
    """
    if not place.rest or "-" in path:
        return None
    row = sharing.redirect_from(session, site, "/" + "/".join(_written(segment) for segment in path))
    if row is not None:
        return published_places.place_of_redirect(session, site, row, claims)
    return _former(session, site, place, claims)


def _former(session: Session, site: SiteRow, place: Place, claims: Mapping[str, Any]) -> str | None:
    """Follow a former path of a page to where the page is now; None where it is none.

    A page that its own path does not lead to, or whose path is too long for an address, is named by its id.
    """
    for space in searching.spaces_among(session, site.organization_id, [place.part.space_id]):
        snapshot = snapshot_of(session, content.current(session, space))
        page = snapshot.page_by_former_path.get("/".join(place.rest))
        if page is not None and page.id not in snapshot.hidden:
            start = published_places.Place(place.section, place.part, (), (), complete=True).canonical
            segments = snapshot.path_of[page.id].split("/")
            now = start + "/".join(map(_written, segments))
            parts = published_places.visible_parts(session, site, ConditionEvaluator(claims))
            leads_to = published_places.locate(parts, [unquote(one) for one in now.split("/")])
            own = leads_to is not None and leads_to.part.id == place.part.id and list(leads_to.rest) == segments
            fits = len(now) <= published_places.LONGEST_PATH
            return now if own and fits else f"{start}{published_places.PAGES}{quote(page.id)}"
    return None


def _sign_in(session: Session, at: Addresses, asked: Asked) -> str:
    """Return the address where visitors sign in; raises Forbidden and Unavailable if there is none."""
    site, place = asked.site, "/".join(_written(segment) for segment in asked.path)
    if site.visitor_auth_backend != "integration":
        if site.fallback_url is None and site.visitor_auth_backend is None:
            raise errors.Forbidden(NO_SIGN_IN_PAGE)
        if site.fallback_url is None:
            raise errors.Forbidden("Visitors of this site are signed in by its owners' own service: send its token.")
        return sign_in_address(site.fallback_url, place)
    part = visitor_keys.part_of(session, site)
    if part is None or site.visitor_auth_integration is None:
        raise errors.Inactive("The integration that signs visitors in is not active here.")
    if not at.own_origins:
        return at.site(site.id) + place
    name = site.visitor_auth_integration
    sent = _parameters(asked.url)
    parameters = [(one, values[0]) for one, values in sent.items() if one != TOKEN][:MAX_PARAMETERS]
    about = f"{name}/{part.installation_id}/{site.id}"
    sealed = visitor_asking.seal(about, {"location": place, "searchParams": dict(parameters)})
    return f"{at.visitor_authentication(name, part.installation_id, site.id)}?{urlencode({ASKED: sealed})}"


def sign_in_address(fallback_url: str, place: str) -> str:
    """Write the address where a site's owners sign visitors in, with the place to come back to."""
    page, mark, fragment = fallback_url.partition("#")
    return f"{page}{'&' if '?' in page else '?'}{urlencode({'location': f'/{place}'})}{mark}{fragment}"


def _written(segment: str) -> str:
    return quote(segment, safe="~")


def _context(entry: Entry) -> str:
    """Tell apart visitors for whom other content is there; how long a token holds makes no difference."""
    told = {name: value for name, value in entry.claims.items() if name not in ("exp", "iat", "nbf", "jti")}
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:32]
