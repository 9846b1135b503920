"""The lexers of Pygments that may read untrusted code: those of which it is known what they run.

A lexer whose expressions have a time limit (`timed_patterns.py`) may still do anything in functions of its own: some
call `re` with expressions that take exponential time, some pass a part of the code on to any other lexer. So a lexer is
used only if it runs nothing but its expressions, the library's own loop over them, and functions that were read: each
looks at a token or at a match a few times, and neither calls `re` nor makes another lexer, but for those that the list
tells of. Languages of other lexers are shown plain.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from pygments.lexer import Lexer, RegexLexer, this
from pygments.lexers import get_all_lexers, get_lexer_by_name
from pygments.token import _TokenType

OWN = ("get_tokens", "get_tokens_unprocessed", "__init__", "__new__", "__call__", "__getattribute__", "__getattr__")
"""What a lexer runs besides the functions in its table."""
REVIEWED = frozenset(
    f"pygments.lexers.{name}"
    for name in (
        *("c_cpp.CFamilyLexer.__init__", "c_cpp.CFamilyLexer.get_tokens_unprocessed"),
        *("c_like.ArduinoLexer.get_tokens_unprocessed", "c_like.CudaLexer.get_tokens_unprocessed"),
        *("data.JsonLexer.get_tokens_unprocessed", "data.JsonLdLexer.get_tokens_unprocessed"),
        "data.YamlLexer.something.<locals>.callback",
        "data.YamlLexer.reset_indent.<locals>.callback",
        "data.YamlLexer.save_indent.<locals>.callback",
        "data.YamlLexer.set_indent.<locals>.callback",
        "data.YamlLexer.set_block_scalar_indent.<locals>.callback",
        "data.YamlLexer.parse_block_scalar_empty_line.<locals>.callback",
        "data.YamlLexer.parse_block_scalar_indent.<locals>.callback",
        "data.YamlLexer.parse_plain_scalar_indent.<locals>.callback",
        "data.YamlLexer.get_tokens_unprocessed",
        "configs.TerraformLexer.heredoc_callback",
        *("dotnet.CSharpLexer.__init__", "erlang.ElixirLexer.get_tokens_unprocessed"),
        *("lisp.CommonLispLexer.__init__", "lisp.CommonLispLexer.get_tokens_unprocessed"),
        *("lisp.EmacsLispLexer.get_tokens_unprocessed", "lisp.SchemeLexer.get_tokens_unprocessed"),
        "lisp.SchemeLexer.decimal_cb",
        # With `OPTIONS`, which keep them from passing code on.
        *("markup.MarkdownLexer.__init__", "markup.MarkdownLexer._handle_codeblock"),
        *("markup.RstLexer.__init__", "markup.RstLexer._handle_sourcecode"),
        *("css._indentation", "css._starts_block.<locals>.callback"),
        # Which calls `re`, with expressions that take linear time.
        *("pascal.DelphiLexer.__init__", "pascal.DelphiLexer.get_tokens_unprocessed"),
        "objective.objective.<locals>.GeneratedObjectiveCVariant.get_tokens_unprocessed",
        *("php.PhpLexer.__init__", "php.PhpLexer.get_tokens_unprocessed"),
        "python.NumPyLexer.get_tokens_unprocessed",
        "ruby.RubyLexer.heredoc_callback",
        "ruby.RubyLexer.gen_rubystrings_rules.<locals>.intp_regex_callback",
        "ruby.RubyLexer.gen_rubystrings_rules.<locals>.intp_string_callback",
        *("scripting.LuaLexer.__init__", "scripting.LuaLexer.get_tokens_unprocessed"),
        "objective.SwiftLexer.get_tokens_unprocessed",
        # Its prompts are attributes, which `timed_patterns.protect` gives a limit.
        "shell.ShellSessionBaseLexer.get_tokens_unprocessed",
        # Which makes one other lexer, `BaseMakefileLexer`, that has only expressions.
        "make.MakefileLexer.get_tokens_unprocessed",
        # As `_head_of_http` changes it: with a type of its body, the library would pass that on.
        *("textfmts.HttpLexer.get_tokens_unprocessed", "textfmts.HttpLexer.header_callback"),
        *("textfmts.HttpLexer.continuous_header_callback", "textfmts.HttpLexer.content_callback"),
    )
)
"""Functions that were read, by module and name. `tests/runtime/services/test_reviewed_lexers.py` fails when the library
changes one: read it again then."""
ALIKE = {"postgresql": "sql", "postgres": "sql", "plpgsql": "sql", "xslt": "xml", "luau": "lua"}
"""What reads a language instead of its own lexer, which is not known well enough."""
_REFUSED: set[str] = set()
OPTIONS = {"stripnl": False, "ensurenl": False, "handlecodeblocks": False}


def lexer_of(language: str) -> Lexer | None:
    """Make what reads a language by its name in lower case; None for languages that are not known well enough."""
    language = ALIKE.get(language, language)
    if language not in languages() or language in _REFUSED:
        return None
    lexer = _head_of_http()(**OPTIONS) if language == "http" else get_lexer_by_name(language, **OPTIONS)
    if _is_known(type(lexer)):
        return lexer
    _REFUSED.add(language)  # making it again takes a moment, for each of thousands of codes
    return None


@cache
def languages() -> frozenset[str]:
    """Return the names of all languages, which the library would look for in every installed package."""
    return frozenset(alias.lower() for _, aliases, _, _ in get_all_lexers(plugins=False) for alias in aliases)


@cache
def _head_of_http() -> type[Lexer]:
    from pygments.lexers.textfmts import HttpLexer

    class HeadOfHttp(HttpLexer):
        """HTTP whose body stays plain."""

        content_type = property(lambda self: None, lambda self, value: None)

    return HeadOfHttp


def functions_of(kind: type[Lexer]) -> Iterator[Callable[..., Any]]:
    """Find the functions of its own that a lexer runs; those of the library's base classes are left out."""
    for one in kind.__mro__:
        if issubclass(one, Lexer) and one.__module__ != "pygments.lexer":
            yield from (one.__dict__[name] for name in OWN if name in one.__dict__)


