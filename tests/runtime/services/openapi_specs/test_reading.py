"""Text of a specification as values: what JSON and YAML say, and what neither may do to a host."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from runtime.services.openapi_specs.faults import MAX_DEPTH, MAX_NODES, Count, Unreadable
from runtime.services.openapi_specs.reading import read

TEXTS = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs")), max_size=20)
SCALARS = st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.floats(-1e9, 1e9) | TEXTS
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4), max_leaves=20
)
OBJECTS = st.dictionaries(TEXTS, VALUES, min_size=1, max_size=4)


def value_of(text: str | bytes) -> Any:
    return read(text.encode() if isinstance(text, str) else text, Count())


def refusal(text: str | bytes) -> str:
    with pytest.raises(Unreadable) as raised:
        value_of(text)
    return raised.value.sentences[0]


@given(OBJECTS)
def test_json_is_read_as_it_is(value: dict[str, Any]) -> None:
    assert value_of(json.dumps(value)) == value


@given(OBJECTS)
def test_what_others_write_as_yaml_is_read_as_they_meant_it(value: dict[str, Any]) -> None:
    # In quotes: what is written plain is another thing in YAML 1.1 than in 1.2, such as `0E0` and `on`.
    assert value_of(yaml.safe_dump(value, allow_unicode=True, default_style='"')) == value


@given(OBJECTS)
def test_how_often_something_is_read_changes_nothing(value: dict[str, Any]) -> None:
    """The weight of a value is the same in JSON and as the value it was read from."""
    counts = [Count(), Count()]
    for count in counts:
        read(json.dumps(value).encode(), count)
    assert counts[0].nodes == counts[1].nodes > 0


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: on", "on"),
        ("a: NO", "NO"),
        ("a: yes", "yes"),
        ("a: 2024-01-01", "2024-01-01"),
        ("a: 12:30:45", "12:30:45"),
        ("a: 1_000", "1_000"),
        ("a: 0o17", 15),
        ("a: 0x1F", 31),
        ("a: 017", 17),
        ("a: +1", 1),
        ("a: 1e3", 1000.0),
        ("a: .5", 0.5),
        ("a: 1.", 1.0),
        ("a: ~", None),
        ("a:", None),
        ("a: 'null'", "null"),
        ("a: !!str 12", "12"),
        ("a: ! 12", "12"),
        ("a: !!timestamp 2024-01-01", "2024-01-01"),
        ("a: {200: x}", {"200": "x"}),
        ("a: {true: x}", {"true": "x"}),
        ("a: |\n  one\n  two\n", "one\ntwo\n"),
    ],
)
def test_scalars_by_the_core_schema(text: str, value: Any) -> None:
    assert value_of(text) == {"a": value}


def test_merge_keys_and_aliases() -> None:
    text = "base: &base {a: 1, b: [x]}\nmore: &more {b: 2, c: 3}\nboth: {<<: [*base, *more], a: 0}\nquoted: {'<<': 1}\n"
    both = value_of(text)["both"]
    assert both == {"a": 0, "b": ["x"], "c": 3}
    assert value_of(text)["quoted"] == {"<<": 1}


def test_byte_order_marks_name_the_encoding() -> None:
    for encoding in ("utf-8-sig", "utf-16", "utf-32"):
        assert value_of("a: ä".encode(encoding)) == {"a": "ä"}
    assert "UTF-8" in refusal(b"a: \xff")


def levels(width: int, depth: int, merge: str = "") -> str:
    """Aliases of aliases: width ** depth values from a few lines."""
    lines = ["a0: &a0 {k: v}"]
    for level in range(1, depth):
        inner = ",".join([f"*a{level - 1}"] * width)
        lines.append(f"a{level}: &a{level} {{{merge or 'k'}: [{inner}]}}")
    return "\n".join(lines)


@pytest.mark.parametrize("merge", ["", "<<"])
def test_a_bomb_of_aliases_is_counted_and_not_built(merge: str) -> None:
    assert f"{MAX_NODES:,}" in refusal(levels(10, 12, merge))


def test_a_long_text_counts_wherever_an_alias_puts_it() -> None:
    text = f"a: &a {'x' * 100_000}\nb: [{','.join(['*a'] * 3000)}]"
    assert f"{MAX_NODES:,}" in refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000 + "]" * 100_000,
        '{"a":' * 100_000,
        "- " * 100_000,
        "a: " + "[" * 100_000,
        "a: " + "{b: " * 100_000,
        "a0: &a0 [x]\n" + "".join(f"a{level}: &a{level} [*a{level - 1}]\n" for level in range(1, 1000)),
    ],
)
def test_what_is_nested_deeply_is_refused(text: str) -> None:
    assert f"deeper than {MAX_DEPTH} levels" in refusal(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ("  \n", "empty"),
        ("a: &a [*a]", "contains itself"),
        ("a: *b", "is not defined"),
        ("a: 1\n---\nb: 2", "several documents"),
        ("a: !custom 1", "`!custom`"),
        ("a: !<tag:yaml.org,2002:python/object/apply:os.system> [x]", "python/object"),
        ("? [a]\n: b", "a key that is a list"),
        ("a: .nan", "`.nan`"),
        ("a: 1e999", "`1e999`"),
        ("a: {<<: 1}", "not a mapping"),
        ("a: [", "line 2"),
        ("a: \x07", "control characters"),
        ('{"a": NaN}', "NaN"),
        ('{"a": 1e999}', "1e999; numbers must be finite"),
        ('{"a": ' + "1" * 5000 + "}", "5000 digits"),
        ('{"a": 1,,}', "line 1, column"),
    ],
)
def test_what_cannot_be_read_says_why(text: str, said: str) -> None:
    assert said in refusal(text)
