"""All rules: one table, by theme."""

from __future__ import annotations

from devkit.checking import (
    rules_assets,
    rules_handlers,
    rules_manifest,
    rules_policy,
    rules_render,
    rules_scopes,
    rules_secrets,
)
from devkit.checking.rule import Rule

RULES: dict[str, Rule] = {
    rule.id: rule
    for theme in (
        rules_manifest,
        rules_assets,
        rules_handlers,
        rules_scopes,
        rules_policy,
        rules_secrets,
        rules_render,
    )
    for rule in theme.RULES
}
"""Id -> rule, in the order they are looked at."""
