"""Lists that have no end: each command that reads one ends with a sentence, before it fills the memory."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner

from devkit.cli import group
from devkit.exporting import downloading
from devkit.exporting.downloading import Folder
from devkit.hosts import budgets, client
from devkit.hosts.client import Client, TooMuch
from devkit.hosts.credentials import Credentials
from devkit.hosts.distances import Distance
from devkit.terminal.output import Problem
from tests.devkit.hosts.answers import AT, EVENT, GOOD, NAME, ORGANIZATION, PLACE, VERSION

SPACE = "s" * 20
FOLDER = f"GET /v1/spaces/{SPACE}/revisions/{'r' * 20}/folder"
COMMANDS = {
    "spaces": ["GET /v1/orgs"],
    "sites": [f"GET /v1/orgs/{ORGANIZATION['id']}/sites"],
    "sites --site Docs --publish": [f"GET /v1/orgs/{ORGANIZATION['id']}/sites"],
    "sites --site Docs --space s": [f"GET /v1/orgs/{ORGANIZATION['id']}/sites"],
    "tokens": ["GET /v1/user/tokens"],
    "installations": [f"GET /v1/orgs/{ORGANIZATION['id']}/installations"],
    "install other": [f"GET /v1/orgs/{ORGANIZATION['id']}/installations"],
    "uninstall mine --all-spaces": [f"GET {AT}/installations/{'i' * 20}/spaces"],
    "unpublish mine": [f"GET {AT}/versions"],
    "unpublish other --yes": ["GET /v1/integrations"],
    "versions mine --limit 1000": [f"GET {AT}/versions"],
    "rollback mine 7": [f"GET {AT}/versions"],
    "events mine --limit 1000": [f"GET {AT}/events"],
    "replay --since 2h --integration mine": [f"GET {AT}/events"],
    "record OUT --since 2h --integration mine": [f"GET {AT}/events"],
    "import https://docs.example.com/a.md --space Handbook": [f"GET /v1/orgs/{ORGANIZATION['id']}/spaces"],
    f"export --space {SPACE} OUT": [FOLDER],
}


class Endless(BaseHTTPRequestHandler):
    """Answers as a host does, but for some lists, each page of which has a next one."""

    endless: tuple[str, ...] = ()
    empty = False
    answers: dict[str, Any]
    counted = itertools.count()

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        asked = f"{self.command} {urlsplit(self.path).path}"
        answer = self.answers.get(asked, {})
        if asked.startswith(self.endless):
            number = next(self.counted)
            items = [one | {"path": f"{number}.md", "size": 2, "text": "hi"} for one in answer.get("items", [])]
            answer = {"count": 1, "items": [] if self.empty else items, "next": {"page": str(number)}}
        content = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_POST = do_DELETE = do_PATCH = do_GET

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def endless() -> Iterator[tuple[str, type[Endless]]]:
    handler: type[Endless] = type("Bound", (Endless,), {"answers": dict(GOOD)})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    handler.answers[f"GET /v1/spaces/{SPACE}"] = {"id": SPACE, "revision": "r" * 20}
    handler.answers[FOLDER] = {"items": [{}]}
    yield f"http://127.0.0.1:{server.server_port}", handler
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("empty", [False, True])
@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_ends_where_a_list_does_not(
    line: str, empty: bool, endless: tuple[str, type[Endless]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budgets, "MOST_ITEMS", 30)
    monkeypatch.setattr(downloading, "MOST_FILES", 30)
    url, handler = endless
    handler.endless, handler.empty = tuple(COMMANDS[line]), empty
    words = line.replace("OUT", str(tmp_path / "out")).split()
    environ = {"DEVKIT_HOST": url, "DEVKIT_TOKEN": "dk_x", "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    ended = CliRunner(env=environ).invoke(group, words, standalone_mode=False).exception
    assert isinstance(ended, TooMuch), repr(ended)
    assert "is too long: " in ended.sentence and url in ended.sentence and "more than 30 items" in ended.sentence


def test_the_lists_of_all_organizations_count_together(
    endless: tuple[str, type[Endless]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budgets, "MOST_ITEMS", 100)
    url, handler = endless
    several = [ORGANIZATION | {"id": f"{number:020}"} for number in range(20)]
    handler.answers["GET /v1/orgs"] = {"items": several}
    for one in several:
        handler.answers[f"GET /v1/orgs/{one['id']}/spaces"] = {"items": [PLACE] * 10}
    environ = {"DEVKIT_HOST": url, "DEVKIT_TOKEN": "dk_x", "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    for words in (["spaces"], ["export", "--space", "Handbook", str(tmp_path / "out")]):
        ended = CliRunner(env=environ).invoke(group, words, standalone_mode=False).exception
        assert isinstance(ended, TooMuch) and "more than 100 items" in ended.sentence


@pytest.mark.parametrize(
    ("limit", "most", "words"), [("MOST_BYTES", 3 << 20, "more than 3 MB"), ("LONGEST", 0.0, "for more than")]
)
def test_bytes_and_seconds_of_a_list_are_bounded(
    limit: str, most: float, words: str, endless: tuple[str, type[Endless]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budgets, limit, most)
    url, handler = endless
    handler.endless = (f"GET {AT}/versions",)
    handler.answers[f"GET {AT}/versions"] = {"items": [VERSION | {"title": "x" * 500_000}]}
    with pytest.raises(TooMuch, match=words):
        list(Client(Credentials(url, "dk_x")).every(f"{AT}/versions"))


@pytest.mark.parametrize("value", [{}, [], 0, "ab"])
def test_an_answer_of_very_many_values_is_not_parsed(
    value: Any, endless: tuple[str, type[Endless]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "MOST_VALUES", 1000)
    url, handler = endless
    handler.answers["GET /v1"] = {"version": "1", "more": [value] * 2000}
    with pytest.raises(TooMuch, match="has more than 1,000 values"):
        Client(Credentials(url, "dk_x")).call("GET", "/v1")
    handler.answers["GET /v1"] = {"version": "1", "more": [value] * 200}
    assert len(Client(Credentials(url, "dk_x")).call("GET", "/v1")["more"]) == 200


def test_whole_events_that_are_sent_again_count_together(
    endless: tuple[str, type[Endless]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budgets, "MOST_BYTES", 1 << 20)
    url, handler = endless
    handler.answers[f"GET {AT}/events"] = {"items": [EVENT] * 10}
    whole = GOOD[f"GET {AT}/events/{EVENT['id']}"] | {"body": "x" * 200_000}
    handler.answers[f"GET {AT}/events/{EVENT['id']}"] = whole
    environ = {"DEVKIT_HOST": url, "DEVKIT_TOKEN": "dk_x", "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    for words in ("replay --since 2h", f"record {tmp_path}/out.yaml --since 2h"):
        line = [*words.split(), "--type", "fetch", "--integration", NAME]
        if words.startswith("record"):  # which takes an event once
            several = [EVENT | {"id": f"{number:020}"} for number in range(10)]
            handler.answers[f"GET {AT}/events"] = {"items": several}
            handler.answers |= {f"GET {AT}/events/{one['id']}": whole for one in several}
        ended = CliRunner(env=environ).invoke(group, line, standalone_mode=False).exception
        assert isinstance(ended, TooMuch) and "more than 1 MB" in ended.sentence, repr(ended)


def test_the_bytes_of_an_export_are_bounded_and_its_paths_differ(
    endless: tuple[str, type[Endless]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(downloading, "MOST_BYTES", 1 << 20)
    url, handler = endless
    handler.answers["GET /file"] = {"x": "x" * 700_000}
    folder = Folder(tmp_path / "out", force=False)
    file = {"path": "a.bin", "size": 1 << 20, "downloadURL": f"{url}/file"}
    assert folder.write(file, Distance.THIS_MACHINE)
    with pytest.raises(Problem, match=r"two files named a\.bin"):
        folder.write(file, Distance.THIS_MACHINE)
    with pytest.raises(TooMuch, match=r"the export ends at b\.bin: the host sent more than 1 MB"):
        folder.write(file | {"path": "b.bin"}, Distance.THIS_MACHINE)
    assert [one.name for one in (tmp_path / "out").iterdir()] == ["a.bin"]
