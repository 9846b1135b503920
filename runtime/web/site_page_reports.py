"""Reports of what a site's content security policy kept out, as browsers send them to anybody who listens."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from runtime.contract import errors
from runtime.contract.base import finite_json

MOST_BODY = 32 * 1024
MOST_REPORTS = 20
LONGEST = 300
HIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")
WRITTEN = {"inline": "code or style that stands in the page", "eval": "code that is made of text"}
"""What is kept out that has no address."""
PATH = re.compile(r"/v1/integrations/([A-Za-z0-9_.-]{1,100})/published-script/")


@dataclass(frozen=True, slots=True)
class Violation:
    """What was kept out: by which directive, on which page, asked for by which script; addresses without queries."""

    directive: str
    blocked: str
    page: str
    source: str
    line: int | None

    @property
    def culprit(self) -> str | None:
        """The name of the integration whose injected script asked for it, where the report says so."""
        found = PATH.match(urlsplit(self.source).path) if self.source else None
        return found[1] if found else None

    def sentence(self) -> str:
        """Say it, with the cure."""
        where = f", asked for by {self.source}{f':{self.line}' if self.line else ''}" if self.source else ""
        whole = self.directive.removesuffix("-elem").removesuffix("-attr") or "the directive"
        if self.blocked in WRITTEN:
            what, cure = WRITTEN[self.blocked], "bring it as a file"
        else:
            what = self.blocked or "something"
            cure = f"name its origin under `{whole}` of the manifest's `contentSecurityPolicy`"
        page = self.page or "/"
        return f"The content security policy kept {what} off the page {page} ({self.directive}){where}: {cure}."


def violations(body: bytes) -> Iterator[Violation]:
    """Read both forms of reports, `report-uri` and the Reporting API; raises BadRequest for anything else."""
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        told = None
    if told is None or not finite_json(body):
        raise errors.BadRequest("This is no report: it is not JSON.") from None
    listed = told if isinstance(told, list) else [told]
    if not listed or len(listed) > MOST_REPORTS:
        raise errors.BadRequest(f"Between 1 and {MOST_REPORTS} reports are taken at once.")
    for one in listed:
        if isinstance(one, dict) and isinstance(one.get("csp-report"), dict):
            yield _older(one["csp-report"])
        elif isinstance(one, dict) and one.get("type") == "csp-violation" and isinstance(one.get("body"), dict):
            yield _newer(one["body"])
        else:
            raise errors.BadRequest("This is no report of a content security policy.")


def _older(told: dict[str, Any]) -> Violation:
    return Violation(
        directive=_text(told.get("effective-directive") or told.get("violated-directive")).split(" ")[0],
        blocked=_address(told.get("blocked-uri")),
        page=_path(told.get("document-uri")),
        source=_address(told.get("source-file")),
        line=_number(told.get("line-number")),
    )


def _newer(told: dict[str, Any]) -> Violation:
    return Violation(
        directive=_text(told.get("effectiveDirective")).split(" ")[0],
        blocked=_address(told.get("blockedURL")),
        page=_path(told.get("documentURL")),
        source=_address(told.get("sourceFile")),
        line=_number(told.get("lineNumber")),
    )


def _text(value: Any) -> str:
    """Give a text that no terminal and no page can be tricked with."""
    return HIDDEN.sub(" ", value)[:LONGEST].strip() if isinstance(value, str) else ""


def _address(value: Any) -> str:
    """Give an address without its query, in which visitors' own data may be."""
    return re.split(r"[?#]", _text(value))[0]


def _path(value: Any) -> str:
    try:
        return urlsplit(_address(value)).path
    except ValueError:
        return ""


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10_000_000 else None
