"""What is read of a request: size first, then type, then shape; repeated parameters where lists are wanted."""

from __future__ import annotations

import io
from typing import Any

import pytest
from pydantic import Field

from runtime.api.requests import parse_body, parse_query, read_json
from runtime.api.uploads import Upload
from runtime.contract import errors
from runtime.contract.base import Body, Query


class Filters(Query):
    authors: list[str] = Field(default_factory=list)
    kinds: list[int] | None = None
    title: str | None = None


class Titled(Body):
    title: str
    tags: list[str] = Field(default_factory=list)


def environ(content: bytes, kind: str = "application/json", length: str | None = "") -> dict[str, Any]:
    sent = {"wsgi.input": io.BytesIO(content), "CONTENT_TYPE": kind}
    return sent | ({"CONTENT_LENGTH": length or str(len(content))} if length is not None else {})


def test_a_repeated_parameter_is_a_list_where_one_is_wanted() -> None:
    read = parse_query(Filters, [("authors", ["a", "b"]), ("kinds", ["1", "2"]), ("title", ["x", "y"])])
    assert read == Filters(authors=["a", "b"], kinds=[1, 2], title="y")
    assert parse_query(Filters, []) == Filters()
    with pytest.raises(errors.BadRequest, match=r"^kinds\.1: "):
        parse_query(Filters, [("kinds", ["1", "two"])])


@pytest.mark.parametrize("kind", ["application/json", "Application/JSON; charset=utf-8", "application/vnd.x+json"])
def test_json_by_its_type(kind: str) -> None:
    assert read_json(environ(b"{}", kind)) == b"{}"


@pytest.mark.parametrize("kind", ["", "text/plain", "application/jsonp", "multipart/form-data", "text/x+json"])
def test_other_types_are_refused(kind: str) -> None:
    with pytest.raises(errors.UnsupportedMediaType):
        read_json(environ(b"{}", kind))


@pytest.mark.parametrize("coding", ["gzip", "GZIP", "identity, br", "deflate", "utf-8"])
def test_encoded_bodies_are_refused(coding: str) -> None:
    with pytest.raises(errors.EncodedBody, match="only `identity`"):
        read_json(environ(b"{}") | {"HTTP_CONTENT_ENCODING": coding})
    with pytest.raises(errors.EncodedBody):
        Upload(environ(b"{}") | {"HTTP_CONTENT_ENCODING": coding}, 10)


@pytest.mark.parametrize("coding", ["", "identity", " Identity , identity"])
def test_bodies_as_they_are_may_say_so(coding: str) -> None:
    assert read_json(environ(b"{}") | {"HTTP_CONTENT_ENCODING": coding}) == b"{}"


def test_size_is_looked_at_before_anything_is_read() -> None:
    sent = environ(b"x" * 11, "text/plain", length="11")
    with pytest.raises(errors.TooLarge, match="11 bytes; this operation takes at most 10"):
        read_json(sent, 10)
    assert sent["wsgi.input"].tell() == 0
    assert read_json(environ(b"{        }"), 10) == b"{        }"


def test_a_body_may_be_left_out_where_an_operation_says_so() -> None:
    assert read_json(environ(b""), optional=True) == b"{}"
    with pytest.raises(errors.BadRequest, match="needs a JSON object"):
        read_json(environ(b""))
    # Without a length nothing is read: nobody could say where it ends.
    assert read_json(environ(b"{}", length=None), optional=True) == b"{}"


def test_what_is_wrong_with_a_body_is_said_with_its_place_and_without_its_value() -> None:
    for content, sentence in (
        (b'{"title": 5, "tags": ["secret", 1]}', "title: must be a text (and 1 more)"),
        (b'{"tags": []}', "title: is required"),
        (b"[]", "The body must be an object"),
        (b"{", "The body is not valid JSON: "),
        (b'{"title": NaN}', "The body is not valid: numbers must be finite"),
    ):
        with pytest.raises(errors.BadRequest) as raised:
            parse_body(Titled, content)
        assert raised.value.message.startswith(sentence) and "secret" not in raised.value.message
