"""What is taken of a limit, and what is not where it must be all or nothing."""

from __future__ import annotations

from runtime.web.rate_limits import RateLimit


def test_as_much_as_there_is() -> None:
    limit = RateLimit(10, 3600)
    assert [limit.take("a", amount) for amount in (7, 7, 1)] == [7, 3, 0]
    assert limit.take("b") == 1


def test_all_or_nothing() -> None:
    limit = RateLimit(10, 3600)
    assert [limit.take_all("a", amount) for amount in (7, 7, 3, 1)] == [True, False, True, False]
    assert limit.take_all("b", 10)
