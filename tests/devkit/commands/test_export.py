"""`devkit export`: a space as a folder."""

from __future__ import annotations

import json
import socket
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
from click.testing import CliRunner

from devkit.commands.export import command
from devkit.developing.remote import rules_for
from devkit.diagnostics import host as diagnostics
from devkit.events import endpoint_requests
from devkit.events.endpoint_requests import RequestDescription
from devkit.exporting.downloading import MAX_CONFIGURATION, Folder
from devkit.hosts import distances
from devkit.hosts.client import Client
from devkit.hosts.credentials import Credentials
from devkit.hosts.distances import Distance, distance_of
from devkit.terminal.output import Problem
from runtime.engines.egress import EgressRefused
from tests.conftest import HostProcess, Tenant
from tests.devkit.conftest import Shell
from tests.scenarios.content import Space, page
from tests.scenarios.files import with_file


def test_a_space_becomes_a_folder(logged_in: Shell, host: HostProcess, alpha: Tenant, tmp_path: Path) -> None:
    space = Space(alpha)
    file = with_file(space, "a picture.png", b"x" * 300_000)
    pages: list[dict[str, Any]] = [page(f"Page {number}", "Text", id=f"p{number}") for number in range(150)]
    pages += [page("Inner", f"![](/files/{file['id']}) and [first](/pages/p0)", position={"parent": "p1"})]
    space.merge(*pages, {"type": "set_variables", "variables": {"a": 1}})
    folder = tmp_path / "deep" / "docs"
    done = logged_in("export", "--space", space.id, str(folder), "--json").json
    assert done["files"] == 151 + 3 and done["space"] == space.id
    assert (folder / "README.md").read_text() == "---\nslug: page-0\n---\n\n# Page 0\n\nText\n"
    inner = (folder / "page-1" / "inner.md").read_text()
    assert inner == "# Inner\n\n![](../.gitbook/assets/a%20picture.png) and [first](../README.md)\n"
    assert (folder / ".gitbook" / "assets" / "a picture.png").read_bytes() == b"x" * 300_000
    assert (folder / ".gitbook" / "vars.yaml").read_text() == "a: 1\n"
    assert "* [Page 1](page-1/README.md)\n  * [Inner](page-1/inner.md)\n" in (folder / "SUMMARY.md").read_text()
    refused = logged_in("export", "--space", space.id, str(folder))
    assert refused.code == 1 and "--force" in refused.err
    (tmp_path / "new" / ".git").mkdir(parents=True)
    (tmp_path / "new" / ".gitbook.yaml").write_text("root: ./docs/\n")
    assert logged_in("export", "--space", space.id, str(tmp_path / "new")).code == 0, "a repository without files"
    assert (tmp_path / "new" / "docs" / "README.md").exists()
    (folder / "mine.txt").write_text("mine")
    again = logged_in("export", "--space", space.id, str(folder), "--force")
    assert again.code == 0 and "154 files" in again.out and (folder / "mine.txt").read_text() == "mine"


def test_a_folder_says_where_its_content_is(logged_in: Shell, alpha: Tenant, tmp_path: Path) -> None:
    space = Space(alpha)
    space.merge(page("First", "One", id="p1"), page("Second", "[first](/pages/p1)"))
    folder = tmp_path / "project"
    folder.mkdir()
    configuration = folder / ".gitbook.yaml"
    configuration.write_text("root: ./docs/\nstructure:\n  summary: ./contents.md\n")
    assert logged_in("export", "--space", space.id, str(folder), "--force").code == 0
    written = sorted(one.relative_to(folder).as_posix() for one in folder.rglob("*") if one.is_file())
    assert written == [".gitbook.yaml", "docs/README.md", "docs/contents.md", "docs/second.md"]
    assert (folder / "docs" / "README.md").read_text() == "---\nslug: first\n---\n\n# First\n\nOne\n"
    assert "[first](README.md)" in (folder / "docs" / "second.md").read_text()
    assert "* [Second](second.md)" in (folder / "docs" / "contents.md").read_text()
    configuration.write_text("root: ../out")
    refused = logged_in("export", "--space", space.id, str(folder), "--force")
    assert refused.code == 1 and "root: must be a path inside the folder" in refused.err
    configuration.write_text("root: [")
    refused = logged_in("export", "--space", space.id, str(folder), "--force")
    assert refused.code == 1 and ".gitbook.yaml cannot be read" in refused.err


