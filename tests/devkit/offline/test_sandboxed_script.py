"""A script in its real engine, without a host."""

from __future__ import annotations

from pathlib import Path

import pytest

from devkit.manifests.findings import InvalidProject
from devkit.offline import simulated_host
from devkit.offline.sandboxed_script import SandboxedScript
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
    assert looped.fault is not None and looped.fault.line is not None
    assert (looped.fault.file, SCRIPT.splitlines()[looped.fault.line - 1]) == ("integration.py", looped.fault.source)
    assert (looped.fault.source or "").strip() in ("while True:", "pass")


def test_a_script_that_waits_too_long_is_stopped_at_its_line_and_one_that_hides_it_is_stopped_all_the_same(
    folder: Path,
) -> None:
    waits = """
import signal
import time

from runtime.sdk import Integration, ui

integration = Integration()


@integration.component("waits")
def waits():
    return ui.block(pause())


def pause():
    time.sleep(60)


@integration.component("hides")
def hides():
    signal.signal(signal.SIGURG, signal.SIG_IGN)
    time.sleep(60)
"""
    (folder / "integration.py").write_text(waits)
    with SandboxedScript(load(str(folder)), limits=Limits(wall=0.5, cpu=5.0)) as run:
        waited, hidden = run.render("waits"), run.render("hides")
    for called in (waited, hidden):
        assert called.trace.failure is not None and called.trace.failure.limit == "wall"
    assert waited.fault is not None and hidden.fault is not None
    assert (waited.fault.line, waited.fault.column, waited.fault.source) == (16, 5, "    time.sleep(60)")
    assert waited.fault.message == waited.trace.failure.message
    assert (hidden.fault.file, hidden.fault.hint) == (
        None,
        "Log before and after what may take long, to see how far it comes.",
    )


def test_an_endless_loop_in_javascript_says_what_its_author_can_do(folder: Path) -> None:
    (folder / "integration.yaml").write_text(
        "name: sample\ntitle: Sample\nscript: script.js\nruntime: v2\nscopes: []\n"
    )
    (folder / "script.js").write_text("export default { fetch() { while (true) {} } };\n")
    with SandboxedScript(load(str(folder)), limits=Limits(cpu=0.4)) as run:
        looped = run.render("any")
    assert looped.fault is not None and looped.fault.line is None
    assert "devkit dev --debug" in (looped.fault.hint or "")


def test_secrets_that_are_not_set_are_reported_before_a_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SANDBOXED_KEY")
    with pytest.raises(InvalidProject, match="the variable `SANDBOXED_KEY` is not set"):
        SandboxedScript(load(str(folder)))
