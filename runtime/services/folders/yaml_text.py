"""YAML in folders: parsed without aliases and object tags, and written deterministically."""

from __future__ import annotations

import re
from typing import Any, ClassVar

import yaml

MAX_YAML = 256 * 1024
"""The most characters of a YAML text."""


class BadYaml(ValueError):
    """A text is not valid YAML, or uses a feature that is refused; the message is a sentence."""


class _Loader(yaml.SafeLoader):
    """Resolves plain values as YAML 1.2 does: `yes` and `2024-01-01` are strings."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}  # type: ignore[misc]

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Refuse aliases: a few lines of them can expand to more than memory holds."""
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise BadYaml("It uses an anchor or an alias, which are not supported; write out their values.")
        return super().compose_node(parent, index)


class _Dumper(yaml.SafeDumper):
    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}  # type: ignore[misc]

    def ignore_aliases(self, data: Any) -> bool:
        """Never write aliases."""
        return True


for _class in (_Loader, _Dumper):
    for _tag, _form, _first in (
        ("bool", r"true|false|True|False|TRUE|FALSE", "tTfF"),
        ("int", r"[-+]?(?:0|[1-9][0-9]*)", "-+0123456789"),
        ("float", r"[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*)(?:[eE][-+]?[0-9]+)?", "-+0123456789."),
        ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ):
        _class.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(rf"^(?:{_form})$"), list(_first))


def read_yaml(text: str) -> Any:
    """Parse one value; raises BadYaml."""
    if len(text) > MAX_YAML:
        raise BadYaml(f"It has more than {MAX_YAML} characters.")
    try:
        return yaml.load(text, _Loader)
    except BadYaml:
        raise
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f" (line {mark.line + 1})" if mark is not None else ""
        raise BadYaml(f"It is not valid YAML{place}: {error.problem or 'it cannot be read'}.") from None
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError) as error:
        raise BadYaml(f"It is not valid YAML: {type(error).__name__}.") from None


def read_mapping(text: str) -> dict[str, Any]:
    """Parse a mapping; an empty text is an empty mapping. Raises BadYaml."""
    value = read_yaml(text)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BadYaml("It is not a mapping.")
    return {name: one for name, one in value.items() if isinstance(name, str)}


def write_yaml(value: Any) -> str:
    """Write a value; equal values are written identically."""
    return yaml.dump(
        value, Dumper=_Dumper, allow_unicode=True, sort_keys=False, default_flow_style=False, width=1 << 20
    )
