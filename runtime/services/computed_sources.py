"""Which content sources a visitor may have computed: those that the content itself names, and no others.

What a visitor sends goes to the script of somebody's integration. A source stands in a page of the space, or in a page
that a script computed: then its seed carries a signature, which comes back with it.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.computing import Compute
from runtime.services import content
from runtime.store.content.revisions import snapshot_of
from runtime.store.secrets import keyring
from runtime.store.tables.spaces import SpaceRow

SIGNATURE_BYTES = 15
MARK = "~"


def signed_seed(space_id: str, source: Mapping[str, Any], seed: str) -> str:
    """Write a seed so that it tells that a script named this source in a space."""
    plain = plain_seed(seed)
    return f"{plain}{MARK}{_signature(space_id, source, plain)}"


def plain_seed(seed: str) -> str:
    """Return a seed without a signature: what ids are made of."""
    plain, mark, signature = seed.rpartition(MARK)
    return plain if mark and len(signature) == SIGNATURE_BYTES * 4 // 3 else seed


def check_named(session: Session, space: SpaceRow, request: Compute) -> None:
    """Raise Forbidden for a source that the content of a space does not name."""
    source = request.source.model_dump(mode="json", by_alias=True)
    plain = plain_seed(request.seed)
    signature = request.seed.removeprefix(plain).removeprefix(MARK)
    expected = _signature(space.id, source, plain)
    if hmac.compare_digest(signature.encode("utf-8", "surrogatepass"), expected.encode()):
        return
    told, pages = _told(source), snapshot_of(session, content.current(session, space)).pages
    if not any(page.computed is not None and _told(page.computed) == told for page in pages):
        raise errors.Forbidden("A visitor's token computes only what the pages of this space name as their source.")


def _told(source: Mapping[str, Any]) -> dict[str, Any]:
    """Return what of a source decides over what is computed; values that are sent along are looked up again."""
    dependencies = source.get("dependencies") or {}
    refs = {name: one.get("ref") for name, one in dependencies.items() if isinstance(one, dict)}
    return {"type": source.get("type"), "props": source.get("props"), "dependencies": refs}


def _signature(space_id: str, source: Mapping[str, Any], seed: str) -> str:
    text = json.dumps([space_id, _told(source), seed], sort_keys=True, separators=(",", ":"))
    digest = hmac.new(keyring().derive("sources that scripts named"), text.encode(), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest[:SIGNATURE_BYTES]).decode()
