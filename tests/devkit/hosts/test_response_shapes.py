"""Whatever is wrong with a host's answer, each command that reads it ends with a sentence, and says what and where."""

from __future__ import annotations

import copy
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click
import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from devkit.cli import group
from devkit.hosts.client import HostUnreachable
from devkit.terminal.output import Problem
from tests.devkit.hosts.answers import GOOD, ORG

COMMANDS = (
    "whoami",
    "login --host HOST --token dk_x --json",
    "tokens",
    "tokens --create Build",
    "tokens --revoke tttttttttttttttttttt",
    "spaces",
    "spaces --create Handbook",
    "sites --json",
    "sites --create Docs --space s --publish",
    "sites --site ssssssssssssssssssss --unpublish",
    "sites --site ssssssssssssssssssss --space s --publish",
    "sites --site ssssssssssssssssssss --space s",
    "sites --site ssssssssssssssssssss --delete --yes",
    "spaces --delete kkkkkkkkkkkkkkkkkkkk --yes",
    "installations",
    "install mine --space 5Xk2",
    "install mine --all-spaces --json",
    "uninstall mine --all-spaces",
    "uninstall mine --yes",
    "unpublish mine --yes",
    "versions mine",
    "rollback mine 1 --yes",
    "rollback mine --last --yes --json",
    "export --space s OUT --force",
    "import https://docs.example.com/a.md --space s",
    "import https://docs.example.com/a.md --space s --page guides/setup",
    "import https://docs.example.com/a.md --space kkkkkkkkkkkkkkkkkkkk --merge",
    "import https://docs.example.com/a.md --space kkkkkkkkkkkkkkkkkkkk",
    "import https://docs.example.com/a.md --space kkkkkkkkkkkkkkkkkkkk --change-request new",
    "events mine",
    "events mine eeeeeeeeeeeeeeeeeeee",
    "logs mine --level info",
    "trigger space_content_updated --integration mine",
    "trigger ui_render --integration mine",
    "trigger fetch --integration mine",
    "replay eeeeeeeeeeeeeeeeeeee --integration mine",
    "replay --last --type fetch --integration mine",
    "record OUT/events.yaml --integration mine --since 1h --type fetch --force",
    "publish PROJECT --yes --sandbox off",
    "publish PROJECT --dry-run --sandbox off",
    "doctor PROJECT --json",
)
WRONG = [
    None, [], {}, "", "x", "\ud800", "a\nb", 0, -1, 2.5, True, float("inf"), float("nan"), 10**400, [[]], [None],
    {"a": 1}, "../x",
]  # fmt: skip
GONE = object()


@dataclass
class Fake:
    """A server that answers as a host does, but for one thing that is wrong in one answer."""

    answers: dict[str, Any] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)
    url: str = ""


class Handler(BaseHTTPRequestHandler):
    fake: Fake

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        asked = f"{self.command} {urlsplit(self.path).path}"
        self.fake.asked.add(asked)
        known = asked in self.fake.answers
        answer = self.fake.answers.get(asked, {"error": {"code": 404, "message": "There is no such thing."}})
        text = json.dumps(answer).replace("HERE", urlsplit(self.fake.url).netloc)
        if asked.endswith("/stream"):
            text = f"event: event\nid: 1\ndata: {text}\n\n"
        self.send_response(200 if known else 404)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    do_POST = do_PATCH = do_DELETE = do_PUT = do_GET

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def fake() -> Iterator[Fake]:
    made = Fake()
    handler = type("Bound", (Handler,), {"fake": made})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    made.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield made
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    (folder / "integration.yaml").write_text(
        "name: mine\ntitle: Mine\ndescription: A test.\nruntime: python\nscript: ./integration.py\nscopes: []\n"
    )
    (folder / "integration.py").write_text("from runtime.sdk import Integration\n\nintegration = Integration()\n")
    return folder


def run(line: str, fake: Fake, project: Path, home: Path) -> BaseException | None:
    """Run a command in this process; gives what it ended with."""
    return ran(line, fake, project, home).exception


def ran(line: str, fake: Fake, project: Path, home: Path) -> Result:
    """Run a command in this process; gives what it wrote, and what it ended with."""
    places = {"HOST": fake.url, "OUT": str(home / "out"), "PROJECT": str(project)}
    words = []
    for word in line.split():
        for place, value in places.items():
            word = word.replace(place, value)
        words.append(word)
    (home / "out").mkdir(exist_ok=True)
    environ = {"DEVKIT_HOST": fake.url, "DEVKIT_TOKEN": "dk_x", "HOME": str(home), "XDG_CONFIG_HOME": str(home)}
    return CliRunner(env=environ).invoke(group, words, standalone_mode=False)


