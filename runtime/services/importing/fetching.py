"""Fetches what is imported: by the rules for outgoing requests, with redirects, bounded in all ways."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from runtime.dispatch.jobs import JobFailed
from runtime.engines.egress import EgressRefused, EgressRules, FetchedResponse, FetchFailed, fetch

AGENT = "docs-importer"
USER_AGENT = f"{AGENT}/1.0"
MAX_REDIRECTS = 5
MAX_BYTES = 100 << 20
"""Bytes of one answer."""
TIMEOUT = 60.0
REDIRECTS = (301, 302, 303, 307, 308)
PACKED = ("gzip", "x-gzip", "deflate")
"""Encodings of bodies that are unpacked."""
MAX_MEMBERS = 10_000
"""Parts of one body: what is packed with gzip may be several files of gzip, one after the other."""
_GZIP, _ZLIB, _BARE = zlib.MAX_WBITS | 16, zlib.MAX_WBITS, -zlib.MAX_WBITS
_MAGIC = b"\x1f\x8b"
_PIECE = 1 << 16


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer, and the address that gave it."""

    url: str
    status: int
    content_type: str
    body: bytes


class NotFetched(JobFailed):
    """Something could not be fetched; the sentence is for whoever imports it."""


def get(
    rules: EgressRules,
    url: str,
    *,
    timeout: float = TIMEOUT,
    max_bytes: int = MAX_BYTES,
    allowed: Callable[[str], bool] = lambda url: True,
) -> Fetched:
    """Fetch an address; `timeout` is for all of it. `allowed` says where redirects may lead. Raises NotFetched."""
    until = time.monotonic() + timeout
    headers = {"User-Agent": USER_AGENT, "Accept-Encoding": "identity", "Accept": "*/*"}
    for _ in range(MAX_REDIRECTS + 1):
        left = until - time.monotonic()
        if left <= 0:
            raise NotFetched("The address did not answer in time.")
        _check_own(rules, url)
        try:
            answer = fetch(rules, "GET", url, headers, timeout=left, max_bytes=max_bytes)
        except EgressRefused as error:
            raise NotFetched(f"The address may not be requested: {error}") from error
        except FetchFailed as error:
            raise NotFetched(f"The address could not be fetched. {error}") from error
        if answer.status not in REDIRECTS:
            return Fetched(url, answer.status, _header(answer, "content-type"), _unpacked(answer, max_bytes))
        location = _header(answer, "location")
        try:
            url = urljoin(url, location)
        except ValueError:
            raise NotFetched("The address leads to another one that is none.") from None
        if not location or urlsplit(url).scheme not in ("http", "https"):
            raise NotFetched("The address leads to another one that is none of the web.")
        if not allowed(url):
            raise NotFetched("The address leads out of the website.")
    raise NotFetched(f"The address leads on and on, more than {MAX_REDIRECTS} times.")


def content(fetched: Fetched) -> bytes:
    """Give the body of an answer that succeeded; raises NotFetched."""
    if fetched.status != 200:
        raise NotFetched(f"The address answered with {fetched.status}.")
    if not fetched.body:
        raise NotFetched("The address answered with nothing in it.")
    return fetched.body


def _unpacked(answer: FetchedResponse, max_bytes: int) -> bytes:
    """Give a body as it was before it was packed, which some servers do unasked; raises NotFetched."""
    encoding = _header(answer, "content-encoding").strip().lower()
    if encoding in ("", "identity") or not answer.body:
        return answer.body
    if encoding not in PACKED:
        raise NotFetched(f"The address answered packed as `{encoding[:20]}`, which is not read; gzip is.")
    form = _GZIP if encoding != "deflate" else _ZLIB if _has_header(answer.body) else _BARE
    body, at = bytearray(), 0
    for _ in range(MAX_MEMBERS):
        try:
            at = _unpack_member(answer.body, at, form, body, max_bytes)
        except zlib.error:
            raise NotFetched(f"The address answered with what is no {encoding}, as it says it is.") from None
        if form != _GZIP or answer.body[at : at + len(_MAGIC)] != _MAGIC:
            return bytes(body)
    raise NotFetched(f"The address could not be fetched. The answer is packed in more than {MAX_MEMBERS} parts.")


def _unpack_member(packed: bytes, at: int, form: int, body: bytearray, max_bytes: int) -> int:
    """Add what one part holds to a body and tell where the part ends; raises NotFetched, zlib.error."""
    unpacking = zlib.decompressobj(form)
    while not unpacking.eof:
        piece = packed[at : at + _PIECE]
        if not piece:
            raise NotFetched("The address could not be fetched. The answer ended in the middle.")
        body += unpacking.decompress(piece, max_bytes + 1 - len(body))
        if len(body) > max_bytes:
            raise NotFetched(
                f"The address could not be fetched. Unpacked, the answer is larger than {max_bytes} bytes."
            )
        at += len(piece) - len(unpacking.unused_data)
    return at


def _has_header(body: bytes) -> bool:
    """Whether a body packed with `deflate` begins as zlib's do (RFC 1950, section 2.2): some servers leave that out."""
    return body[0] & 0x0F == zlib.DEFLATED and int.from_bytes(body[:2], "big") % 31 == 0


def _check_own(rules: EgressRules, url: str) -> None:
    """Of the platform itself the API alone may be requested."""
    try:
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        raise NotFetched("The address is none.") from None
    own = rules.own_address(parts.hostname or "", port) is not None
    if own and not any(f"{parts.path}/".startswith(f"{path}/") for path in rules.own_paths):
        raise NotFetched("The address is one of this platform, which is not imported from.")


def _header(answer: FetchedResponse, name: str) -> str:
    return next((value for one, value in answer.headers if one.lower() == name), "")[:4096]
