"""Every place of a site has one address that leads back to it, whatever its parts are called."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from runtime.services.published_places import locate
from runtime.store.site_structure import Parts
from runtime.store.tables.site_structure import SiteSectionRow, SiteSpaceRow

PATHS = st.lists(st.sampled_from(["a", "b", "c", "A", "v1.0", "~x"]), min_size=1, max_size=4, unique=True)
SITES = st.lists(PATHS, max_size=4)
PAGE = ["page-of-nobody", "a"]


def built(sections: list[list[str]], loose: list[str], defaults: list[int]) -> Parts:
    """Make a site of sections with spaces, or of loose spaces where there are none."""

    def spaces(paths: list[str], holder: str, section: str | None, number: int) -> list[SiteSpaceRow]:
        chosen = number % len(paths)
        return [
            SiteSpaceRow(
                id=f"{holder}/{path}",
                site_id="t",
                space_id="s",
                holder_id=holder,
                section_id=section,
                path=path,
                default_of=holder if place == chosen else None,
                position=place,
            )
            for place, path in enumerate(paths)
        ]

    if not sections:
        return Parts([], [], spaces(loose, "t", None, defaults[0]))
    names = ["a", "b", "c", "v1.0"]
    rows = [
        SiteSectionRow(
            id=f"s{place}",
            site_id="t",
            title="S",
            path=names[place],
            default_of="t" if place == defaults[0] % len(sections) else None,
            position=place,
        )
        for place in range(len(sections))
    ]
    inside = [
        space
        for place, paths in enumerate(sections)
        for space in spaces(paths, f"s{place}", f"s{place}", defaults[place])
    ]
    return Parts([], rows, inside)


@given(sections=SITES, loose=PATHS, defaults=st.lists(st.integers(0, 3), min_size=4, max_size=4), hidden=st.data())
def test_the_address_of_a_place_leads_to_it(
    sections: list[list[str]], loose: list[str], defaults: list[int], hidden: Any
) -> None:
    whole = built(sections, loose, defaults)
    seen = hidden.draw(st.lists(st.sampled_from(whole.spaces), unique_by=lambda space: space.id))
    filled = {space.section_id for space in seen}
    parts = Parts([], [section for section in whole.sections if section.id in filled], seen)
    if not seen:
        assert locate(parts, PAGE) is None
        return
    by_id = {section.id: section for section in parts.sections}
    for space in seen:
        section = by_id.get(space.section_id or "")
        path = [*([section.path] if section is not None else []), space.path]
        whole_way = locate(parts, [*path, *PAGE])
        assert whole_way is not None
        assert (whole_way.part, whole_way.section, [*whole_way.rest]) == (space, section, PAGE)
        assert [*whole_way.used] == path and whole_way.complete
        canonical = [segment for segment in whole_way.canonical.split("/") if segment]
        again = locate(parts, canonical)
        assert again is not None and (again.part, [*again.rest]) == (space, PAGE)
        assert again.canonical == whole_way.canonical
    somewhere = locate(parts, PAGE)
    assert somewhere is not None and [*somewhere.rest] == PAGE and not somewhere.used
