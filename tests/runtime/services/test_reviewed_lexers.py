"""Only lexers of which it is known what they run read untrusted code."""

from __future__ import annotations

import inspect
import re
import threading
import time
import types
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import pytest
from markupsafe import Markup, escape
from pygments.lexer import ExtendedRegexLexer, Lexer, RegexLexer, bygroups, do_insertions, using, words
from pygments.lexers import find_lexer_class_by_name, get_all_lexers
from pygments.lexers.make import BaseMakefileLexer
from pygments.scanner import Scanner

from runtime.services.html.coloring import Coloring
from runtime.services.html.reviewed_lexers import OPTIONS, REVIEWED, functions_of, languages, lexer_of
from runtime.services.html.timed_patterns import TimedPattern, protect

COMMON = (
    "arduino bash c clojure console cpp csharp css cuda dart diff docker elixir elm fsharp go graphql groovy haskell "
    "hcl html http ini java javascript json jsonld jsx julia kotlin less lua make markdown matlab nginx nix ocaml "
    "objective-c perl php postgresql powershell properties protobuf python r rst ruby rust scala scheme scss shell "
    "sparql sql swift toml terraform tsx typescript vb.net verilog vue xml yaml zig"
)
READ = "4bdd23054d72a0102ec84a8a21936dd97c2318347e090399d3f4ed1aa16ba676"
"""Made of the functions as they were when they were read."""


def reviewed() -> Iterator[tuple[str, Any]]:
    """Find the reviewed functions in the lexers that have them."""
    for name in sorted(languages()):
        kind = find_lexer_class_by_name(name)
        found: list[Any] = list(functions_of(kind))
        if issubclass(kind, RegexLexer):
            tokens = kind(**OPTIONS)._tokens  # type: ignore[attr-defined]
            actions = [rule[1] for state in tokens.values() for rule in state]
            while actions:
                action = actions.pop()
                if isinstance(action, types.FunctionType):
                    found.append(action)
                    held = [cell.cell_contents for cell in action.__closure__ or ()]
                    actions += [one for value in held if isinstance(value, tuple) for one in value]
        for function in found:
            named = f"{function.__module__}.{function.__qualname__}"
            if named in REVIEWED:
                yield named, function


def test_what_was_read_has_not_changed() -> None:
    sources = {name: inspect.getsource(function) for name, function in reviewed()}
    assert sources.keys() == REVIEWED, "one of them is in no lexer any more"
    base = [Lexer, RegexLexer, ExtendedRegexLexer, bygroups, using, do_insertions, words, Scanner, BaseMakefileLexer]
    whole = [*(source for _, source in sorted(sources.items())), *map(inspect.getsource, base)]
    digest = sha256("".join(whole).encode()).hexdigest()
    assert digest == READ, "Pygments has changed functions in REVIEWED: read them again, then write this digest"


@pytest.mark.parametrize("language", COMMON.split())
def test_languages_that_people_document_are_colored(language: str) -> None:
    assert lexer_of(language) is not None


PROMPT = "a" * 330 + "@" * 600  # which takes the expression of prompts in `console` seconds
HOSTILE = {
    "tads3": "#if //" + "\\" * 80,
    "markdown": f"```console\n{PROMPT}\n```\n",
    "rst": f".. code:: console\n\n   {PROMPT}\n\nText.\n",
    "http": f"HTTP/1.1 200 OK\nContent-Type: application/x-shell-session\n\n{PROMPT}\n",
    "mime": f"Content-Type: application/x-shell-session\n\n{PROMPT}\n",
    "console": f"{PROMPT}\n",
}


@pytest.mark.parametrize("language", HOSTILE)
def test_code_is_passed_on_to_no_lexer_without_limits(language: str) -> None:
    begun = time.process_time()
    Coloring().html(HOSTILE[language], language)
    assert time.process_time() - begun < 3  # before, ten seconds, or forever


def test_what_is_inside_of_other_code_has_no_colors_of_its_own() -> None:
    assert "hl-gp" in Coloring().html("$ ls\n", "console")  # a prompt
    head = "HTTP/1.1 200 OK\nContent-Type: application/x-shell-session\n\n"
    for text, language in ((f"{head}$ ls\n", "http"), ("```console\n$ ls\n```\n", "markdown")):
        html = Coloring().html(text, language)
        assert "</span>" in html and "hl-gp" not in html
    assert lexer_of("mime") is None


@pytest.mark.parametrize("languages", [("csharp",), ("antlr-csharp", "nemerle")], ids=["made anew", "refused"])
def test_very_many_codes_take_no_longer_than_their_document_may(languages: tuple[str, ...]) -> None:
    page, begun = Coloring(), time.thread_time()
    for number in range(9000):
        page.html("", languages[number % len(languages)])
    assert time.thread_time() - begun < 4  # before, nine seconds


def test_many_readers_at_once_see_colors() -> None:
    plain: list[str] = []

    def read() -> None:
        for number in range(50):
            if "</span>" not in (html := Coloring(seconds=30).html(f"int x{number} = 1;", "csharp")):
                plain.append(html)

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert plain == []


def test_prompts_have_a_limit() -> None:
    lexer = lexer_of("console")
    assert lexer is not None
    protect(lexer)
    assert isinstance(lexer._ps1rgx, TimedPattern)  # type: ignore[attr-defined]


def test_what_a_lexer_shows_is_the_code() -> None:
    text = "a = <<EOF\nfoo\nbar\n"  # of which the library's lexer repeats the lines
    assert Coloring().html(text, "terraform") == str(escape(text))
    assert "</span>" in Coloring().html(f"{text}EOF\n", "terraform")
    deep = ("                              | " + "=" * 48 + "\n") * 200
    assert Markup(re.sub("<[^>]*>", "", Coloring().html(deep, "rst"))).unescape() == deep


def test_most_languages_are_known() -> None:
    every = [aliases[0] for _, aliases, _, _ in get_all_lexers(plugins=False) if aliases]
    known = [name for name in every if lexer_of(name.lower()) is not None]
    assert len(known) > 440 and lexer_of("basemake") is not None
    assert lexer_of("tads3") is None and lexer_of("nowhere") is None
