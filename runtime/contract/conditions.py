"""Conditions: small expressions over the claims of a visitor, which decide whether a part of a site is there for them.

Expressions in documents are the same, and may also use the variables of the space and of the page. Merge rules are the
same, over other names (`merge_expressions.py`).

They are read into a tree and walked; nothing of them is ever run as code. What cannot be decided is false: a claim that
is missing equals only `null`, and values of different kinds are neither equal nor in an order (docs/contract/api.md,
"Conditions").
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

LONGEST = 1024
BUDGET = 100_000
"""Characters and steps of all conditions that are decided for one visitor at one time."""
DEEPEST = 24
Roots = tuple[tuple[str, ...], ...]
"""How the names of an expression may begin."""
CLAIMS = ("visitor", "claims")
OF_VISITORS: Roots = (CLAIMS,)
OF_DOCUMENTS: Roots = (CLAIMS, ("space", "vars"), ("page", "vars"))

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<number>-?(?:0|[1-9]\d{0,15})(?:\.\d{1,15})?(?![\w.]))
    |(?P<text>"(?:[^"\\\n]|\\["\\/bfnrt']|\\u[0-9a-fA-F]{4})*"|'(?:[^'\\\n]|\\["\\/bfnrt']|\\u[0-9a-fA-F]{4})*')
    |(?P<name>[A-Za-z_$][A-Za-z0-9_$]*)
    |(?P<sign>===|!==|==|!=|<=|>=|&&|\|\||[<>!().\[\],])
    )""",
    re.VERBOSE | re.ASCII,
)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_COMPARED = {"==", "===", "!=", "!==", "<", "<=", ">", ">=", "in"}
_WORDS: Mapping[str, Any] = {"true": True, "false": False, "null": None, "undefined": None}


class BadCondition(ValueError):
    """An expression cannot be parsed; the message says where and why."""


@dataclass(frozen=True, slots=True)
class Node:
    """A part of a condition: `kind` is value, claim, variable, not, and, or, in, or a comparison's operator."""

    kind: str
    value: Any = None
    parts: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    at: int


def read(text: str, roots: Roots = OF_VISITORS) -> Node:
    """Read a condition whose names begin with one of `roots`; raises BadCondition."""
    if len(text) > LONGEST:
        raise BadCondition(f"has more than {LONGEST} characters")
    return _Reader(_tokens(text), roots).whole()


class ConditionEvaluator:
    """Somebody with claims, for whom the conditions of a site are decided together.

    Each condition is decided once, and lists of claims are made into sets once. All of them together take at most
    `BUDGET` characters and steps; what would take more is false, for a site with all parts it may have, and as long
    conditions, could keep the host busy for minutes otherwise. The texts of expressions count as well: a page that says
    a long claim thousands of times would take more memory than the host has.
    """

    def __init__(
        self,
        claims: Mapping[str, Any],
        variables: Mapping[str, Mapping[str, Any]] | None = None,
        *,
        roots: Roots | None = None,
    ) -> None:
        """Take the claims, which must not change any more, and in a document the variables of `space` and `page`.

        `roots` says how names may begin, if not as in sites or documents; a root of one name is a key of `claims`.
        """
        self._claims, self._variables = claims, variables
        self._roots = roots or (OF_VISITORS if variables is None else OF_DOCUMENTS)
        self._known: dict[str, bool] = {}
        self._lists: dict[tuple[str, ...], frozenset[tuple[str, Any]]] = {}
        self._left = BUDGET

    def meets(self, condition: str | None) -> bool:
        """Return whether a condition holds; without one, always; for one unreadable, never."""
        if not condition:
            return True
        if condition not in self._known:
            self._known[condition] = self._decide(condition)
        return self._known[condition]

    def text(self, expression: str) -> str:
        """Return what an expression says, as text: nothing for what cannot be decided, is missing, or is no value."""
        said = _said(self._result(expression))
        self._left -= len(said)
        return said if self._left > 0 else ""

    def _decide(self, condition: str) -> bool:
        return self._result(condition) is True

    def _result(self, expression: str) -> Any:
        self._left -= len(expression)
        try:
            return self._value(_parsed(expression, self._roots)) if self._left > 0 else None
        except BadCondition:
            return None

    def _value(self, node: Node) -> Any:
        self._left -= 1
        if self._left <= 0:
            raise BadCondition("takes too long")
        if node.kind == "value":
            return node.value
        if node.kind == "claim":
            return _claimed(node.value, self._claims)
        if node.kind == "variable":
            return _claimed(node.value, self._variables or {})
        if node.kind == "not":
            return self._value(node.parts[0]) is not True
        if node.kind == "and":
            return all(self._value(part) is True for part in node.parts)
        if node.kind == "or":
            return any(self._value(part) is True for part in node.parts)
        left, right = node.parts
        if node.kind == "in":
            return right.kind == "claim" and _entry(self._value(left)) in self._entries(right.value)
        if node.kind in ("==", "!="):
            return _equal(self._value(left), self._value(right)) is (node.kind == "==")
        return _ordered(node.kind, self._value(left), self._value(right))

    def _entries(self, path: tuple[str, ...]) -> frozenset[tuple[str, Any]]:
        """Return what a list among the claims holds, each with its kind; nothing of what is no list."""
        if path not in self._lists:
            value = _claimed(path, self._claims)
            listed = value if isinstance(value, list) else ()
            self._left -= len(listed)
            self._lists[path] = frozenset(_entry(one) for one in listed) - {("other", None)}
        return self._lists[path]