@pytest.mark.parametrize("path", ["../out.md", "/etc/out.md", "a/../../out.md", "a//b", "", "link/out.md", "C:out.md"])
def test_nothing_is_written_outside(tmp_path: Path, path: str) -> None:
    folder = Folder(tmp_path / "docs", force=False)
    (tmp_path / "docs" / "link").symlink_to(tmp_path)
    with pytest.raises(Problem, match="outside"):
        folder.write({"path": path, "text": "x"}, Distance.THIS_MACHINE)
    assert not (tmp_path / "out.md").exists()


@pytest.mark.parametrize(
    "path",
    [
        ".git/config", "docs/.GIT/hooks/a.md", "git~1/config", ".git./config", ".g\u200cit/config", "docs/.gitmodules",
        ".git::$INDEX_ALLOCATION/config", ".gitbook/.git/config", "HEAD", "docs/head", "a/HEAD.", "a/HEAD::$DATA",
        ".GitBook.YAML", ".GITBOOK/vars.yaml", ".envrc", ".vscode/tasks.json", ".github/workflows/a.yml",
        "docs/.hg/hgrc",
    ],
)  # fmt: skip
def test_nothing_is_written_that_other_programs_run(
    tmp_path: Path, path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not Folder(tmp_path, force=True).write({"path": path, "text": "x"}, Distance.THIS_MACHINE)
    assert "was left out: Git, an editor or a shell may take it for settings" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("path", ["a" * 300 + ".md", "a" * 300 + "/b.md", "/".join(["ab"] * 3000)])
def test_a_path_that_is_too_long_is_told_in_a_sentence(tmp_path: Path, path: str) -> None:
    with pytest.raises(Problem, match=r"cannot be (written|made): File name too long"):
        Folder(tmp_path, force=True).write({"path": path, "text": "x"}, Distance.THIS_MACHINE)


def test_a_link_to_a_hidden_folder_is_not_written_through(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for hidden in (".vscode", ".git"):
        (tmp_path / hidden).mkdir()
    (tmp_path / "editor").symlink_to(".vscode")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "hooks").symlink_to(tmp_path / ".git")
    folder = Folder(tmp_path, force=True)
    for path in ("editor/tasks.json", "docs/hooks/config"):
        assert not folder.write({"path": path, "text": "x"}, Distance.THIS_MACHINE)
        assert f"{path} was left out: the folder has something there that leads to" in capsys.readouterr().err
    assert not [one for hidden in (".vscode", ".git") for one in (tmp_path / hidden).iterdir()]


def test_a_folder_that_a_host_made_is_no_repository(tmp_path: Path) -> None:
    folder = Folder(tmp_path, force=True)
    config = "[core]\nrepositoryformatversion = 0\nbare = false\nworktree = .\nfsmonitor = touch ran\n"
    for path, text in (("config", config), ("objects/README.md", ""), ("refs/README.md", "")):
        folder.write({"path": path, "text": text}, Distance.THIS_MACHINE)
    folder.write({"path": "HEAD", "text": "ref: refs/heads/main\n"}, Distance.THIS_MACHINE)
    subprocess.run(["git", "status"], cwd=tmp_path, capture_output=True, check=False)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("path", [".gitbook/assets/.env.example", ".gitbook/vars.yaml", "head/a.md", "HEAD.md"])
def test_what_exports_have_is_written(tmp_path: Path, path: str) -> None:
    Folder(tmp_path, force=True).write({"path": path, "text": "x"}, Distance.THIS_MACHINE)
    assert (tmp_path / path).read_text() == "x"


def test_a_link_in_the_folder_is_replaced_not_followed(tmp_path: Path) -> None:
    (tmp_path / "kept.md").write_text("kept")
    (tmp_path / "docs").mkdir()
    for name in ("a.md", ".a.md.part"):
        (tmp_path / "docs" / name).symlink_to(tmp_path / "kept.md")
    Folder(tmp_path / "docs", force=True).write({"path": "a.md", "text": "new"}, Distance.THIS_MACHINE)
    assert (tmp_path / "kept.md").read_text() == "kept" and (tmp_path / "docs" / "a.md").read_text() == "new"
    with pytest.raises(Problem, match="is a file"):
        Folder(tmp_path / "kept.md", force=True)


def test_a_long_configuration_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".gitbook.yaml").write_text("root: docs\n" + "#" * MAX_CONFIGURATION)
    with pytest.raises(Problem, match="has more than 100,000 bytes; shorten it"):
        Folder(tmp_path, force=True).configuration()