@cache
def _is_known(kind: type[Lexer]) -> bool:
    """Decide once for a lexer; what it uses of itself was decided when this began."""
    return _Inspection().is_known(kind)


class _Inspection:
    def __init__(self) -> None:
        self._begun: set[type[Lexer]] = set()

    def is_known(self, kind: type[Lexer]) -> bool:
        if kind in self._begun:
            return True
        self._begun.add(kind)
        own = list(functions_of(kind))
        if not all(isinstance(one, types.FunctionType) and _name(one) in REVIEWED for one in own):
            return False
        if not issubclass(kind, RegexLexer):
            inner = getattr(kind, "_innerLexerCls", None)
            return bool(own) and (inner is None or self.is_known(inner))
        rules = (rule for state in kind(**OPTIONS)._tokens.values() for rule in state)  # type: ignore[attr-defined]
        return all(self._does_known(action) for _, action, _ in rules)

    def _does_known(self, action: Any) -> bool:
        """Decide what is done with a match."""
        if action is None or isinstance(action, _TokenType):
            return True
        if not isinstance(action, types.FunctionType):
            return False
        if action.__module__ != "pygments.lexer":
            return _name(action) in REVIEWED
        cells = zip(action.__code__.co_freevars, action.__closure__ or (), strict=True)
        held = {name: cell.cell_contents for name, cell in cells}
        if "_other" in held:  # `using`: another lexer, or this one
            return held["_other"] is this or self.is_known(held["_other"])
        return all(map(self._does_known, held["args"])) if "args" in held else set(held) <= {"kwargs", "gt_kwargs"}


def _name(function: Any) -> str:
    return f"{function.__module__}.{function.__qualname__}"
