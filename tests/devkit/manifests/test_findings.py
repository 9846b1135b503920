"""Of several findings, an error is told before a warning."""

from __future__ import annotations

from devkit.manifests.findings import Finding, InvalidProject


def test_errors_are_told_first() -> None:
    warning = Finding("integration.yaml", 1, 1, "visibilty is not a known key", level="warning")
    error = Finding("integration.yaml", 9, 1, "target must be one of all, space, site")
    told = InvalidProject([warning, error])
    assert told.findings == [error, warning]
    assert told.sentence.startswith("integration.yaml:9") and "1 more" in told.sentence
