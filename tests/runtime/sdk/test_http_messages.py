"""Requests and responses by themselves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.sdk import Request, Response


@given(name=st.sampled_from("abc"), value=st.text(st.characters(codec="utf-8")))
def test_a_cookie_comes_back_as_it_was_set(name: str, value: str) -> None:
    (line,) = [text for header, text in Response().set_cookie(name, value).headers if header == "set-cookie"]
    assert Request("get", "/", {"Cookie": f"x=y; {line.partition(';')[0]}"}).cookies == {"x": "y", name: value}


def test_cookie_attributes() -> None:
    response = Response().set_cookie("a", "b", max_age=60, path="/p", secure=False, http_only=False, same_site="None")
    assert response.header("Set-Cookie") == "a=b; Path=/p; SameSite=None; Max-Age=60"
    assert Response().set_cookie("a", "b").header("set-cookie") == "a=b; Path=/; SameSite=Lax; Secure; HttpOnly"


@pytest.mark.parametrize("bad", ["a\r\nset-cookie: x", "a\nb", "a\0b"])
def test_a_header_cannot_start_another(bad: str) -> None:
    with pytest.raises(ValueError, match="line break"):
        Response(headers={"x": bad})
    with pytest.raises(ValueError, match="line break"):
        Response(headers=[(bad, "x")])
    with pytest.raises(ValueError, match="line break"):
        Response().set_cookie(bad, "x")


@given(text=st.text(st.characters(codec="utf-8")))
def test_a_redirect_is_plain_ascii_on_one_line(text: str) -> None:
    location = Response.redirect(f"https://x.example/{text}").header("location")
    assert location is not None
    assert location.isascii()
    assert location.isprintable()
    assert " " not in location


def test_an_address_stays_itself_in_a_redirect() -> None:
    url = "https://u@x.example:8080/a%20b/;c=1?q=[1]&r=a+b,~!$'()*#part"
    assert Response.redirect(url, 307).header("location") == url


def test_text_bytes_and_pieces() -> None:
    assert Response("é").body == "é".encode()
    assert Response(bytearray(b"x")).body == b"x"
    assert Response(memoryview(b"x")).body == b"x"
    assert list(Response(["a", b"b"]).body) == [b"a", b"b"]
    assert Response("x", content_type="text/css").header("content-type") == "text/css"
    assert Response("x", headers={"Content-Type": "text/x"}, content_type="text/css").header("content-type") == "text/x"
    assert Response(headers={"content-length": 5}).headers == [("content-length", "5")]  # type: ignore[dict-item]


@pytest.mark.parametrize("status", [0, 100, 199, 600])
def test_a_status_that_is_not_an_answer_is_refused(status: int) -> None:
    with pytest.raises(ValueError, match="from 200 to 599"):
        Response(status=status)


def test_a_request_reads_its_body() -> None:
    request = Request("post", "https://x.example/p?a=1&a=2", body=b"b=c+d&b=%C3%A9&e=")
    assert (request.method, request.path, request.query_lists) == ("POST", "/p", {"a": ["1", "2"]})
    assert request.form() == {"b": "é", "e": ""}
    assert Request("post", "/", body=b"\xff").text() == "�"


def test_script_text_is_kept_as_long_as_asked() -> None:
    assert Response.javascript("1", max_age=5).header("cache-control") == "max-age=5"
    assert Response.javascript("1").header("cache-control") is None
