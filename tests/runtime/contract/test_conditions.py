"""Conditions decide by claims alone: nothing is converted, nothing runs, and what cannot be decided is false."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.contract.adaptive import AdaptiveJsonSchema, template_conditions
from runtime.contract.conditions import BUDGET, DEEPEST, LONGEST, BadCondition, ConditionEvaluator, checked, holds, read

CLAIMS: dict[str, Any] = {
    "vip": True,
    "beta": False,
    "age": 30,
    "plan": "pro",
    "groups": ["a", "b", 1],
    "odd name": "x",
    "sign": "\U0001f600",
    "signs": ["\U0001f600"],
    "odd number": math.nan,
    "unsigned": {"flags": {"dark-mode": True}, "plan": "free"},
}
TRUE = (
    "true",
    "visitor.claims.vip",
    "visitor.claims.vip == true",
    "visitor.claims.vip === true && !visitor.claims.beta",
    "visitor.claims.beta || visitor.claims.vip",
    "!(visitor.claims.beta && visitor.claims.vip)",
    "visitor.claims.age >= 30 && visitor.claims.age < 31.5",
    'visitor.claims.plan == "pro"',
    "'pro' == visitor.claims.plan",
    'visitor.claims.plan > "pra"',
    'visitor.claims["odd name"] == "x"',
    'visitor.claims.unsigned.flags["dark-mode"] == true',
    'visitor.claims.groups.includes("a")',
    '"b" in visitor.claims.groups',
    "visitor.claims.groups.includes(1)",
    "visitor.claims.nothing == null",
    "visitor.claims.nothing.deep == undefined",
    'visitor.claims.nothing != "x"',
    '"\\u0041\\"" == "A\\""',
    'visitor.claims.sign == "\\ud83d\\ude00"',
    'visitor.claims.signs.includes("\\ud83d\\ude00")',
    "  true  ",
)
FALSE = (
    "false",
    "null",
    '"text"',
    "1",
    "visitor.claims.plan",
    "visitor.claims.age == '30'",
    "visitor.claims.vip == 1",
    "visitor.claims.vip == 'true'",
    "visitor.claims.age > 'a'",
    "visitor.claims.nothing > 1",
    "visitor.claims.groups == visitor.claims.groups",
    "visitor.claims.unsigned == visitor.claims.unsigned",
    'visitor.claims.plan.includes("p")',
    '"x" in visitor.claims.nothing',
    "visitor.claims.groups.includes(true)",
    "visitor.claims.plan.length == 3",
    "visitor.claims.__class__ == visitor.claims.vip",
    "visitor.claims.nothing",
    "visitor.claims",
    'visitor.claims.sign != "\\ud83d\\ude00"',
    *(f'visitor.claims["odd number"] {sign} 18' for sign in ("<", "<=", ">", ">=", "==")),
    *(f'18 {sign} visitor.claims["odd number"]' for sign in ("<", "<=", ">", ">=", "==")),
)
BAD = (
    "",
    " ",
    "visitor",
    "visitor.claims.",
    "visitor.other.x",
    "claims.x",
    "visitor.claims.x = 1",
    "visitor.claims.x == ",
    "1 == 1 == 1",
    "(true",
    "true)",
    "true false",
    "visitor.claims.f()",
    "visitor.claims[0]",
    "visitor.claims['a'",
    "__import__('os')",
    "`x`",
    '"open',
    '"\\x41"',
    "1e5",
    "0x10",
    "1..2",
    "a ? b : c",
    "(" * (DEEPEST + 1) + "true" + ")" * (DEEPEST + 1),
    "!" * 200 + "true",
    "x" * (LONGEST + 1),
    "true && " * 200,
    "тrue",
)


@pytest.mark.parametrize("text", TRUE)
def test_it_holds(text: str) -> None:
    assert holds(text, CLAIMS) is True


@pytest.mark.parametrize("text", FALSE)
def test_it_does_not_hold(text: str) -> None:
    assert holds(text, CLAIMS) is False


@pytest.mark.parametrize("text", BAD)
def test_what_cannot_be_read_is_refused_and_holds_for_nobody(text: str) -> None:
    with pytest.raises(BadCondition):
        checked(text)
    if text:
        assert holds(text, CLAIMS) is False


def test_without_a_condition_it_is_there_for_everybody() -> None:
    assert holds(None, {}) is True and holds("", {}) is True


NAMES = st.text(alphabet="abcAB_-. \"\\'é\n", min_size=1, max_size=8)
VALUES = st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=8)
TREES = st.dictionaries(
    NAMES, st.recursive(VALUES, lambda inner: st.dictionaries(NAMES, inner) | st.lists(inner), max_leaves=8)
)


@given(text=st.text(max_size=60) | st.text(alphabet="visitor.claims[]()!&|=<>\"'0 1a", max_size=60), claims=TREES)
def test_whatever_is_written_is_read_or_refused(text: str, claims: dict[str, Any]) -> None:
    try:
        read(text)
    except BadCondition as refused:
        assert str(refused)
        assert text == "" or holds(text, claims) is False
    else:
        assert holds(text, claims) in (True, False)


LEAVES = st.sampled_from(
    ["true", "false", "visitor.claims.vip", "visitor.claims.age > 3", 'visitor.claims.plan == "pro"', "null"]
)
EXPRESSIONS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda two: f"({two[0]}) && ({two[1]})"),
        st.tuples(inner, inner).map(lambda two: f"({two[0]}) || ({two[1]})"),
        inner.map(lambda one: f"!({one})"),
    ),
    max_leaves=6,
)


@given(left=EXPRESSIONS, right=EXPRESSIONS)
def test_signs_mean_what_they_mean_in_logic(left: str, right: str) -> None:
    one, two = holds(left, CLAIMS), holds(right, CLAIMS)
    assert holds(f"({left}) && ({right})", CLAIMS) is (one and two)
    assert holds(f"({left}) || ({right})", CLAIMS) is (one or two)
    assert holds(f"!({left})", CLAIMS) is (not one)
    assert holds(f"!(({left}) && ({right}))", CLAIMS) is holds(f"!({left}) || !({right})", CLAIMS)


# What PostgreSQL cannot store, the schema takes no more than any other text.
@given(value=st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=30), name=NAMES)
def test_what_a_schema_suggests_holds_for_whom_it_is_about(value: str, name: str) -> None:
    schema = {"type": "object", "properties": {name: {"type": "string", "enum": [value]}}}
    (suggested,) = template_conditions(AdaptiveJsonSchema.model_validate_json(json.dumps(schema)))
    assert holds(suggested.condition, {name: value}) is True
    assert holds(suggested.condition, {name: value + "x"}) is False
    assert holds(suggested.condition, {}) is False


def test_all_conditions_of_a_visitor_together_are_bounded() -> None:
    """Were each list looked through for each part of each condition, this would take minutes."""
    visitor = ConditionEvaluator({"a": list(range(20_000)), "yes": True})
    assert visitor.meets("visitor.claims.yes == true")
    never = "visitor.claims.a.includes(-1)||" * 30
    decided = [visitor.meets(f"{never}visitor.claims.a.includes({number})") for number in range(700)]
    assert decided[0] and not decided[-1]
    assert decided == sorted(decided, reverse=True)
    assert visitor.meets("visitor.claims.yes == true")  # decided before
    assert not visitor.meets("visitor.claims.yes == (1 == 1)")


def test_a_list_holds_values_with_their_kinds() -> None:
    claims = {"a": [1, "x", None, {"b": 1}, [2]], "b": {"b": 1}}
    for entry, inside in (("1", True), ("true", False), ("'x'", True), ("null", True), ("2", False)):
        assert holds(f"visitor.claims.a.includes({entry})", claims) is inside
    assert not holds("visitor.claims.a.includes(visitor.claims.b)", claims)


def test_documents_have_variables_too_and_sites_have_none() -> None:
    inside = ConditionEvaluator({"plan": "pro"}, {"space": {"plan": "pro", "n": 2}, "page": {"beta": True}})
    for text in ("space.vars.plan == visitor.claims.plan", "page.vars.beta", "space.vars.n > 1", "page.vars.x == null"):
        assert inside.meets(text)
        assert not holds(text, {"plan": "pro"})
        with pytest.raises(BadCondition):
            checked(text)
    for text in ("space.vars", "space.claims.plan", "visitor.vars.x", "page.vars.a.b", "space.vars['plan']"):
        assert not inside.meets(f"{text} == null")


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("visitor.claims.plan", "pro"),
        ("visitor.claims.age", "30"),
        ("1.50", "1.5"),
        ("visitor.claims.vip", "true"),
        ('visitor.claims.plan == "free"', "false"),
        ("visitor.claims.nothing", ""),
        ("visitor.claims.groups", ""),
        ("visitor.claims", ""),
        ("visitor.claims.plan.toUpperCase()", ""),
        ("`${visitor.claims.plan}`", ""),
        ("x" * (LONGEST + 1), ""),
    ],
)
def test_an_expression_says_a_value_or_nothing(expression: str, text: str) -> None:
    assert ConditionEvaluator(CLAIMS).text(expression) == text


def test_what_an_expression_says_can_be_sent() -> None:
    """Half of a surrogate pair has no UTF-8: a page with one would not be shown to anybody."""
    visitor = ConditionEvaluator({"half": "a\ud800b\udc00", "pair": "\U0001f600"}, {})
    assert visitor.text("visitor.claims.half") == "a\ufffdb\ufffd"
    assert visitor.text('"\\ud800"') == "\ufffd"
    assert visitor.text("visitor.claims.pair") == visitor.text('"\\ud83d\\ude00"') == "\U0001f600"


def test_all_that_expressions_say_is_bounded() -> None:
    visitor = ConditionEvaluator({"long": "x" * 8000}, {})
    said = [visitor.text("visitor.claims.long") for _ in range(5000)]
    assert len(said[0]) == 8000 and said[-1] == ""
    assert sum(map(len, said)) <= BUDGET
