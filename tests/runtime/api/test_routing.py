"""Rules of the host match at once, and build addresses like any rule of the web framework."""

from __future__ import annotations

import pytest
from flask import Flask, url_for
from werkzeug.routing import Rule

from runtime.api import routing


@pytest.fixture
def app() -> Flask:
    """An application with a rule that takes all that follows."""
    app = Flask("test", static_folder=None)
    routing.set_up_routing(app)
    app.add_url_rule("/shown/<name>/<tail:rest>", "shown", lambda name, rest: f"{name}|{rest}")
    return app


@pytest.mark.parametrize("rest", ["a", "a/b", "/a", "a//b/"])
def test_a_tail_is_all_that_follows(app: Flask, rest: str) -> None:
    assert app.test_client().get(f"/shown/one/{rest}").text == f"one|{rest}"


def test_what_builds_an_address_is_compiled_when_one_is_asked_for(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = []
    compile_builder = Rule._compile_builder

    def counted(rule: Rule, append_unknown: bool = True) -> object:
        compiled.append(rule.rule)
        return compile_builder(rule, append_unknown)

    monkeypatch.setattr(Rule, "_compile_builder", counted)
    app.add_url_rule("/later/<name>", "later", lambda name: name)
    assert app.test_client().get("/later/two").text == "two"
    assert compiled == []
    with app.test_request_context():
        for _ in range(2):
            assert url_for("later", name="a b") == "/later/a%20b"
            assert url_for("later", name="a", more="c") == "/later/a?more=c"
    assert compiled == ["/later/<name>"]
