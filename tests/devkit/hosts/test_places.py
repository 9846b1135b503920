"""Spaces and sites as people name them."""

from __future__ import annotations

import pytest

from devkit.hosts import places
from devkit.hosts.places import Kind
from devkit.terminal.output import Problem

ID = "abcdefghij0123456789"


@pytest.mark.parametrize(
    ("kind", "named", "id_"),
    [
        ("space", ID, ID),
        ("space", f"http://127.0.0.1:8080/app/spaces/{ID}/", ID),
        ("space", f"https://docs.example/v1/spaces/{ID}/content?page=x", ID),
        ("site", f"https://docs.example/app/orgs/{ID[::-1]}/sites/{ID}#top", ID),
        ("space", f"https://docs.example/app/spaces/{ID}x", None),
        ("space", f"spaces/{ID}", None),
        ("space", "Handbook", None),
    ],
)
def test_an_id_is_found_in_addresses(kind: Kind, named: str, id_: str | None) -> None:
    assert places.id_in(kind, named) == id_


def test_the_address_of_something_else_is_refused() -> None:
    with pytest.raises(Problem, match="is the address of a space; give that of a site, its id or title"):
        places.id_in("site", f"https://docs.example/app/spaces/{ID}")
