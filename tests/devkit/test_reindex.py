"""`devkit reindex` makes the index behind search anew."""

from __future__ import annotations

from pathlib import Path

from tests.devkit.conftest import Shell


def test_the_index_is_made_anew(shell: Shell, tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    assert shell("init", "--data", data, "--organization", "Company").code == 0
    done = shell("reindex", "--data", data, "--json")
    assert done.code == 0 and '"pages": 0' in done.out, done.err
    nobody = shell("reindex", "--data", data, "--space", "nobody")
    assert nobody.code != 0 and "there is no space nobody" in nobody.err
    empty = tmp_path / "empty"
    empty.mkdir()
    missing = shell("reindex", "--data", str(empty))
    assert missing.code != 0 and "no database" in missing.err
