"""How long an answer may be kept is what its Cache-Control says, in whatever case."""

from __future__ import annotations

import pytest

from runtime.services.render_cache import max_age


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        (None, 0),
        ("", 0),
        ("max-age=60", 60),
        ("Max-Age=60", 60),
        ("public, max-age=60", 60),
        ("PUBLIC,MAX-AGE=60 , must-revalidate", 60),
        ("Private, max-age=60", 0),
        ("max-age=60, No-Store", 0),
        ("NO-CACHE, max-age=60", 0),
        ('private="set-cookie", max-age=60', 0),
        ("s-maxage=60", 0),
        ("max-age=60, private;", 0),
        ("max-age=60, no-store no-cache", 0),
        ("no-store; x, max-age=60", 0),
        ("max-age=-1", 0),
        ("max-age=1e9", 0),
        ("x-private-not=1, max-age=5", 5),
    ],
)
def test_seconds(said: str | None, seconds: int) -> None:
    assert max_age(said) == seconds