def holds(condition: str | None, claims: Mapping[str, Any]) -> bool:
    """Return whether one condition holds for a visitor with these claims."""
    return ConditionEvaluator(claims).meets(condition)


def checked(text: str) -> str:
    """Return a condition that can be read; raises ValueError."""
    read(text)
    return text


_parsed: Callable[..., Node] = lru_cache(maxsize=1024)(read)


def _tokens(text: str) -> list[_Token]:
    tokens, at = [], 0
    end = len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            rest = text[at:].lstrip()
            raise BadCondition(f"cannot be read at `{rest[:12]}` (character {len(text) - len(rest) + 1})")
        tokens.append(_Token(match.lastgroup, match[match.lastgroup], match.start(match.lastgroup)))
        at = match.end()
    tokens.append(_Token("end", "", len(text)))
    return tokens


class _Reader:
    """Reads tokens from left to right: `or` of `and`s of comparisons of values."""

    def __init__(self, tokens: list[_Token], roots: Roots) -> None:
        self._tokens, self._at, self._depth = tokens, 0, 0
        self._roots = roots
        named = ", ".join(f"`{'.'.join(root)}`" for root in roots)
        self._value_or_name = f"a value, or {'one of ' if ',' in named else ''}{named}"

    def whole(self) -> Node:
        node = self._either()
        if self._next.kind != "end":
            raise self._wrong("the end, `&&` or `||`")
        return node

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    def _wrong(self, wanted: str) -> BadCondition:
        found = self._next
        seen = f"`{found.text[:40]}`" if found.kind != "end" else "the end"
        return BadCondition(f"needs {wanted} instead of {seen} (character {found.at + 1})")

    def _took(self, *signs: str) -> str | None:
        token = self._next
        if token.kind in ("sign", "name") and token.text in signs:
            self._at += 1
            return token.text
        return None

    def _must(self, sign: str) -> None:
        if self._took(sign) is None:
            raise self._wrong(f"`{sign}`")

    def _either(self) -> Node:
        parts = [self._both()]
        while self._took("||"):
            parts.append(self._both())
        return parts[0] if len(parts) == 1 else Node("or", parts=tuple(parts))

    def _both(self) -> Node:
        parts = [self._compared()]
        while self._took("&&"):
            parts.append(self._compared())
        return parts[0] if len(parts) == 1 else Node("and", parts=tuple(parts))

    def _compared(self) -> Node:
        left = self._single()
        sign = self._took(*_COMPARED)
        if sign is None:
            return left
        node = Node({"===": "==", "!==": "!="}.get(sign, sign), parts=(left, self._single()))
        if self._next.text in _COMPARED and self._next.kind in ("sign", "name"):
            raise self._wrong("parentheses around comparisons of comparisons")
        return node

    def _single(self) -> Node:
        self._depth += 1
        if self._depth > DEEPEST:
            raise BadCondition(f"is nested deeper than {DEEPEST} levels")
        try:
            if self._took("!"):
                return Node("not", parts=(self._single(),))
            if self._took("("):
                node = self._either()
                self._must(")")
                return node
            return self._leaf()
        finally:
            self._depth -= 1

    def _leaf(self) -> Node:
        token = self._next
        if token.kind == "number":
            self._at += 1
            return Node("value", float(token.text))
        if token.kind == "text":
            self._at += 1
            return Node("value", _unquoted(token.text))
        if token.kind == "name" and token.text in _WORDS:
            self._at += 1
            return Node("value", _WORDS[token.text])
        return self._claim()

    def _claim(self) -> Node:
        first = self._took(*(root[0] for root in self._roots))
        if first is None:
            raise self._wrong(self._value_or_name)
        if (first,) in self._roots:
            return self._path([first])
        self._must(".")
        if self._took(*(name for of, name in self._roots if of == first)) is None:
            raise self._wrong(self._value_or_name)
        return self._path([]) if first == CLAIMS[0] else self._variable(first)

    def _path(self, path: list[str]) -> Node:
        while True:
            if self._took("."):
                token = self._next
                if token.kind != "name":
                    raise self._wrong("a name")
                self._at += 1
                if token.text == "includes" and path and self._next.text == "(" and self._next.kind == "sign":
                    return self._includes(tuple(path))
                path.append(token.text)
            elif self._took("["):
                if self._next.kind != "text":
                    raise self._wrong("a name in quotes")
                path.append(_unquoted(self._next.text))
                self._at += 1
                self._must("]")
            else:
                return Node("claim", tuple(path))

    def _variable(self, of: str) -> Node:
        self._must(".")
        if self._next.kind != "name":
            raise self._wrong("the name of a variable")
        self._at += 1
        return Node("variable", (of, self._tokens[self._at - 1].text))

    def _includes(self, path: tuple[str, ...]) -> Node:
        self._must("(")
        wanted = self._either()
        self._must(")")
        return Node("in", parts=(wanted, Node("claim", path)))


