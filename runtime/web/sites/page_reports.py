"""Reports of what a site's content security policy kept out, as browsers send them to anybody who listens."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from runtime.contract import errors
from runtime.contract.finite_json import finite_json
from runtime.contract.url_parts import split_url

MAX_BODY = 32 * 1024
MAX_REPORTS = 20
LONGEST = 300
HIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")
WRITTEN = {"inline": "inline code or style", "eval": "code made from a string"}
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
        match = PATH.match(_path(self.source))
        return match[1] if match else None

    def sentence(self) -> str:
        """Say it, with the cure."""
        where = f", requested by {self.source}{f':{self.line}' if self.line else ''}" if self.source else ""
        whole = self.directive.removesuffix("-elem").removesuffix("-attr") or "the directive"
        if self.blocked in WRITTEN:
            what, cure = WRITTEN[self.blocked], "move it to a file"
        else:
            what = self.blocked or "something"
            cure = f"name its origin under `{whole}` of the manifest's `contentSecurityPolicy`"
        page = self.page or "/"
        return f"The content security policy blocked {what} on the page {page} ({self.directive}){where}: {cure}."


def violations(body: bytes) -> Iterator[Violation]:
    """Read both forms of reports, `report-uri` and the Reporting API; raises BadRequest for anything else."""
    try:
        report = json.loads(body)
    except (ValueError, RecursionError):
        report = None
    if report is None or not finite_json(body):
        raise errors.BadRequest("This is not a report: it is not JSON.") from None
    listed = report if isinstance(report, list) else [report]
    if not listed or len(listed) > MAX_REPORTS:
        raise errors.BadRequest(f"Between 1 and {MAX_REPORTS} reports are taken at once.")
    for entry in listed:
        if isinstance(entry, dict) and isinstance(entry.get("csp-report"), dict):
            yield _older(entry["csp-report"])
        elif isinstance(entry, dict) and entry.get("type") == "csp-violation" and isinstance(entry.get("body"), dict):
            yield _newer(entry["body"])
        else:
            raise errors.BadRequest("This is not a report of a content security policy.")


def _older(report: dict[str, Any]) -> Violation:
    return Violation(
        directive=_text(report.get("effective-directive") or report.get("violated-directive")).split(" ")[0],
        blocked=_address(report.get("blocked-uri")),
        page=_path(report.get("document-uri")),
        source=_address(report.get("source-file")),
        line=_number(report.get("line-number")),
    )


def _newer(report: dict[str, Any]) -> Violation:
    return Violation(
        directive=_text(report.get("effectiveDirective")).split(" ")[0],
        blocked=_address(report.get("blockedURL")),
        page=_path(report.get("documentURL")),
        source=_address(report.get("sourceFile")),
        line=_number(report.get("lineNumber")),
    )


def _text(value: Any) -> str:
    """Return a text that no terminal and no page can be tricked with."""
    return HIDDEN.sub(" ", value)[:LONGEST].strip() if isinstance(value, str) else ""


def _address(value: Any) -> str:
    """Return an address without its query, in which visitors' own data may be."""
    return re.split(r"[?#]", _text(value))[0]


def _path(value: Any) -> str:
    try:
        return split_url(_address(value)).path
    except ValueError:
        return ""


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10_000_000 else None
