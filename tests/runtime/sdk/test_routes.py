"""Which handler takes a request."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.sdk.errors import RegistrationError
from runtime.sdk.routes import METHODS, Route

SEGMENT = st.text(min_size=1).map(lambda text: text.encode("utf-8", "replace").decode())


@given(first=SEGMENT, second=SEGMENT)
def test_parameters_come_back_as_they_were_before_quoting(first: str, second: str) -> None:
    route = Route("GET", "/a/{first}/b/{second}")
    path = f"/a/{quote(first, safe='')}/b/{quote(second, safe='')}"
    assert route.match(path) == {"first": first, "second": second}
    assert route.match(f"{path}/") == {"first": first, "second": second}
    assert route.match(f"{path}/more") is None


@given(literal=st.text(st.characters(blacklist_characters="{}*/"), min_size=1))
def test_a_path_without_parameters_means_itself(literal: str) -> None:
    route = Route("GET", f"/{literal}")
    assert route.match(f"/{literal}") == {}
    assert route.match(f"/{literal}x") is None


@pytest.mark.parametrize(
    ("pattern", "path", "results"),
    [
        ("/", "/", {}),
        ("/", "/x", None),
        ("/*", "/", {}),
        ("/*", "/x/y", {}),
        ("/a/*", "/a/b/c", {}),
        ("/a/*", "/b", None),
        ("/a", "/a/", {}),
        ("/a/", "/a", {}),
        ("/files/{rest:path}", "/files/a/b%20c", {"rest": "a/b c"}),
        ("/{name}", "/", None),
        ("/a.b", "/axb", None),
        ("/v{major}.{minor}", "/v1.2", {"major": "1", "minor": "2"}),
    ],
)
def test_patterns(pattern: str, path: str, results: dict[str, str] | None) -> None:
    assert Route("GET", pattern).match(path) == results


@pytest.mark.parametrize("pattern", ["", "a", "/{", "/{}", "/{a", "/{1a}", "/{a}/{a}", "/{a-b}", "/{a:int}"])
def test_a_pattern_nobody_can_read_is_refused(pattern: str) -> None:
    with pytest.raises(RegistrationError):
        Route("GET", pattern)


def test_methods() -> None:
    with pytest.raises(RegistrationError, match='"FETCH" is not a method'):
        Route("FETCH", "/")
    assert all(Route("*", "/").takes(method) for method in METHODS)
    assert all(Route(method.lower(), "/").takes(method) for method in METHODS)
    assert Route("GET", "/").takes("HEAD")
    assert not Route("POST", "/").takes("GET")
    assert not Route("HEAD", "/").takes("GET")
