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


class MatchedRule(Rule):
    """A rule that matches at once, and compiles what builds its address only when somebody asks for one.

    Nobody does, and compiling all of them was a sixth of the time in which a host starts.
    """

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        compiled = functools.cache(super()._compile_builder)

        def build(rule: Rule, /, *values: object, **named: object) -> tuple[str, str]:
            return compiled(append_unknown)(rule, *values, **named)

        return build


def set_up_routing(app: Flask) -> None:
    """Prepare an application for all rules of the host; to be called before the first is added."""
    app.url_rule_class = MatchedRule
    app.url_map.converters["tail"] = Tail
    app.url_map.strict_slashes = False
    app.url_map.merge_slashes = False