def test_a_configuration_that_somebody_wrote_stays(tmp_path: Path) -> None:
    (tmp_path / ".gitbook.yaml").write_text("root: docs\n")
    folder = Folder(tmp_path, force=True)
    for path in (".gitbook.yaml", "docs/.gitbook.yaml"):
        folder.write({"path": path, "text": "redirects: {}\n"}, Distance.THIS_MACHINE)
    assert (tmp_path / ".gitbook.yaml").read_text() == "root: docs\n"
    assert (tmp_path / "docs" / ".gitbook.yaml").read_text() == "redirects: {}\n"


class Hostile(BaseHTTPRequestHandler):
    """Sends more than was announced, or leads to another server."""

    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_response(302 if self.path == "/redirects" else 200)
        self.send_header("Location", "/inner")
        self.end_headers()
        self.wfile.write(b"x" * 1000)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.mark.parametrize(
    ("path", "said"), [("/redirects", "which is not followed"), ("/inner", "more than the 10 bytes it announced")]
)
def test_a_host_cannot_send_something_else(tmp_path: Path, path: str, said: str) -> None:
    with HTTPServer(("127.0.0.1", 0), Hostile) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}{path}"
        with pytest.raises(Problem, match=said):
            file = {"path": "a.png", "size": 10, "downloadURL": address}
            Folder(tmp_path, force=True).write(file, Distance.THIS_MACHINE)
        server.shutdown()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("distance", [Distance.PRIVATE_NETWORK, Distance.INTERNET])
@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "router.localhost"])
def test_a_host_elsewhere_cannot_name_an_address_of_this_machine(tmp_path: Path, name: str, distance: Distance) -> None:
    with HTTPServer(("127.0.0.1", 0), Hostile) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        Hostile.asked.clear()
        file = {"path": "a.png", "size": 2000, "downloadURL": f"http://{name}:{server.server_port}/settings"}
        with pytest.raises(Problem, match="nearer to this machine than the host"):
            Folder(tmp_path, force=True).write(file, distance)
        assert "/settings" not in Hostile.asked and not list(tmp_path.iterdir())
        Folder(tmp_path, force=True).write(file, Distance.THIS_MACHINE)
        server.shutdown()
    assert (tmp_path / "a.png").stat().st_size == 1000


@pytest.mark.parametrize(
    ("address", "distance"),
    [
        ("127.0.0.1", Distance.THIS_MACHINE), ("::1", Distance.THIS_MACHINE), ("0.0.0.0", Distance.THIS_MACHINE),
        ("::ffff:127.0.0.1", Distance.THIS_MACHINE), ("169.254.169.254", Distance.THIS_MACHINE),
        ("fe80::1%eth0", Distance.THIS_MACHINE), ("168.63.129.16", Distance.THIS_MACHINE),
        ("10.1.2.3", Distance.PRIVATE_NETWORK),
        ("::ffff:192.168.1.1", Distance.PRIVATE_NETWORK), ("fd00::1", Distance.PRIVATE_NETWORK),
        ("100.64.0.1", Distance.PRIVATE_NETWORK), ("8.8.8.8", Distance.INTERNET),
        ("2606:4700:4700::1111", Distance.INTERNET),
    ],
)  # fmt: skip
def test_distances(address: str, distance: Distance) -> None:
    own = "198.51.100.7"

    class Connection:
        def getpeername(self) -> tuple[str, int]:
            return (address, 443)

        def getsockname(self) -> tuple[str, int]:
            return (own, 50_000)

    assert distance_of(Connection()) is distance  # type: ignore[arg-type]
    own = address
    assert distance_of(Connection()) is Distance.THIS_MACHINE  # type: ignore[arg-type]


