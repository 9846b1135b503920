"""What a host answered, taken apart."""

from __future__ import annotations

from typing import Any

from tests.conftest import Answer


def ok(answer: Answer, status: int = 200) -> Any:
    assert answer.status == status, answer.text
    return answer.json
