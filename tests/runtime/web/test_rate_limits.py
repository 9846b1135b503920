"""What is taken of a limit, and what is not where it must be all or nothing."""

from __future__ import annotations

from runtime.web.rate_limits import RateLimit, SharedLimit


def test_as_much_as_there_is() -> None:
    limit = RateLimit(10, 3600)
    assert [limit.take("a", amount) for amount in (7, 7, 1)] == [7, 3, 0]
    assert limit.take("b") == 1


def test_all_or_nothing() -> None:
    limit = RateLimit(10, 3600)
    assert [limit.take_all("a", amount) for amount in (7, 7, 3, 1)] == [True, False, True, False]
    assert limit.take_all("b", 10)


def test_nobody_alone_takes_what_is_for_all() -> None:
    limit = SharedLimit(10, 3600)
    assert [limit.take_all("site", "greedy") for _ in range(7)] == [True] * 5 + [False] * 2
    assert [limit.take_all("site", "other", amount) for amount in (4, 2, 1, 1)] == [True, False, True, False]
    assert not limit.take_all("site", "third") and limit.take_all("another site", "greedy")


def test_what_is_refused_is_not_taken() -> None:
    limit = SharedLimit(10, 0.2)
    assert limit.take_all("site", "a", 5) and limit.take_all("site", "b", 3)
    assert not limit.take_all("site", "c", 3)  # two are left for all
    assert limit.take_all("site", "c", 2)
