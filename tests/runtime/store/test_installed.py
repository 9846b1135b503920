"""Installations of an organization are matched against one space or site without reading those of all others."""

from __future__ import annotations

import pytest

from runtime.store import installed
from tests.runtime.store.conftest import World, named

HERE = named("organizations", "here")
PLACES = (named("spaces", "here"), named("sites", "here"))


def test_all_places_are_named_where_none_is_asked_for(world: World) -> None:
    with world.database.transaction(writes=False) as session:
        (one,) = installed.in_organization(session, HERE)
    assert ({*one.spaces}, {*one.sites}) == ({PLACES[0]}, {PLACES[1]})


@pytest.mark.parametrize("place", [*PLACES, named("spaces", "there"), "nowhere"])
def test_only_the_place_that_is_asked_for_is_read(world: World, place: str) -> None:
    with world.database.transaction(writes=False) as session:
        (one,) = installed.in_organization(session, HERE, place=place)
    assert {*one.spaces, *one.sites} == {place} & {*PLACES}
