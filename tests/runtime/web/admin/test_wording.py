"""Errors are said in the words of pages."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import runtime.web
from runtime.contract import errors
from runtime.web.admin.wording import LABELS, SOURCE_LABELS, on_page

RUNTIME = Path(str(runtime.web.__file__)).parents[1]
PAGES = Path(str(runtime.web.__file__)).parent / "pages" / "admin"


def test_every_label_is_one_of_a_page() -> None:
    templates = "\n".join(page.read_text() for page in PAGES.glob("*.html"))
    shown = {*re.findall(r"<label[^>]*>([^<{]+)</label>", templates), *re.findall(r'\("\w+", "([^"]+)", "', templates)}
    assert {*LABELS.values(), *SOURCE_LABELS.values()} - shown == set()


@pytest.mark.parametrize(
    ("field", "rule", "said"),
    [
        ("slug", "must be short", "Name: must be short"),
        ("emails.2", "must be one or an object (and 3 more)", "E-mail addresses, number 3: must be one (and 3 more)"),
        ("emails.0.email", "is required", "E-mail addresses, number 1: is required"),
        ("source.url", "must be an address", "Address: must be an address"),
        ("source", "must be a path", "Path: must be a path"),
        ("sso", "send `ssoURL` of `ours`", "Single sign-on only: send “Sign-in address (SSO URL)” of `ours`"),
        ("unheard", "must be short", "unheard: must be short"),
        ("", "The title `slug` is taken.", "The title `slug` is taken."),
        ("", "slug: of a sentence, not of a field", "slug: of a sentence, not of a field"),
    ],
)
def test_fields_are_labels(field: str, rule: str, said: str) -> None:
    assert on_page(errors.BadRequest(rule, field=field)) == said


def test_fields_are_told_apart_from_what_is_wrong_with_them() -> None:
    for source in RUNTIME.glob("**/*.py"):
        for call in ast.walk(ast.parse(source.read_text())):
            if isinstance(call, ast.Call) and ast.unparse(call.func).startswith("errors.") and call.args:
                sentence = ast.unparse(call.args[0])
                assert not re.match(r"f?['\"][a-z{][\w.{}]*: ", sentence), (
                    f"{source.relative_to(RUNTIME)}:{call.lineno}"
                )


def test_pages_speak_of_no_tokens() -> None:
    for kind in (errors.NotFound, errors.Forbidden):
        assert "token" in kind().message and "token" not in on_page(kind())
    assert on_page(errors.NotFound("No token of yours.", on_pages="No such thing.")) == "No such thing."


def test_what_somebody_may_not_see_is_said_to_either_reader() -> None:
    error = errors.not_seen("There is no space `x`")
    assert "this token" in error.message and on_page(error) == "There is no space `x`, or you may not see it."


def test_no_operation_tells_people_of_their_token() -> None:
    for source in RUNTIME.glob("**/*.py"):
        for call in ast.walk(ast.parse(source.read_text())):
            if isinstance(call, ast.Call) and ast.unparse(call.func).startswith("errors."):
                worded = any(keyword.arg == "on_pages" for keyword in call.keywords)
                assert worded or "this token" not in ast.unparse(call), f"{source.relative_to(RUNTIME)}:{call.lineno}"


def test_words_of_a_script_are_its_own() -> None:
    assert on_page(errors.ScriptAnswered(422, "url: must be an address")) == "url: must be an address"


def test_what_was_worded_for_pages_is_left_alone() -> None:
    assert on_page(errors.BadRequest("must be", field="url", on_pages="url: must be `slug`")) == "url: must be `slug`"


@pytest.mark.parametrize("place", ["emails.\u00b2", "a.\u00b2", f"emails.{'9' * 5000}"])
def test_what_only_looks_like_a_number_is_none(place: str) -> None:
    assert on_page(errors.BadRequest("is required", field=place)).endswith("is required")
