"""`devkit reindex` makes the index behind search anew."""

from __future__ import annotations

from pathlib import Path

from tests import databases
from tests.conftest import Api, HostProcess, init
from tests.devkit.conftest import Shell
from tests.devkit.dev_process import Ran


def test_the_index_is_made_anew(shell: Shell, tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    assert shell("init", "--data", data, "--organization", "Company").code == 0
    done = shell("reindex", "--data", data, "--json")
    assert done.code == 0 and '"pages": 0' in done.out, done.err
    nobody = shell("reindex", "--data", data, "--space", "nobody")
    assert nobody.code != 0 and "there is no space `nobody` in this database; there are none" in nobody.err
    empty = tmp_path / "empty"
    empty.mkdir()
    missing = shell("reindex", "--data", str(empty))
    assert missing.code != 0 and "no database" in missing.err


def test_a_space_is_named_by_id_title_or_address(shell: Shell, tmp_path: Path) -> None:
    data = init(tmp_path / "data", "Company", "me@example.com")
    host = HostProcess(tmp_path / "data").start()
    try:
        api = Api(host.url, data["token"])
        titles = ("Handbook", "Twice", "twice")
        made = [api.post(f"/v1/orgs/{data['organization']}/spaces", {"title": one}).json for one in titles]
    finally:
        host.stop()

    def reindex(*named: str) -> Ran:
        options = [part for one in named for part in ("--space", one)]
        return shell("reindex", "--data", str(tmp_path / "data"), *databases.options_for(tmp_path / "data"), *options)

    ids = [one["id"] for one in made]
    for name in (ids[0], " handbook", made[0]["urls"]["app"], f"{host.url}/v1/spaces/{ids[0]}/content?x=1"):
        done = reindex(name)
        assert (done.code, "of 1 space" in done.out) == (0, True), done.err
    assert "of 2 spaces" in reindex("Handbook", ids[1]).out
    done = reindex("TWICE")
    assert done.code == 1 and f"2 spaces are called `TWICE`; name one by its id: {ids[1]}, {ids[2]}" in done.err
    assert "there is no space `Handbok` in this database; did you mean `Handbook`?" in reindex("Handbok").err
    assert "there are Handbook, Twice, twice" in reindex("x" * 20).err