def places_in(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """List the places of a JSON value, from the whole to its leaves."""
    yield at
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in items:
        yield from places_in(inner, (*at, step))


def changed(value: Any, at: tuple[Any, ...], wrong: Any) -> Any:
    """Copy a value with something else at a place, or nothing."""
    if not at:
        return {} if wrong is GONE else wrong
    copied = copy.deepcopy(value)
    inner = copied
    for step in at[:-1]:
        inner = inner[step]
    if wrong is GONE:
        del inner[at[-1]]
    else:
        inner[at[-1]] = wrong
    return copied


@contextmanager
def answering(fake: Fake) -> Iterator[None]:
    fake.answers = copy.deepcopy(GOOD)
    fake.asked = set()
    yield


def is_sentence(ended: BaseException | None) -> bool:
    good = (Problem, click.ClickException, click.exceptions.Exit, SystemExit)
    return ended is None or isinstance(ended, good)


@pytest.mark.parametrize("line", COMMANDS)
def test_each_command_reads_what_is_right(line: str, fake: Fake, project: Path, tmp_path: Path) -> None:
    with answering(fake):
        ended = run(line, fake, project, tmp_path)
    assert fake.asked and not isinstance(ended, HostUnreachable) and is_sentence(ended), repr(ended)


@pytest.mark.parametrize("line", COMMANDS)
def test_whatever_is_wrong_a_command_says_so_in_a_sentence(
    line: str, fake: Fake, project: Path, tmp_path: Path
) -> None:
    with answering(fake):
        run(line, fake, project, tmp_path)
    read = sorted(fake.asked & GOOD.keys())
    spots = [(asked, at) for asked in read for at in places_in(GOOD[asked])]

    @settings(
        max_examples=30, deadline=None, database=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
    )
    @given(spot=st.sampled_from(spots), wrong=st.sampled_from([*WRONG, GONE]))
    def check(spot: tuple[str, tuple[Any, ...]], wrong: Any) -> None:
        asked, at = spot
        with answering(fake):
            fake.answers[asked] = changed(GOOD[asked], at, wrong)
            ended = run(line, fake, project, tmp_path)
        assert is_sentence(ended), (line, asked, at, wrong, repr(ended))
        if isinstance(ended, HostUnreachable) and "sent something that cannot be read: in" in ended.sentence and at:
            assert fake.url in ended.sentence
            named = [str(step) for step in at if isinstance(step, str)]
            assert not named or any(f"{one}" in ended.sentence for one in named), (at, ended.sentence)

    check()


FORGED = "error: your token was leaked, run this"
FORGERY = f"x\n{FORGED}\r\n{FORGED}\r{FORGED}\x85{FORGED}\u2028{FORGED}"


@pytest.mark.parametrize("line", COMMANDS)
def test_no_text_of_a_host_becomes_a_line_of_its_own(line: str, fake: Fake, project: Path, tmp_path: Path) -> None:
    with answering(fake):
        run(line, fake, project, tmp_path)
    for asked in sorted(fake.asked & GOOD.keys()):
        for at in places_in(GOOD[asked]):
            value = GOOD[asked]
            for step in at:
                value = value[step]
            if not isinstance(value, str):
                continue
            with answering(fake):
                fake.answers[asked] = changed(GOOD[asked], at, FORGERY)
                result = ran(line, fake, project, tmp_path)
            said = f"{result.output}\n{result.exception or ''}"
            lines = said.replace("\r", "\n").replace("\x85", "\n").replace("\u2028", "\n").split("\n")
            assert not [one for one in lines if one.startswith(FORGED)], (asked, at, result.output)


@pytest.mark.parametrize("lease", [0, -1, "60", None, [60], 10**400])
def test_a_tunnel_whose_lease_cannot_be_kept_is_not_opened(
    lease: Any, fake: Fake, project: Path, tmp_path: Path
) -> None:
    with answering(fake):
        fake.answers[f"POST /v1/orgs/{ORG}/tunnels"] = {"id": "t" * 20, "url": fake.url, "leaseSeconds": lease}
        with pytest.raises(Problem, match="leaseSeconds") as raised:
            raise run("tunnel 3000", fake, project, tmp_path) or AssertionError("it was opened")
    assert fake.url in raised.value.sentence
