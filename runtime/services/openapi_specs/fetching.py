"""Files of a specification, fetched by the rules for outgoing requests."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from urllib.parse import SplitResult, urldefrag

from runtime.contract.openapi_specs import ErrorCode
from runtime.contract.url_parts import join_url, split_url
from runtime.engines.egress import EgressRefused, EgressRules, FetchedResponse, FetchFailed, fetch
from runtime.engines.unpacking import unpacked
from runtime.services.openapi_specs.faults import MAX_FILE, shortened

MAX_REDIRECTS = 5
REDIRECTS = (301, 302, 303, 307, 308)
_ACCEPT = "application/json, application/yaml, application/vnd.oai.openapi+json, text/yaml, text/plain, */*;q=0.5"


class Unfetched(Exception):
    """A file could not be fetched: the code, and a sentence for whoever it belongs to."""

    def __init__(self, code: ErrorCode, sentence: str) -> None:
        super().__init__(sentence)
        self.code: ErrorCode = code
        self.sentence = shortened(sentence)


@dataclass(frozen=True, slots=True)
class Fetched:
    """A file, and the address at which it was in the end."""

    address: str
    content: bytes


def fetch_file(
    rules: EgressRules, url: str, seconds: float, *, most: int = MAX_FILE, check: Callable[[], None] = lambda: None
) -> Fetched:
    """Fetch a file and follow redirects, each by the rules, all within some seconds; raises Unfetched.

    `check` is called before each request and stops it by raising.
    """
    until = time.monotonic() + seconds
    address = urldefrag(url).url
    for _ in range(MAX_REDIRECTS + 1):
        check()
        left = until - time.monotonic()
        if left <= 0:
            raise Unfetched("FETCH_TIMEOUT", f"{url[:200]}: no answer within {seconds:g} seconds.")
        answer = _asked(rules, address, left, seconds, most)
        if answer.status not in REDIRECTS:
            return Fetched(address, _content(address, answer))
        location = _header(answer, "location")
        if not location:
            raise Unfetched("FETCH_ERROR", f"{address[:200]} answered {answer.status} without a redirect address.")
        try:
            address = urldefrag(join_url(address, location)).url
        except ValueError:
            raise Unfetched(
                "FETCH_ERROR", f"{address[:200]} redirects to `{location[:200]}`, which is not a valid address."
            ) from None
    raise Unfetched("FETCH_ERROR", f"{url[:200]} redirects more than {MAX_REDIRECTS} times.")


def _asked(rules: EgressRules, address: str, left: float, seconds: float, most: int) -> FetchedResponse:
    try:
        parts = split_url(address)
        _keep_out(rules, parts)
        answer = fetch(rules, "GET", address, {"Accept": _ACCEPT}, timeout=left, max_bytes=most)
        return replace(answer, body=unpacked(answer, most)) if answer.status == 200 else answer
    except EgressRefused as error:
        raise Unfetched("FETCH_ERROR", f"{address[:200]}: {error}") from None
    except FetchFailed as error:
        if error.timed_out:
            raise Unfetched("FETCH_TIMEOUT", f"{address[:200]}: no answer within {seconds:g} seconds.") from None
        raise Unfetched("FETCH_ERROR", f"{address[:200]}: {error}") from None
    except ValueError:
        raise Unfetched("FETCH_ERROR", f"`{address[:200]}` is no address.") from None


def _keep_out(rules: EgressRules, parts: SplitResult) -> None:
    """Refuse what this host serves besides its API, which some of it only answers from its own machine."""
    if rules.is_own_outside_api(parts):
        raise EgressRefused("this is an address of the platform itself, where only the API can be requested.")


def _content(address: str, answer: FetchedResponse) -> bytes:
    if answer.status != 200:
        raise Unfetched("FETCH_ERROR", f"{address[:200]} answered with the status {answer.status}.")
    return answer.body


def _header(answer: FetchedResponse, name: str) -> str:
    return next((value.strip() for key, value in answer.headers if key.lower() == name), "")
