"""A script in its real engine, without a host."""

from __future__ import annotations

from pathlib import Path

import pytest

from devkit.offline import simulated_host
from devkit.offline.sandboxed_script import SandboxedScript
from devkit.projects.findings import InvalidProject
from devkit.projects.project import load
from runtime.contract.invocation import Limits
from tests.devkit.dev_process import SAMPLES, copy_sample

SCRIPT = """\
from runtime.sdk import ExposableError, Integration, ui

integration = Integration()


@integration.component("shown", state=lambda environment: {"of": environment["integration"]["name"]})
def shown(element, context):
    return ui.block(ui.text(f"{sorted(element.props)} {element.state} {context.configuration} {context.secrets}"))


@integration.component("asks")
def asks(context):
    return ui.block(ui.text(context.api.get("/spaces/1")["title"]))


@integration.component("refuses")
def refuses():
    raise ExposableError("Not today", 422)


@integration.component("loops")
def loops():
    while True:
        pass


@integration.on("installation_setup")
def set_up(context):
    context.log.info("hello")
    context.wait_until(context.log.info, "later")
"""
MANIFEST = """\
name: sample
title: Sample
script: integration.py
scopes: []
secrets:
  KEY: ${{ env.SANDBOXED_KEY }}
configurations:
  site:
    properties:
      needed: {type: string}
      free: {type: string}
      color: {type: string, enum: [red, blue]}
      count: {type: number, default: 3}
      go: {type: button, button_text: Go, callback_url: /go}
    required: [needed, color]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "integration.yaml").write_text(MANIFEST)
    (tmp_path / "integration.py").write_text(SCRIPT)
    monkeypatch.setenv("SANDBOXED_KEY", "from outside")
    monkeypatch.setenv("DEVKIT_ALLOW_ENV", "SANDBOXED_*")
    return tmp_path


def test_a_block_is_drawn_acted_on_and_drawn_again() -> None:
    with SandboxedScript(load(str(SAMPLES / "counter"))) as run:
        assert set(run.load().components) == {"counter", "set_count"}
        first = run.render("counter", {"step": 4}).json
        assert first["element"]["children"][0]["children"] == ["Clicked 0 times"]
        second = run.render("counter", first["props"], first["state"], {"action": "increment", "by": 4}).json
        assert second["state"]["count"] == 4
        unknown = run.render("nothing")
        assert (unknown.status, unknown.error, unknown.fault) == (404, "Component nothing not found", None)


def test_a_script_in_javascript_runs_the_same_way(tmp_path: Path) -> None:
    folder = copy_sample("diagram-js", tmp_path)
    with SandboxedScript(load(str(folder))) as run:
        output = run.render("diagram").json
        assert output["element"]["children"][0]["source"]["url"].startswith(simulated_host.NOWHERE)


def test_the_screen_says_what_the_script_sees(folder: Path) -> None:
    with SandboxedScript(load(str(folder))) as run:
        screen = simulated_host.configuration_screen("site", run.configurations)
        text = run.render("shown", {"more": 1}, screen=screen).json["element"]["children"][0]["children"][0]
    assert text == (
        "['installation', 'more', 'siteInstallation'] {'of': 'sample'} "
        "{'needed': 'example-needed', 'color': 'red', 'count': 3} {'KEY': 'from outside'}"
    )


def test_a_script_reaches_nothing_and_it_can_be_reported(folder: Path) -> None:
    with SandboxedScript(load(str(folder))) as run:
        result = run.render("asks")
        assert (result.status, result.asked_outside) == (500, True)
        assert result.fault is not None
        assert (result.fault.file, result.fault.line) == ("integration.py", 13)
        refused = run.render("refuses")
        assert (refused.status, refused.error, refused.asked_outside) == (422, "Not today", False)


def test_an_event_is_over_when_the_work_after_its_answer_is(folder: Path) -> None:
    with SandboxedScript(load(str(folder))) as run:
        called = run.invoke({"type": "installation_setup", "status": "active"})
        assert [line.message for line in called.trace.logs] == ["hello", "later"]
        assert run.invoke({"type": "site_view"}).status == 406


def test_an_endless_loop_ends_at_the_limit(folder: Path) -> None:
    with SandboxedScript(load(str(folder)), limits=Limits(wall=5, cpu=1)) as run:
        looped = run.render("loops")
    assert looped.status == 504
    assert looped.trace.failure is not None
    assert looped.trace.failure.kind == "timeout"


def test_secrets_that_are_not_set_are_reported_before_a_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SANDBOXED_KEY")
    with pytest.raises(InvalidProject, match="the variable `SANDBOXED_KEY` is not set"):
        SandboxedScript(load(str(folder)))
