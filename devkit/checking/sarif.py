"""Findings as SARIF 2.1.0 (OASIS), the form in which code hosts and editors take the results of checks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from devkit.checking.rules import RULES
from devkit.manifests.findings import Finding
from runtime import version

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def document(findings: Sequence[Finding], folder: Path) -> dict[str, Any]:
    """Return one run with all findings; files are named from the folder the check was started in, where they are below.

    `folder` is the project's.
    """
    used = [rule for rule in RULES.values() if any(finding.rule == rule.id for finding in findings)]
    places = {rule.id: number for number, rule in enumerate(used)}
    driver = {
        "name": "devkit check",
        "version": version.VERSION,
        "rules": [
            {
                "id": rule.id,
                "shortDescription": {"text": rule.about},
                "help": {"text": rule.cure},
                "defaultConfiguration": {"level": rule.level},
            }
            for rule in used
        ],
    }
    results = [_result(finding, places, folder) for finding in findings]
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        # Columns count characters, as Python does, not UTF-16 units.
        "runs": [{"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}],
    }


def _result(finding: Finding, places: dict[str, int], folder: Path) -> dict[str, Any]:
    region: dict[str, Any] = {"startLine": finding.line, "startColumn": finding.column}
    if finding.source is not None:
        region["snippet"] = {"text": finding.source}
    place = {"artifactLocation": {"uri": _uri(folder / finding.file)}, "region": region}
    result = {"level": finding.level, "message": {"text": finding.message}, "locations": [{"physicalLocation": place}]}
    return result | ({"ruleId": finding.rule, "ruleIndex": places[finding.rule]} if finding.rule in places else {})


def _uri(file: Path) -> str:
    here = Path.cwd()
    return file.as_uri().removeprefix(here.as_uri().rstrip("/") + "/") if file.is_relative_to(here) else file.as_uri()
