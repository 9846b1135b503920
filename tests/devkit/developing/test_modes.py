"""`devkit dev` started over, with a debugger, and against a host elsewhere."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import deno
import requests

from tests.conftest import HostProcess, Installed, Tenant, free_port, wait_for
from tests.devkit.conftest import Shell, StartDev
from tests.devkit.dev_process import DevProcess, processes_of
from tests.devkit.developing.open_ports import as_root, asked_by_a_stranger, listening

INSPECTOR = Path(__file__).with_name("inspector.mjs")


def render(process: DevProcess, **more: Any) -> requests.Response:
    """Render the counter as the preview does."""
    key = process.wait("ready")["url"].rpartition("#key=")[2]
    at = f"http://127.0.0.1:{process.port}"
    headers = {"Authorization": f"Bearer {key}"}
    state = requests.get(f"{at}/preview/api/counter", headers=headers, timeout=30).json()
    context = {"type": "document", "spaceId": state["space"]["id"], "editable": False, "theme": "light"}
    body = {"componentId": "counter", "props": {}, "context": context, **more}
    return requests.post(f"{at}/v1/integrations/counter/render", json=body, headers=headers, timeout=60)


def test_what_happened_is_kept_until_it_starts_over(start_dev: StartDev, project: Path, shell: Shell) -> None:
    first = start_dev(project)
    first.wait("ready")
    assert "fetch" in shell("trigger", "fetch", "--path", "/x", "--json", folder=project).out
    assert first.end() == 0
    again = start_dev(project)
    again.wait("ready")
    stored = shell("events", "--json", folder=project).json["events"]
    assert "fetch" in [event["payload"]["type"] for event in stored]
    script = project / "integration.py"
    script.write_text(script.read_text() + "\n# A change.\n")
    assert again.wait("reloaded")["version"] == 2  # starting again made none, since nothing had changed
    assert shell("publish", "--json", folder=project).json["version"] == 2, "the versions are kept, too"
    result = shell("dev", str(project), "--fresh", "--no-open")
    assert (result.code, again.url in result.err) == (1, True)
    assert again.end() == 0
    fresh = start_dev(project, "--fresh")
    fresh.wait("ready")
    events = shell("events", "--json", folder=project).json["events"]
    assert "fetch" not in [event["payload"]["type"] for event in events]


def test_fresh_removes_no_folder_that_is_not_its_own(shell: Shell, project: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "thesis.txt").write_text("years of work")
    done = shell("dev", str(project), "--fresh", "--no-open", "--data", str(precious))
    assert (done.code, done.err.count("\n"), "nothing was removed" in done.err) == (1, 1, True)
    assert (precious / "thesis.txt").read_text() == "years of work"


def test_two_at_once_in_one_folder_are_refused(start_dev: StartDev, project: Path, shell: Shell) -> None:
    first = start_dev(project)
    first.wait("ready")
    for more in ((), ("--fresh",)):
        done = shell("dev", str(project), "--no-open", *more)
        assert (done.code, f"already running for this folder, with its preview at {first.url} - open" in done.err) == (
            1,
            True,
        )
    (project / ".devkit" / "running.json").unlink()
    done = shell("dev", str(project), "--no-open")
    assert (done.code, "another `devkit dev` is using" in done.err) == (1, True)


def test_a_second_one_with_data_of_its_own_leaves_commands_to_the_first(
    start_dev: StartDev, project: Path, shell: Shell, tmp_path: Path
) -> None:
    first = start_dev(project)
    first.wait("ready")
    note = project / ".devkit" / "running.json"
    written = note.read_text()
    second = start_dev(project, "--data", str(tmp_path / "other"))
    second.wait("ready")
    told = next(line["message"] for line in second.messages if line["type"] == "notice")
    assert f"keep using the `devkit dev` at http://127.0.0.1:{first.port}" in told
    assert note.read_text() == written
    assert second.end() == 0
    assert note.read_text() == written
    first.process.kill()
    first.end()
    # What is left of one that was killed is written over, even if another program has its number by now.
    left = json.loads(written) | {"process": os.getpid()}
    note.write_text(json.dumps(left))
    third = start_dev(project, "--data", str(tmp_path / "third"))
    third.wait("ready")
    assert json.loads(note.read_text())["host"] == f"http://127.0.0.1:{third.port}"


class Debugger:
    """The least of an editor: speaks the Debug Adapter Protocol to debugpy."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self._file = self._socket.makefile("rwb")
        self._number = 0
        self._events: list[dict[str, Any]] = []

    def send(self, command: str, **arguments: Any) -> int:
        self._number += 1
        body = json.dumps({"seq": self._number, "type": "request", "command": command, "arguments": arguments}).encode()
        self._file.write(f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        self._file.flush()
        return self._number

    def hear(self, kind: str, name: str) -> dict[str, Any]:
        """Wait for an event or the response to a command."""
        while True:
            for message in self._events:
                if message["type"] == kind and message.get("event", message.get("command")) == name:
                    self._events.remove(message)
                    return message
            length = 0
            while line := self._file.readline().strip():
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            self._events.append(json.loads(self._file.read(length)))

    def close(self) -> None:
        self._file.close()
        self._socket.close()


@contextmanager
def attached(port: int) -> Iterator[Debugger]:
    def connected() -> Debugger | None:
        try:
            return Debugger(port)
        except OSError:
            return None

    debugger: Debugger = wait_for(connected, 30)
    try:
        debugger.send("initialize", adapterID="test", pathFormat="path")
        debugger.hear("response", "initialize")
        debugger.send("attach", justMyCode=False)
        debugger.hear("event", "initialized")
        yield debugger
    finally:
        debugger.close()


def test_a_breakpoint_stops_the_script_and_time_does_not_run_out(start_dev: StartDev, project: Path) -> None:
    port = free_port()
    process = start_dev(project, "--debug", "--debug-port", str(port))
    assert process.wait("debug")["port"] == port
    script = project / "integration.py"
    line = next(n for n, text in enumerate(script.read_text().splitlines(), 1) if "ui.block(" in text)
    with attached(port) as debugger:
        debugger.send("setBreakpoints", source={"path": str(script)}, breakpoints=[{"line": line}])
        assert debugger.hear("response", "setBreakpoints")["success"]
        debugger.send("configurationDone")
        with ThreadPoolExecutor(1) as caller:
            answer = caller.submit(render, process)
            stopped = debugger.hear("event", "stopped")["body"]
            assert stopped["reason"] == "breakpoint"
            debugger.send("stackTrace", threadId=stopped["threadId"])
            top = debugger.hear("response", "stackTrace")["body"]["stackFrames"][0]
            assert (top["line"], Path(top["source"]["path"])) == (line, script)
            assert not answer.done()
            debugger.send("setBreakpoints", source={"path": str(script)}, breakpoints=[])
            debugger.send("continue", threadId=stopped["threadId"])
            assert answer.result(timeout=30).status_code == 200
        script.write_text(script.read_text().replace('"times"', '"times over"'))
        process.wait("reloaded")
        assert "times over" in render(process).text
    assert process.end() == 0
    assert processes_of(str(project)) == []


def test_debugging_ends_with_the_command_and_the_next_run_is_sandboxed_again(
    start_dev: StartDev, project: Path
) -> None:
    process = start_dev(project, "--debug", "--debug-port", str(free_port()))
    process.wait("debug")
    assert process.end() == 0
    assert processes_of(str(project)) == []
    again = start_dev(project)
    again.wait("ready")
    assert render(again).status_code == 200


def closed_to_others(process: DevProcess, home: Path, port: int) -> None:
    """Make sure that another user finds neither a debugger nor the script at any port but the host's own."""
    ports = listening(home) - {process.port}
    assert port in ports and len(ports) >= 2
    for each in ports:
        answer = asked_by_a_stranger(each)
        # Deno answers, and says nothing: whoever attaches has to know the inspector's name.
        assert answer == "" or (" 404 Not Found" in answer and "/" not in answer.partition("\r\n\r\n")[2]), (
            each,
            answer,
        )
        assert "json" not in asked_by_a_stranger(each, "GET /json/list HTTP/1.1\r\nHost: localhost\r\n\r\n")


@as_root
def test_nobody_else_debugs_a_python_script(start_dev: StartDev, project: Path, tmp_path: Path) -> None:
    port = free_port()
    process = start_dev(project, "--debug", "--debug-port", str(port))
    process.wait("debug")
    with attached(port) as debugger:
        closed_to_others(process, tmp_path, port)
        debugger.send("configurationDone")
        process.wait("ready")
        closed_to_others(process, tmp_path, port)
        assert render(process).status_code == 200
    assert process.end() == 0


@contextmanager
def inspecting(port: int, text: str) -> Iterator[subprocess.Popen[str]]:
    """Attach to the inspector of V8, and stop at a line of the bundle with a text."""
    command = [str(deno.find_deno_bin()), "run", "--no-prompt", "--allow-net", str(INSPECTOR), str(port), text]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def heard(inspector: subprocess.Popen[str], kind: str) -> dict[str, Any]:
    assert inspector.stdout is not None
    return next(told for line in inspector.stdout if (told := json.loads(line))["type"] == kind)


BLOCK = """
import { words } from "./words.ts";
export default {
  async fetch(request: Request): Promise<Response> {
    const event = JSON.parse((await request.formData()).get("event") as string);
    const drawn = event.type === "ui_render" ? words(event.type) : "";
    const element = { type: "block", children: [{ type: "text", children: [drawn] }] };
    return Response.json({ type: "element", element, state: {}, props: {} });
  },
};
"""


def test_a_typescript_project_stops_at_breakpoints_in_the_authors_files(
    start_dev: StartDev, project: Path, tmp_path: Path
) -> None:
    (project / "integration.py").unlink()
    (project / "integration.ts").write_text(BLOCK)
    words = project / "words.ts"
    words.write_text("export function words(text: string): string {\n  return `drawn for ${text}`;\n}\n")
    manifest = project / "integration.yaml"
    manifest.write_text(manifest.read_text().replace("integration.py", "integration.ts").replace("python", "v2"))
    port = free_port()
    process = start_dev(project, "--debug", "--debug-port", str(port))
    assert process.wait("debug")["port"] == port
    with inspecting(port, "drawn for") as inspector, ThreadPoolExecutor(1) as caller:
        parsed = heard(inspector, "parsed")
        assert (parsed["found"], words.as_uri() in parsed["files"]) == (True, True)
        process.wait("ready")
        if os.geteuid() == 0:
            closed_to_others(process, tmp_path, port)
        answer = caller.submit(render, process)
        assert "drawn for" in heard(inspector, "paused")["line"]
        assert not answer.done()
        inspector.stdin.write("go on\n")  # type: ignore[union-attr]
        inspector.stdin.flush()  # type: ignore[union-attr]
        assert "drawn for ui_render" in answer.result(timeout=30).text
        # The debugger stays attached, and the next version runs.
        words.write_text(words.read_text().replace("drawn", "made"))
        process.wait("reloaded")
        assert heard(inspector, "parsed")["found"] is False
        assert "made for ui_render" in render(process).text
    assert process.end() == 0
    assert processes_of(str(project)) == []


def published(shell: Shell, host: HostProcess, owner: Tenant, folder: Path, name: str) -> Installed:
    """Publish a copy of the counter under a name of its own, and install it."""
    manifest = folder / "integration.yaml"
    manifest.write_text(manifest.read_text().replace("name: counter", f"name: {name}"))
    more = ("--host", host.url, "--token", owner.api.token or "", "--organization", owner.id)
    done = shell("publish", str(folder), *more)
    assert done.code == 0, done.err
    space = owner.api.post(f"/v1/orgs/{owner.id}/spaces", {"title": "A space"}).json["id"]
    installation = owner.api.post(f"/v1/integrations/{name}/installations", {"organization": owner.id}).json["id"]
    assert (
        owner.api.post(f"/v1/integrations/{name}/installations/{installation}/spaces", {"space": space}).status == 201
    )
    return Installed(name, owner, installation, space, "")


def test_the_events_of_a_host_elsewhere_are_answered_here(
    start_dev: StartDev, project: Path, shell: Shell, host: HostProcess, alpha: Tenant
) -> None:
    integration = published(shell, host, alpha, project, "away-one")
    assert "Clicked" in integration.render().text
    script = project / "integration.py"
    before = script.read_text()
    script.write_text(before.replace("Clicked", "Here"))
    process = start_dev(project, "--token", alpha.api.token, host=host.url)
    process.wait("ready")
    assert "Here" in integration.render().text
    assert process.wait("event")["event"]["event"]["payload"]["type"] == "ui_render"
    script.write_text(before.replace("Clicked", "Changed here"))
    process.wait("reloaded")
    assert "Changed here" in integration.render().text
    script.write_text("def broken(:\n")
    assert process.wait("fault")["findings"][0]["line"] == 1
    assert "Changed here" in integration.render().text, "the last good version keeps answering"
    assert alpha.api.get(f"{integration.path}/dev").json["connected"] is True
    assert process.end() == 0
    assert alpha.api.get(f"{integration.path}/dev").json == {"tunnelUrl": None, "all": False}
    assert "Clicked" in integration.render().text
    assert processes_of(str(project)) == []


def test_what_failed_on_the_host_is_tried_with_each_change_here(
    start_dev: StartDev, project: Path, shell: Shell, host: HostProcess, alpha: Tenant
) -> None:
    script = project / "integration.py"
    works = script.read_text() + '\n\n@integration.on("space_installation_setup")\ndef set_up(event):\n    return\n'
    script.write_text(works.replace("    return\n", "    raise RuntimeError('not yet')\n"))
    integration = published(shell, host, alpha, project, "away-failing")

    def delivery() -> Any:
        (event,) = alpha.api.get(f"{integration.path}/events", type="space_installation_setup").json["items"]
        return event["delivery"]

    wait_for(lambda: (now := delivery())["state"] == "failed" and now["attempts"] == 3)  # the next one is in a minute
    process = start_dev(project, "--token", alpha.api.token, host=host.url)
    process.wait("ready")
    wait_for(lambda: (now := delivery())["state"] == "failed" and now["attempts"] == 4, 20)  # in five
    script.write_text(works)
    process.wait("reloaded")
    wait_for(lambda: delivery() | {"state": "delivered", "attempts": 5} == delivery(), 20)
    assert process.end() == 0


def test_development_ends_with_the_integration(
    start_dev: StartDev, project: Path, shell: Shell, host: HostProcess, alpha: Tenant
) -> None:
    integration = published(shell, host, alpha, project, "away-for-good")
    process = start_dev(project, "--token", alpha.api.token, host=host.url)
    process.wait("ready")
    assert alpha.api.call("DELETE", integration.path).status in (204, 205)
    assert process.process.wait(60) == 1
    wait_for(lambda: "away-for-good was unpublished" in "".join(map(str, process.errors)))


def test_what_must_be_there_before(shell: Shell, project: Path, host: HostProcess, alpha: Tenant, beta: Tenant) -> None:
    manifest = project / "integration.yaml"
    manifest.write_text(manifest.read_text().replace("name: counter", "name: never-published"))
    known = ("--host", host.url, "--token", alpha.api.token or "")
    done = shell("dev", str(project), *known)
    assert (done.code, "run `devkit publish --host" in done.err) == (1, True)
    refused = shell("dev", str(project), *known, "--fresh")
    assert (refused.code, "--host and --to cannot be combined with" in refused.err) == (2, True)
    nobody = shell("dev", str(project), "--host", "http://127.0.0.1:9", "--token", "dk_x")
    assert (nobody.code, "does not answer" in nobody.err, nobody.err.count("\n")) == (1, True, 1)


def test_somebody_elses_integration_is_not_taken_over(
    shell: Shell, project: Path, tmp_path: Path, host: HostProcess, alpha: Tenant, beta: Tenant
) -> None:
    published(shell, host, alpha, project, "away-two")
    done = shell("dev", str(project), "--host", host.url, "--token", beta.api.token or "")
    assert done.code == 1
    assert done.err.count("\n") == 1
    assert alpha.api.get("/v1/integrations/away-two/dev").json["tunnelUrl"] is None


def test_what_it_writes_into_the_project_makes_no_versions(start_dev: StartDev, project: Path, shell: Shell) -> None:
    process = start_dev(project)
    process.wait("ready")
    for number in range(3):
        (project / "dev.log").write_text(f"line {number}\n")
        (project / "integration.py").touch()
    process.edit("integration.py", ("Clicked", "Pressed"))
    assert process.wait("reloaded")["version"] == 2
    assert shell("versions", "--json", folder=project).json["versions"][0]["version"] == 2


def test_a_folder_that_cannot_be_written(start_dev: StartDev, shell: Shell, project: Path, tmp_path: Path) -> None:
    (project / ".devkit").write_text("a file where the folder should be")
    refused = shell("dev", str(project), "--no-open")
    sentence = f"error: {project / '.devkit'} cannot be written: File exists; give --data another folder\n"
    assert (refused.code, refused.err) == (1, sentence)
    served = shell("serve", "--data", str(project / ".devkit" / "data"), "--port", str(free_port()))
    assert (served.code, served.err.count("\n")) == (1, 1)
    assert "cannot be written: Not a directory; choose another --data" in served.err
    elsewhere = start_dev(project, "--data", str(tmp_path / "data"))
    notice = elsewhere.wait("notice")["message"]
    assert str(project / ".devkit") in notice and str(tmp_path / "data" / "token") in notice
    assert render(elsewhere).status_code == 200
    assert elsewhere.end() == 0
