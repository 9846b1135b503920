"""The processes that serve: how many there are, and what happens when they die."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import requests

from tests.conftest import Api, HostProcess, init, installed, tenant, wait_for
from tests.scenarios.people import person

COUNTING = """
let calls = 0;
export default {
  async fetch(request) {
    const event = JSON.parse((await request.formData()).get("event"));
    if (event.type !== "fetch") return Response.json({ error: "no handler" }, { status: 406 });
    calls += 1;
    return new Response(String(calls));
  },
};
"""


def serving(host: HostProcess) -> list[int]:
    """Give the ids of the processes that serve, in the order they began."""
    assert host.process is not None
    command = ["ps", "-o", "pid=", "--sort", "start_time", "--ppid", str(host.process.pid)]
    found = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()
    return [int(process) for process in found]


def ready(host: HostProcess) -> bool:
    try:
        return requests.get(f"{host.url}/readyz", timeout=2).status_code == 200
    except requests.RequestException:
        return False


def test_processes_that_die_again_and_again_are_replaced_and_the_log_says_why(tmp_path: Path) -> None:
    init(tmp_path, "First", "first@example.com")
    host = HostProcess(tmp_path).start()
    for ending in (signal.SIGKILL, signal.SIGSEGV, signal.SIGKILL):
        (unlucky,) = serving(host)
        os.kill(unlucky, ending)
        wait_for(lambda unlucky=unlucky: unlucky not in serving(host))
        wait_for(lambda: ready(host), 60)
    log = (tmp_path / "host.log").read_text()
    assert log.count("was killed by signal 9 (SIGKILL)") == 2
    assert log.count("was killed by signal 11 (SIGSEGV)") == 1
    assert [line.rpartition("another one starts ")[2] for line in log.splitlines() if "another one starts" in line] == [
        "at once",
        "in 1 s",
        "in 2 s",
    ]
    assert host.stop() == 0


def test_a_host_stops_while_a_process_waits_to_be_replaced(tmp_path: Path) -> None:
    init(tmp_path, "First", "first@example.com")
    host = HostProcess(tmp_path).start()
    for _ in range(2):
        wait_for(lambda: ready(host), 60)
        os.kill(serving(host)[0], signal.SIGKILL)
        wait_for(lambda: not ready(host))
    assert host.stop() == 0


def test_nothing_is_begun_anew_where_the_data_folder_went_and_it_is_given_up_after_a_minute(tmp_path: Path) -> None:
    data, away = tmp_path / "data", tmp_path / "away"
    data.mkdir()
    init(data, "First", "first@example.com")
    host = HostProcess(data).start()
    assert host.process is not None

    def failures() -> int:
        return (away / "host.log").read_text().count("exited with code 1")

    data.rename(away)
    os.kill(serving(host)[0], signal.SIGKILL)
    wait_for(lambda: failures() >= 2, 60)
    assert not data.exists()
    away.rename(data)
    wait_for(lambda: ready(host), 60)  # it is as good as before

    data.rename(away)
    os.kill(serving(host)[0], signal.SIGKILL)
    assert host.process.wait(timeout=150) == 1
    assert not data.exists()
    log = (away / "host.log").read_text()
    assert "disappeared while the host was running" in log
    assert "no serving process could be started for 60 s" in log


@pytest.mark.parametrize(("environ", "options", "count"), [("2", [], 2), ("2", ["--workers", "1"], 1), ("", [], 1)])
def test_as_many_processes_serve_as_were_asked_for(
    tmp_path: Path, environ: str, options: list[str], count: int
) -> None:
    init(tmp_path, "First", "first@example.com")
    host = HostProcess(tmp_path, *options, environ={"DEVKIT_WORKERS": environ} if environ else {}).start()
    wait_for(lambda: len(serving(host)) == count)
    assert host.stop() == 0


def test_a_number_of_processes_that_cannot_be_is_refused(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "devkit", "serve", "--data", str(tmp_path)]
    refused = subprocess.run(
        command, env=os.environ | {"DEVKIT_WORKERS": "0"}, capture_output=True, text=True, check=False
    )
    assert refused.returncode != 0
    assert "DEVKIT_WORKERS" in refused.stderr


def test_the_process_that_leads_a_single_one_does_not_load_the_host() -> None:
    # It is there as long as the host, and would take as much memory again.
    loads = "import sys, devkit.commands.serve; print(*sorted({'sqlalchemy', 'pydantic', 'flask'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", loads], check=True, capture_output=True, text=True).stdout == "\n"


def test_a_host_that_begins_anew_says_where(tmp_path: Path) -> None:
    data, port = tmp_path / "typo", HostProcess(tmp_path).port

    def said(*more: str) -> list[str]:
        command = [sys.executable, "-m", "devkit", "serve", "--data", "typo", "--port", str(port), "--json", *more]
        process = subprocess.Popen(
            command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL
        )
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["type"] == "listening"
        process.send_signal(signal.SIGTERM)
        told = process.communicate(timeout=60)[1].splitlines()
        return [json.loads(line)["note"]["message"] for line in told if line.startswith('{"note"')]

    (new,) = said()
    assert new.startswith(f"there was no folder {data}: a new, empty host begins there.") and "--data" in new
    assert said() == []
    # Where the database is elsewhere, the folder says nothing about whether there is a host.
    assert said("--database-url", f"sqlite:///{data / 'host.sqlite'}") == []
    (data / "host.sqlite").rename(tmp_path / "host.sqlite")
    (data / "secret.key").unlink()
    (again,) = said()
    assert again.startswith(f"there is no host in {data} yet: ")


def test_what_a_killed_host_left_in_the_temporary_folder_goes_with_the_next_one(tmp_path: Path) -> None:
    init(tmp_path, "First", "first@example.com")
    with TemporaryDirectory(dir="/tmp") as temporary:  # short, as the addresses of sockets must be
        host = HostProcess(tmp_path, "--workers", "2", environ={"TMPDIR": temporary})

        def kinds() -> list[str]:
            return sorted(folder.name[:-8] for folder in Path(temporary).glob("devkit-*"))

        folders = ["devkit-isolates-", "devkit-metrics-", "devkit-relay-"]
        host.start()
        assert kinds() == folders
        host.kill()
        assert kinds() == folders
        host.start()
        assert kinds() == folders
        assert host.stop() == 0
        assert kinds() == []


def test_what_one_process_changes_holds_in_all_of_them_at_once(tmp_path: Path) -> None:
    """Also in one that takes the place of another, whichever of them made the change."""
    host = HostProcess(tmp_path, "--workers", "2")
    owner = tenant(host, "First", "first@example.com")
    host.start()
    member = person(host, owner)
    one = installed(owner)
    body = {"componentId": "counter", "props": {}, "context": one.context()}
    render, role = f"{one.path}/render", f"/v1/orgs/{owner.id}/members/{member.id}"
    installation = f"{one.path}/installations/{one.installation}"

    def statuses(method: str, path: str, body: object, token: str | None) -> set[int]:
        headers = {"Authorization": f"Bearer {token}"}
        # Each over a connection of its own, so that either process takes it.
        asked = [requests.request(method, host.url + path, json=body, headers=headers, timeout=30) for _ in range(6)]
        return {answer.status_code for answer in asked}

    def change(method: str, path: str, body: object) -> None:
        assert Api(host.url, owner.api.token).call(method, path, body).status in (200, 205)

    def all_follow() -> None:
        for turn in range(10):
            change("PATCH", role, {"role": "admin" if turn % 2 else "read"})
            renamed = statuses("PATCH", f"/v1/orgs/{owner.id}", {"title": "First"}, member.api.token)
            assert renamed == ({200} if turn % 2 else {403}), turn
            change("PATCH", installation, {"status": "active" if turn % 2 else "paused"})
            assert statuses("POST", render, body, owner.api.token) == ({200} if turn % 2 else {412}), turn

    all_follow()
    (unlucky, _) = serving(host)
    os.kill(unlucky, signal.SIGKILL)
    wait_for(lambda: len(serving(host)) == 2 and unlucky not in serving(host), 60)
    wait_for(lambda: ready(host), 60)
    all_follow()
    change("DELETE", role, None)
    assert statuses("POST", render, body, member.api.token) <= {401, 404}
    assert host.stop() == 0


def test_scripts_in_javascript_are_shared_and_go_on_when_the_process_that_started_them_dies(tmp_path: Path) -> None:
    host = HostProcess(tmp_path, "--workers", "2")
    owner = tenant(host, "First", "first@example.com")
    host.start()
    counted = installed(owner, COUNTING, runtime="v2")
    address = f"{host.url}{counted.path}/integration/count"

    def count(_: int) -> tuple[int, str]:
        answer = requests.get(address, timeout=30)  # each over a connection of its own, so that either takes it
        return answer.status_code, answer.text

    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(count, range(40)))
    assert sorted(answers) == sorted((200, str(number)) for number in range(1, 41))

    # One of the two has started the script, and takes it along.
    first, second = serving(host)
    for unlucky in (first, second):
        os.kill(unlucky, signal.SIGKILL)
        wait_for(lambda: len(serving(host)) == 2 and unlucky not in serving(host), 60)  # noqa: B023
        wait_for(lambda: ready(host), 60)
    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(count, range(40)))
    assert sorted(answers) == sorted((200, str(number)) for number in range(1, 41))
    assert host.stop() == 0


def test_a_tidied_temporary_folder_stops_no_process_from_being_replaced(tmp_path: Path) -> None:
    init(tmp_path, "First", "first@example.com")
    with TemporaryDirectory(dir="/tmp") as temporary:  # short, as the addresses of sockets must be
        host = HostProcess(tmp_path, "--workers", "2", environ={"TMPDIR": temporary}).start()
        shared = [*Path(temporary).glob("devkit-*")]
        assert len(shared) == 3
        for folder in shared:
            shutil.rmtree(folder)
        for _ in range(2):
            unlucky = serving(host)[0]
            os.kill(unlucky, signal.SIGKILL)
            wait_for(lambda unlucky=unlucky: len(serving(host)) == 2 and unlucky not in serving(host), 60)
            wait_for(lambda: ready(host), 60)
        wait_for(lambda: requests.get(f"{host.url}/metrics", timeout=5).status_code == 200, 60)
        assert all(folder.is_dir() for folder in shared)
        assert host.stop() == 0
        assert "Traceback" not in (tmp_path / "host.log").read_text()
