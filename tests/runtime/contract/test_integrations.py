"""A manifest that is too long says which part of it is."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from runtime.contract.integrations import MAX_ICON, MAX_MANIFEST, Manifest

BASE: dict[str, Any] = {"title": "Long", "description": "", "scopes": []}
ICON = "i" * MAX_ICON
ADDRESSES = [f"https://example.com/{number}/{'x' * 1900}" for number in range(50)]
SCREEN = {"properties": {f"p{number}": {"type": "string", "enum": ["e" * 50] * 500} for number in range(100)}}


@pytest.mark.parametrize(
    ("large", "said"),
    [
        (
            {"blocks": [{"id": f"b{number}", "title": "Block", "icon": ICON} for number in range(6)]},
            "so make the icons of its `blocks` smaller (2,100,000)",
        ),
        (
            {
                "contentSources": [
                    {"id": f"s{number}", "title": "Source", "icon": ICON, "configuration": {"componentId": "c"}}
                    for number in range(6)
                ]
            },
            "so make the icons of its `contentSources` smaller (2,100,000)",
        ),
        (
            {"blocks": [{"id": f"b{number}", "title": "Block", "urlUnfurl": ADDRESSES} for number in range(25)]},
            "so make its `blocks` shorter (2,4",
        ),
        ({"configurations": {"account": SCREEN}}, "so make its `configurations` shorter (2,7"),
        (
            {
                "blocks": [{"id": "b", "title": "Block", "icon": ICON}],
                "contentSecurityPolicy": "default-src " + "https://example.com " * 100_000,
            },
            "so make its `contentSecurityPolicy` shorter (2,0",
        ),
    ],
)
def test_what_is_too_long_is_said(large: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Manifest.model_validate(BASE | large)
    message = str(refused.value.errors()[0]["msg"])
    assert f"at most {MAX_MANIFEST:,} are allowed, {said}" in message, message
