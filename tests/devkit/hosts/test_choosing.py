"""Which host a command speaks to, and that it says so; the hosts a person is logged in to."""

from __future__ import annotations

import importlib
import json
import os
import pty
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from devkit.cli import COMMANDS
from tests.conftest import COUNTER, HostProcess, Installed, Tenant, free_port, publication, wait_for
from tests.devkit.conftest import Shell
from tests.devkit.dev_process import PATIENCE, DevProcess, copy_sample, devkit, environment

HERE = "the `devkit dev` of this folder"


@dataclass
class Both:
    """A running `devkit dev` in the folder of somebody who is logged in elsewhere, too."""

    dev: DevProcess
    home: Path
    kept: str

    @property
    def local(self) -> str:
        return f"http://127.0.0.1:{self.dev.port}"


@pytest.fixture(scope="module")
def both(host: HostProcess, home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    place = tmp_path_factory.mktemp("both")
    project = copy_sample("counter", place)
    process = DevProcess(project, home)
    process.wait("ready")
    yield Both(process, home, host.url.removeprefix("http://"))
    process.end()


EVENTS: dict[str, tuple[str, ...]] = {
    "trigger": ("installation_setup", "--set", "status=active"),
    "logs": (),
    "events": (),
    "replay": ("--last", "--type", "installation_setup"),
    "record": ("new.yaml", "--since", "1h", "--force", "--type", "installation_setup"),
    "play": ("new.yaml",),
}
"""The commands about events -> arguments; each of them leaves what the next one needs."""


def test_commands_about_events_speak_to_the_dev_of_their_folder(both: Both, host: HostProcess) -> None:
    for name, arguments in EVENTS.items():
        done = devkit(both.home, name, *arguments, folder=both.dev.folder)
        assert done.code == 0, (name, done.err)
        assert done.spoke_to == f"host: {both.local} ({HERE}; --to {both.kept} is {host.url})\n", name
        quiet = devkit(both.home, name, *arguments, "--json", folder=both.dev.folder)
        assert (quiet.code, quiet.spoke_to, quiet.err) == (0, "", ""), name
        if name == "trigger":
            wait_for(
                lambda: "installation_setup not handled" in devkit(both.home, "logs", folder=both.dev.folder).out,
                PATIENCE,
            )


def test_other_commands_speak_to_the_host_that_login_kept(both: Both, host: HostProcess) -> None:
    folder = both.dev.folder
    done = devkit(both.home, "whoami", folder=folder)
    assert (done.code, done.spoke_to) == (0, f"host: {host.url} ({both.kept}; --to local is {HERE})\n")
    assert host.url in done.out
    assert both.local in devkit(both.home, "whoami", "--to", "local", folder=folder).out
    named = devkit(both.home, "trigger", "site_view", "--to", both.kept, "--integration", "no-such-one", folder=folder)
    assert (named.code, named.spoke_to) == (1, f"host: {host.url} ({both.kept})\n")
    explicit = devkit(both.home, "logs", "no-such-one", "--host", host.url, folder=folder)
    assert (explicit.code, explicit.spoke_to) == (1, f"host: {host.url}\n")
    environ = {"DEVKIT_HOST": both.local, "DEVKIT_TOKEN": (folder / ".devkit" / "token").read_text()}
    assert devkit(both.home, "whoami", folder=both.home, **environ).spoke_to == f"host: {both.local} (DEVKIT_HOST)\n"


def test_past_events_are_read_from_one_host_and_sent_to_another(both: Both, counter: Installed) -> None:
    api = counter.owner.api
    sent = api.post(
        f"{counter.path}/events",
        {"event": {"type": "space_content_updated", "revisionId": "elsewhere", "spaceId": "*"}},
    )
    assert sent.status == 202, sent.text
    (event,) = sent.json["events"]
    wait_for(lambda: event in str(api.get(f"{counter.path}/events").json), PATIENCE)
    here = devkit(both.home, "replay", event, "--integration", counter.name, folder=both.dev.folder)
    assert here.code == 1, "the `devkit dev` here does not know it"
    more = ("--from", both.kept, "--to", both.kept, "--integration", counter.name, "--json")
    done = devkit(both.home, "replay", event, *more, folder=both.dev.folder)
    assert done.code == 0, done.err
    assert done.json["host"] == f"http://{both.kept}"


def test_hosts_are_listed_with_the_default_and_whether_they_answer(both: Both, host: HostProcess) -> None:
    folder = both.dev.folder
    rows = {row["name"]: row for row in devkit(both.home, "hosts", "--json", folder=folder).json["hosts"]}
    assert set(rows) == {"local", both.kept}
    assert rows["local"] == {
        "name": "local", "host": both.local, "default": False, "reachable": True, "reason": None
    }  # fmt: skip
    assert rows[both.kept]["default"] and rows[both.kept]["reachable"]
    elsewhere = devkit(both.home, "hosts", folder=both.home).out
    assert "local" not in elsewhere and "(the default)" in elsewhere and "answers" in elsewhere


def login(shell: Shell, host: str, tenant: Tenant, *more: str) -> None:
    done = shell("login", "--host", host, "--token", tenant.api.token or "", *more)
    assert done.code == 0, done.err


def test_named_hosts_come_and_go(shell: Shell, host: HostProcess, alpha: Tenant, beta: Tenant, tmp_path: Path) -> None:
    name = host.url.removeprefix("http://")
    login(shell, host.url, alpha)
    login(shell, host.url, beta, "--name", "docs")
    login(shell, host.url + "/", beta)  # the one with this address that is the default
    kept = json.loads((tmp_path / ".config" / "devkit" / "credentials.json").read_text())
    assert (list(kept["hosts"]), kept["default"]) == ([name, "docs"], "docs")
    assert shell("whoami", "--json").json["user"]["id"] == beta.user
    assert shell("whoami", "--json", "--to", name).json["user"]["id"] == alpha.user
    assert shell("hosts", "--default", name).code == 0
    assert shell("whoami", "--json").json["user"]["id"] == alpha.user
    unknown = shell("whoami", "--to", "nowhere")
    assert unknown.code == 2 and f"saved hosts: {name}, docs, and `devkit l" in unknown.err
    gone = shell("logout", "nowhere")
    assert gone.err == (f"error: logout nowhere: no host is saved as `nowhere`; saved hosts: {name}, docs\n")
    assert shell("whoami", "--to", "docs", "--host", host.url).code == 2
    assert "cannot be called `local`" in shell("login", "--host", host.url, "--token", "x", "--name", "local").err
    out = shell("logout", name)
    assert out.out == f"Logged out of {host.url}. The default is docs.\n", out.err
    assert shell("whoami", "--json").json["user"]["id"] == beta.user
    assert shell("logout").out == f"Logged out of {host.url}.\n"
    assert "no host is known" in shell("whoami").err
    assert "you are not logged in to any host" in shell("logout").err
    assert shell("hosts").out.startswith("None yet:")


def test_of_several_hosts_that_are_left_none_is_chosen_by_itself(
    shell: Shell, host: HostProcess, alpha: Tenant
) -> None:
    for name in ("one", "two", "three"):
        login(shell, host.url, alpha, "--name", name)
    assert "Choose the default with `devkit hosts --default NAME`: one, two." in shell("logout").out
    asked = shell("whoami")
    assert asked.code == 1 and "choose one with --to" in asked.err and "one, two" in asked.err
    assert shell("whoami", "--to", "two").code == 0


def test_a_host_that_does_not_answer_says_why(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / ".config" / "devkit" / "credentials.json"
    file.parent.mkdir(parents=True)
    hosts = {"gone": f"http://127.0.0.1:{free_port()}", "misspelled": "http://no-such-host.invalid"}
    entries = {name: {"host": address, "token": "dk_x"} for name, address in hosts.items()}
    file.write_text(json.dumps({"default": "gone", "hosts": entries}))
    rows = {row["name"]: row["reason"] for row in shell("hosts", "--json").json["hosts"]}
    assert rows["gone"] == "connection refused; is it running?"
    assert rows["misspelled"] == "the name cannot be resolved; is it spelled correctly?"
    text = shell("hosts").out
    assert "* gone" in text and "does not answer: connection refused" in text


def test_a_file_of_an_earlier_release_keeps_working(
    shell: Shell, host: HostProcess, alpha: Tenant, tmp_path: Path
) -> None:
    file = tmp_path / ".config" / "devkit" / "credentials.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"host": host.url, "token": alpha.api.token}))
    name = host.url.removeprefix("http://")
    done = shell("whoami")
    assert (done.code, done.spoke_to) == (0, f"host: {host.url} ({name})\n")
    login(shell, host.url, alpha, "--name", "docs")
    assert set(json.loads(file.read_text())["hosts"]) == {name, "docs"}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("wrong", [(), ("--stdin",)])
def test_a_token_that_nobody_gives(wrong: tuple[str, ...], shell: Shell, host: HostProcess) -> None:
    done = shell("login", "--host", host.url, *wrong)
    assert done.code == (1 if wrong else 2)
    assert ("no token was given" if wrong else "without a terminal") in done.err


def test_a_token_is_piped_in(host: HostProcess, alpha: Tenant, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "devkit", "login", "--host", host.url, "--stdin"]
    done = subprocess.run(
        command, input=f"{alpha.api.token}\n", env=environment(tmp_path), cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert devkit(tmp_path, "whoami", "--json").json["user"]["id"] == alpha.user


def test_a_token_is_typed_and_not_shown(host: HostProcess, alpha: Tenant, tmp_path: Path) -> None:
    assert alpha.api.token is not None
    leader, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "devkit", "login", "--host", host.url],
        env=environment(tmp_path),
        cwd=tmp_path,
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        start_new_session=True,
        preexec_fn=lambda: os.close(os.open(os.ttyname(0), os.O_RDWR)),  # it becomes the terminal of the session
    )
    os.close(terminal)
    shown = ""
    read: Callable[[], str] = lambda: os.read(leader, 4096).decode()  # noqa: E731
    while "not shown" not in shown:
        shown += read()
    os.write(leader, alpha.api.token.encode() + b"\n")
    while "Logged in to" not in shown:
        shown += read()
    assert process.wait(timeout=PATIENCE) == 0
    os.close(leader)
    assert alpha.api.token not in shown


def test_everybody_who_speaks_to_a_host_takes_its_name() -> None:
    for name in COMMANDS:
        known = {text for one in importlib.import_module(f"devkit.commands.{name}").command.params for text in one.opts}
        if name in ("login", "serve"):  # where it is to be kept, and where it listens
            continue
        assert ("--host" in known) == ("--to" in known), name


def test_publication_goes_to_the_kept_host_while_dev_runs(both: Both, alpha: Tenant) -> None:
    name = "counter-of-both"
    assert alpha.api.post(f"/v1/integrations/{name}", publication(alpha.id, COUNTER)).status == 200
    listed = devkit(both.home, "versions", name, "--json", folder=both.dev.folder)
    assert listed.code == 0 and len(listed.json["versions"]) == 1
    alpha.api.call("DELETE", f"/v1/integrations/{name}")


def test_a_token_set_with_a_host_goes_to_no_other(shell: Shell, host: HostProcess, alpha: Tenant) -> None:
    elsewhere = {"DEVKIT_HOST": "http://127.0.0.1:9", "DEVKIT_TOKEN": alpha.api.token or ""}
    refused = shell("whoami", "--host", host.url, **elsewhere)
    assert refused.code == 1 and f"no token is known for {host.url}" in refused.err
    alone = {"DEVKIT_TOKEN": alpha.api.token or ""}
    assert shell("whoami", "--host", host.url, "--json", **alone).json["host"] == host.url


def test_a_file_that_cannot_be_read_is_left_as_it_is(
    shell: Shell, host: HostProcess, alpha: Tenant, tmp_path: Path
) -> None:
    file = tmp_path / ".config" / "devkit" / "credentials.json"
    file.parent.mkdir(parents=True)
    file.write_text(torn := '{"default": "docs", "hosts": {"docs": {"host": "https://docs.example", "token": "dk_')
    refused = shell("login", "--host", host.url, "--token", str(alpha.api.token))
    assert refused.code == 1 and "repair or remove it" in refused.err
    assert file.read_text() == torn, "the tokens of other hosts may still be found in it"
