"""Conditions that a schema of claims suggests."""

from __future__ import annotations

from typing import Any

from runtime.contract.adaptive import MAX_SUGGESTIONS, AdaptiveJsonSchema, template_conditions
from runtime.contract.conditions import LONGEST, checked


def schema(properties: dict[str, Any]) -> AdaptiveJsonSchema:
    return AdaptiveJsonSchema.model_validate(
        {"type": "object", "properties": properties, "additionalProperties": False}
    )


def inside(names: list[str], claim: dict[str, Any]) -> dict[str, Any]:
    for name in names:
        claim = {"type": "object", "properties": {name: claim}, "additionalProperties": False}
    return claim


def test_each_claim_with_few_values_is_suggested_with_all_of_them() -> None:
    made = template_conditions(
        schema(
            {
                "plan": {"type": "string", "enum": ["free", 'a "b"\\']},
                "staff": {"type": "boolean", "description": "Works here"},
                "odd name": inside(["x"], {"type": "boolean"}),
                "age": {"type": "number"},
            }
        )
    )
    assert [(one.description, one.condition) for one in made] == [
        ("visitor.claims.plan: free", 'visitor.claims.plan == "free"'),
        ('visitor.claims.plan: a "b"\\', 'visitor.claims.plan == "a \\"b\\"\\\\"'),
        ("Works here", "visitor.claims.staff == true"),
        ('visitor.claims["odd name"].x', 'visitor.claims["odd name"].x == true'),
    ]
    assert all(checked(one.condition) for one in made)


def test_a_schema_does_not_become_an_answer_a_thousand_times_its_size() -> None:
    """Each value repeats the path of its claim, twice."""
    deep = inside(["😀" * 200] * 8, {"type": "string", "enum": [str(number) for number in range(500)]})
    assert template_conditions(schema({"deep": deep})) == []
    wide = {f"c{number}": {"type": "string", "enum": [f"v{value}" for value in range(500)]} for number in range(40)}
    made = template_conditions(schema(wide))
    assert len(made) == MAX_SUGGESTIONS and all(len(one.condition) <= LONGEST for one in made)
