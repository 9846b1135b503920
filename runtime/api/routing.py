"""How the paths of requests lead to functions: what is different from Flask's own rules."""

from __future__ import annotations

import functools
from collections.abc import Callable

from flask import Flask
from werkzeug.routing import PathConverter, Rule


class Tail(PathConverter):
    """All that follows in a path; unlike what `path` takes, it may begin with a slash."""

    regex = ".+?"
    part_isolating = False


class LazyBuildRule(Rule):
    """A rule that compiles what builds its address on first use.

    The host never builds addresses from rules, and compiling was a tenth of its start. The method is a private one of
    Werkzeug: if it gets another name, starting takes longer, and nothing else changes.
    """

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        compiled = functools.cache(super()._compile_builder)

        def build(rule: Rule, /, *values: object, **named: object) -> tuple[str, str]:
            return compiled(append_unknown)(rule, *values, **named)

        return build


def set_up_routing(app: Flask) -> None:
    """Prepare an application for all rules of the host; to be called before the first is added."""
    app.url_rule_class = LazyBuildRule
    app.url_map.converters["tail"] = Tail
    app.url_map.strict_slashes = False
    app.url_map.merge_slashes = False