def _unquoted(text: str) -> str:
    def plain(match: re.Match[str]) -> str:
        sign = match[1]
        return chr(int(sign[1:], 16)) if len(sign) == 5 else _ESCAPES.get(sign, sign)

    return _whole(_ESCAPE.sub(plain, text[1:-1]))


def _whole(text: str) -> str:
    """Make one character of two surrogates; half of one, which no page can be sent with, is replaced."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.15g}" if math.isfinite(value) else ""
    return _whole(str(value)) if isinstance(value, str | int) else ""


def _claimed(path: tuple[str, ...], claims: Mapping[str, Any]) -> Any:
    value: Any = claims
    for name in path:
        if not isinstance(value, Mapping) or name not in value:
            return None
        value = value[name]
    return value


def _kind(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "nothing" if value is None else "truth"
    return "number" if isinstance(value, (int, float)) else "text" if isinstance(value, str) else "other"


def _entry(value: Any) -> tuple[str, Any]:
    """Return a value with its kind, so that 1 is not true; of what is equal to nothing, only that."""
    kind = _kind(value) if value == value else "other"  # what is no number equals nothing, itself included
    return kind, value if kind != "other" else None


def _equal(left: Any, right: Any) -> bool:
    kind = _kind(left)
    return kind != "other" and kind == _kind(right) and bool(left == right)


def _ordered(sign: str, left: Any, right: Any) -> bool:
    kind = _kind(left)
    if kind not in ("number", "text") or kind != _kind(right):
        return False
    if left == right:
        return sign in ("<=", ">=")
    return bool(left < right if sign[0] == "<" else left > right)  # neither holds of what is no number