def test_nothing_is_sent_to_an_address_that_is_too_near(tmp_path: Path) -> None:
    got: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def take() -> None:
            connection, _ = listener.accept()
            with connection:
                got.append(connection.recv(1000))

        taking = threading.Thread(target=take)
        taking.start()
        # A handshake of TLS would begin with a name that the host chose.
        file = {"path": "a.png", "size": 9, "downloadURL": f"https://127.0.0.1:{listener.getsockname()[1]}/"}
        with pytest.raises(Problem, match="nearer to this machine than the host"):
            Folder(tmp_path, force=True).write(file, None)
        taking.join(30)
    assert got == [b""]


def test_no_other_command_connects_to_an_address_that_is_too_near() -> None:
    with HTTPServer(("127.0.0.1", 0), Hostile) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        Hostile.asked.clear()
        url = f"http://127.0.0.1:{server.server_port}"
        described = RequestDescription("GET", "/endpoint", (), b"", "github", "a secret")
        for distance in (Distance.PRIVATE_NETWORK, Distance.INTERNET, None):
            with pytest.raises(Problem, match="nearer to this machine than the host"):
                endpoint_requests.request(url, described, distance)
            assert not diagnostics.answers(f"{url}/tunnel", distance)
        assert not Hostile.asked
        assert endpoint_requests.request(url, described, Distance.THIS_MACHINE)["status"] == 200
        assert diagnostics.answers(f"{url}/tunnel", Distance.THIS_MACHINE)
        server.shutdown()


@pytest.mark.parametrize("location", ["http://127.0.0.1:6379", "http://localhost", "http://[::1]:80", "http://[::1"])
def test_scripts_reach_no_address_that_is_nearer_than_the_host_that_named_it(location: str) -> None:
    client = Client(Credentials("https://host.example", "dk_x"))
    name, port = ("127.0.0.1", 6379) if "127" in location else ("localhost", 80) if "local" in location else ("::1", 80)
    for distance in (Distance.PRIVATE_NETWORK, Distance.INTERNET, None):
        client.distance = distance
        with pytest.raises(EgressRefused):
            rules_for(client, location, ()).resolve(name, port)
        given = f"[{name}]:{port}" if ":" in name else f"{name}:{port}"
        assert rules_for(client, location, (given,)).resolve(name, port), "the author named it"
    client.distance = Distance.THIS_MACHINE
    assert location == "http://[::1" or rules_for(client, location, ()).resolve(name, port)
    itself = Client(Credentials("http://127.0.0.1:6379", "dk_x"))
    itself.distance = Distance.THIS_MACHINE
    assert rules_for(itself, location, ()).resolve("127.0.0.1", 6379), "the host itself"
    itself.distance = Distance.INTERNET  # where its name led before
    with pytest.raises(EgressRefused):
        rules_for(itself, location, ()).resolve("127.0.0.1", 6379)


class Api(BaseHTTPRequestHandler):
    """Answers as a host whose space has one file, at an address of another server."""

    near = ""

    def do_GET(self) -> None:
        file = {"path": "a.png", "size": 2000, "downloadURL": self.near}
        listed = {"items": [file], "count": 1}
        answer = json.dumps(listed if "/revisions/" in self.path else {"revision": "r" * 20}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_a_host_on_the_internet_names_nothing_on_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with HTTPServer(("127.0.0.1", 0), Api) as api, HTTPServer(("127.0.0.1", 0), Hostile) as near:
        for server in (api, near):
            threading.Thread(target=server.serve_forever, daemon=True).start()
        Api.near = f"http://127.0.0.1:{near.server_port}/settings"
        there = api.server_port

        def far(connection: socket.socket) -> Distance:
            """Stand in for a server on the internet, which tests cannot have."""
            return Distance.INTERNET if connection.getpeername()[1] == there else Distance.THIS_MACHINE

        Hostile.asked.clear()
        options = ["--host", f"http://127.0.0.1:{there}", "--token", "dk_x", "--space", "s" * 20, str(tmp_path)]
        with monkeypatch.context() as patched:
            patched.setattr(distances, "distance_of", far)
            refused = CliRunner().invoke(command, options)
        assert "nearer to this machine than the host" in str(refused.exception) and Hostile.asked == []
        assert CliRunner().invoke(command, options).exit_code == 0 and Hostile.asked == ["/settings"]
        for server in (api, near):
            server.shutdown()
