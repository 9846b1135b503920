"""Fetches content for imports: follows egress rules and redirects, within limits of size and time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from runtime.background.jobs import JobFailed
from runtime.contract.url_parts import join_url, split_url
from runtime.engines.egress import EgressRefused, EgressRules, FetchedResponse, FetchFailed, fetch
from runtime.engines.unpacking import unpacked

AGENT = "docs-importer"
USER_AGENT = f"{AGENT}/1.0"
MAX_REDIRECTS = 5
MAX_BYTES = 100 << 20
"""Bytes of one answer."""
TIMEOUT = 60.0
REDIRECTS = (301, 302, 303, 307, 308)


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer, and the address that gave it."""

    url: str
    status: int
    content_type: str
    body: bytes


class NotFetched(JobFailed):
    """Something could not be fetched; the message is a sentence for the person who imports."""


def get(
    rules: EgressRules,
    url: str,
    *,
    timeout: float = TIMEOUT,
    max_bytes: int = MAX_BYTES,
    allowed: Callable[[str], bool] = lambda url: True,
) -> Fetched:
    """Fetch an address within `timeout`; `allowed` decides which redirects are followed. Raises NotFetched."""
    until = time.monotonic() + timeout
    headers = {"User-Agent": USER_AGENT, "Accept-Encoding": "identity", "Accept": "*/*"}
    for _ in range(MAX_REDIRECTS + 1):
        left = until - time.monotonic()
        if left <= 0:
            raise NotFetched("The address did not answer in time.")
        _check_own(rules, url)
        try:
            answer = fetch(rules, "GET", url, headers, timeout=left, max_bytes=max_bytes)
            body = unpacked(answer, max_bytes) if answer.status == 200 else answer.body
        except EgressRefused as error:
            raise NotFetched(f"The address may not be requested: {error}") from error
        except FetchFailed as error:
            raise NotFetched(f"The address could not be fetched. {error}") from error
        if answer.status not in REDIRECTS:
            return Fetched(url, answer.status, _header(answer, "content-type"), body)
        location = _header(answer, "location")
        try:
            url = join_url(url, location)
        except ValueError:
            raise NotFetched("The address redirects to an invalid address.") from None
        if not location or split_url(url).scheme not in ("http", "https"):
            raise NotFetched("The address redirects to something other than http or https.")
        if not allowed(url):
            raise NotFetched("The address redirects out of the website.")
    raise NotFetched(f"The address redirects more than {MAX_REDIRECTS} times.")


def content(fetched: Fetched) -> bytes:
    """Return the body of an answer that succeeded; raises NotFetched."""
    if fetched.status != 200:
        raise NotFetched(f"The address answered with {fetched.status}.")
    if not fetched.body:
        raise NotFetched("The answer at the address is empty.")
    return fetched.body


def _check_own(rules: EgressRules, url: str) -> None:
    """Refuse requests to the platform itself, except to its API."""
    try:
        closed = rules.is_own_outside_api(split_url(url))
    except ValueError:
        raise NotFetched("The address is not valid.") from None
    if closed:
        raise NotFetched("The address belongs to this platform, which cannot be imported from.")


def _header(answer: FetchedResponse, name: str) -> str:
    return next((value for one, value in answer.headers if one.lower() == name), "")[:4096]
