"""Shapes of JSON values, and where a value departs from one: `path: rule`, for people to read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Violation:
    """One rule that a value breaks; `path` is written as in `element.children[0].label`."""

    path: str
    rule: str

    def __str__(self) -> str:
        return f"{self.path}: {self.rule}"


Shape = Callable[[Any, str], Iterator[Violation]]
"""Gives what is wrong with a value at a path."""


@dataclass(frozen=True, slots=True)
class Optional:
    """A property that may be left out; null counts as left out, as what `undefined` becomes."""

    shape: Shape


WORDS = {"text": "a text", "number": "a number", "boolean": "true or false", "list": "a list", "object": "an object"}


def kind_of(value: Any) -> str:
    """Name the kind of a JSON value: one of `WORDS`, or "null"."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "text"
    if isinstance(value, (int, float)):
        return "number"
    return "list" if isinstance(value, list) else "object"


def anything(value: Any, path: str) -> Iterator[Violation]:
    """Take every value."""
    yield from ()


def kinds(**shapes: Shape) -> Shape:
    """Choose the shape by the kind of the value; all kinds without a shape are refused."""
    wanted = " or ".join(WORDS[kind] for kind in shapes)

    def check(value: Any, path: str) -> Iterator[Violation]:
        found = kind_of(value)
        if found in shapes:
            yield from shapes[found](value, path)
        else:
            yield Violation(path, f"must be {wanted}; it is {WORDS.get(found, found)}")

    return check


text = kinds(text=anything)
number = kinds(number=anything)
boolean = kinds(boolean=anything)
plain_object = kinds(object=anything)


def at_most(longest: int) -> Shape:
    """Take texts of so many characters."""

    def check(value: str, path: str) -> Iterator[Violation]:
        if len(value) > longest:
            yield Violation(path, f"may have {longest} characters; it has {len(value)}")

    return kinds(text=check)


def one_of(*allowed: str) -> Shape:
    """Take one of some texts."""

    def check(value: str, path: str) -> Iterator[Violation]:
        if value not in allowed:
            yield Violation(path, f"must be one of {', '.join(allowed)}; it is `{value[:60]}`")

    return kinds(text=check)


def positive(value: Any, path: str) -> Iterator[Violation]:
    """Take numbers above zero."""
    violations = list(number(value, path))
    if not violations and not value > 0:
        violations.append(Violation(path, "must be more than 0"))
    yield from violations


def listed(item: Shape, *, least: int = 0) -> Shape:
    """Take lists of items, so many at least."""

    def check(value: list[Any], path: str) -> Iterator[Violation]:
        if len(value) < least:
            yield Violation(path, f"must hold at least {least}; it holds {len(value)}")
        for place, one in enumerate(value):
            yield from item(one, f"{path}[{place}]")

    return kinds(list=check)


def mapping(item: Shape) -> Shape:
    """Take objects whose properties all have one shape; null counts as left out."""

    def check(value: dict[str, Any], path: str) -> Iterator[Violation]:
        for name, one in value.items():
            if one is not None:
                yield from item(one, step(path, name))

    return kinds(object=check)


def record(**properties: Shape | Optional) -> Shape:
    """Take objects with these properties; others are let be, since a newer platform may know them."""

    def check(value: dict[str, Any], path: str) -> Iterator[Violation]:
        for name, given in properties.items():
            where = step(path, name)
            if isinstance(given, Optional):
                if value.get(name) is not None:
                    yield from given.shape(value[name], where)
            elif name not in value:
                yield Violation(where, "is missing")
            else:
                yield from given(value[name], where)

    return kinds(object=check)


def step(path: str, name: str) -> str:
    """Write the path of a property."""
    return f"{path}.{name}" if re.fullmatch(r"[\w$-]+", name) else f"{path}[{name!r}]"
