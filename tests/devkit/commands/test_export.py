"""`devkit export`: a space as a folder."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from devkit.exporting.downloading import MAX_CONFIGURATION, Folder
from devkit.terminal.output import Problem
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
        folder.write({"path": path, "text": "x"})
    assert not (tmp_path / "out.md").exists()


@pytest.mark.parametrize("path", [".git/config", "docs/.GIT/hooks/a.md", "git~1/config", ".git./config"])
def test_nothing_is_written_into_a_repository_itself(tmp_path: Path, path: str) -> None:
    with pytest.raises(Problem, match=r"inside a `\.git` folder"):
        Folder(tmp_path, force=True).write({"path": path, "text": "x"})
    assert not list(tmp_path.iterdir())


def test_a_link_in_the_folder_is_replaced_not_followed(tmp_path: Path) -> None:
    (tmp_path / "kept.md").write_text("kept")
    (tmp_path / "docs").mkdir()
    for name in ("a.md", ".a.md.part"):
        (tmp_path / "docs" / name).symlink_to(tmp_path / "kept.md")
    Folder(tmp_path / "docs", force=True).write({"path": "a.md", "text": "new"})
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
        folder.write({"path": path, "text": "redirects: {}\n"})
    assert (tmp_path / ".gitbook.yaml").read_text() == "root: docs\n"
    assert (tmp_path / "docs" / ".gitbook.yaml").read_text() == "redirects: {}\n"


class Hostile(BaseHTTPRequestHandler):
    """Sends more than was announced, or leads to another server."""

    def do_GET(self) -> None:
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
            Folder(tmp_path, force=True).write({"path": "a.png", "size": 10, "downloadURL": address})
        server.shutdown()
    assert not list(tmp_path.iterdir())
