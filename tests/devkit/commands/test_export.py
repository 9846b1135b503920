"""`devkit export`: a space as a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from devkit.exporting.downloading import Folder
from devkit.terminal.output import Problem
from tests.conftest import HostProcess, Tenant
from tests.devkit.conftest import Shell
from tests.scenarios.test_content import Space, page
from tests.scenarios.test_files import with_file


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


@pytest.mark.parametrize("path", ["../out.md", "/etc/out.md", "a/../../out.md", "a//b", "", "link/out.md", "C:out.md"])
def test_nothing_is_written_outside(tmp_path: Path, path: str) -> None:
    folder = Folder(tmp_path / "docs", force=False)
    (tmp_path / "docs" / "link").symlink_to(tmp_path)
    with pytest.raises(Problem, match="outside"):
        folder.write({"path": path, "text": "x"})
    assert not (tmp_path / "out.md").exists()


def test_a_link_in_the_folder_is_replaced_not_followed(tmp_path: Path) -> None:
    (tmp_path / "kept.md").write_text("kept")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").symlink_to(tmp_path / "kept.md")
    Folder(tmp_path / "docs", force=True).write({"path": "a.md", "text": "new"})
    assert (tmp_path / "kept.md").read_text() == "kept" and (tmp_path / "docs" / "a.md").read_text() == "new"
    with pytest.raises(Problem, match="is a file"):
        Folder(tmp_path / "kept.md", force=True)
