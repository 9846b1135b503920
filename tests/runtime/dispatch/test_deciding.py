"""Matching, retrying and masking: they decide, and do nothing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from runtime.contract.events import EVENTS
from runtime.dispatch.matching import matching, why_not
from runtime.dispatch.retry import Delivered, Failed, GivenUp, judge
from runtime.store.installed import Installed

SCHEDULE = (2.0, 10.0, 60.0)
STATUSES = st.sampled_from(["active", "pending", "paused"])
PARTS = st.dictionaries(st.sampled_from("abc"), STATUSES)


@st.composite
def installations(draw: st.DrawFn) -> Installed:
    scopes = {model.scope for model in EVENTS.values() if model.scope}
    return Installed(
        "installation",
        "integration",
        draw(STATUSES),
        tuple(draw(st.sets(st.sampled_from(sorted(scopes))))),
        draw(st.sampled_from(["all", "selected"])),
        draw(st.sampled_from(["all", "selected"])),
        draw(PARTS),
        draw(PARTS),
    )


@given(st.sampled_from(sorted(EVENTS)), st.lists(installations(), max_size=4), st.sampled_from("abcd"))
def test_whoever_gets_an_event_may_have_it(kind: str, candidates: list[Installed], place: str) -> None:
    event = EVENTS[kind]
    chosen = matching(event, candidates, space_id=place, site_id=place)
    for one in candidates:
        reason = why_not(event, one, space_id=place, site_id=place)
        assert (reason is None) == (one in chosen)
        if one in chosen:
            assert event.scope is None or event.scope in one.scopes
            if not event.lifecycle:
                assert one.status == "active"
                parts = {"space": one.spaces, "site": one.sites}.get(event.target, {place: "active"})
                selection = {"space": one.space_selection, "site": one.site_selection}.get(event.target, "all")
                assert parts.get(place, "active" if selection == "all" else "missing") == "active"


@given(st.integers(200, 599), st.integers(1, 6), st.booleans(), st.floats(0, 1))
def test_judging_one_attempt(status: int, attempt: int, repeats: bool, chance: float) -> None:
    verdict = judge(status, attempt, repeats=repeats, schedule=SCHEDULE, chance=chance)
    if status < 400 or status == 406:
        assert verdict == Delivered()
    elif repeats and (status >= 500 or status in (408, 429)) and attempt <= len(SCHEDULE):
        assert isinstance(verdict, Failed)
        assert 0.75 * SCHEDULE[attempt - 1] <= verdict.delay <= 1.25 * SCHEDULE[attempt - 1]
    else:
        assert verdict == GivenUp()


def test_events_somebody_waits_for_are_never_repeated() -> None:
    assert all(not model.repeats for model in EVENTS.values() if model.waits)
