"""Imports of much: one sees how far they are, and a page that is too large stays out alone."""

from __future__ import annotations

import zipfile

import pytest

from tests.conftest import wait_for
from tests.scenarios.answers import ok
from tests.scenarios.content import Space
from tests.scenarios.elsewhere import packed
from tests.scenarios.importing import (  # noqa: F401  # fixtures
    importing_owner,
    live_space,
    reaching_host,
    sent,
    source_web,
)

PAGES = 1500
TOO_LARGE = b"Words and more words.\n\n" * 740_000
"""More than 16 MB."""
SAYS = "is left out. A page is larger than 16 MB; split it."


@pytest.mark.parametrize("says_how", [False, True])
def test_the_count_moves_while_files_are_read(space: Space, says_how: bool) -> None:
    files: dict[str, str | bytes] = {f"{number}.md": f"# {number}\n\n" + "* one\n" * 50 for number in range(PAGES)}
    if says_how:
        files["SUMMARY.md"] = "".join(f"* [{number}]({number}.md)\n" for number in range(PAGES))
    params = {"source": "zip", "name": "many.zip"}
    answer = space.api.call("POST", f"{space.path}/content/import/upload", data=packed(files), params=params)
    at = f"{space.path}/imports/{ok(answer, 201)['id']}"
    seen: set[tuple[int, int]] = set()

    def over() -> bool:
        now = ok(space.api.get(at))
        if now["status"] == "in-progress":
            seen.add((now["importedResources"], now["totalResources"]))
        return bool(now["status"] not in ("pending", "in-progress"))

    wait_for(over, 120)
    done = ok(space.api.get(at))
    assert (done["status"], done["importedResources"], done["totalResources"]) == ("completed", PAGES, PAGES)
    assert [one for one in seen if 0 < one[0] < PAGES and one[1] == PAGES], seen


def test_what_failed_imported_nothing(space: Space) -> None:
    done = sent(space, packed({"a.txt": "x"}), "zip")
    assert (done["status"], done["importedResources"]) == ("failed", 0)


def test_a_page_that_is_too_large_is_left_out(space: Space) -> None:
    files: dict[str, str | bytes] = {
        "a.md": "# A\n\n[large](large.md) and [inner](guide/inner.md)",
        "large.md": TOO_LARGE,
        "guide/README.md": TOO_LARGE,
        "guide/inner.md": "# Inner",
    }
    done = sent(space, packed(files, zipfile.ZIP_STORED), "zip")
    assert (done["status"], done["importedResources"], done["totalResources"]) == ("completed", 3, 4), done
    assert sorted(done["problems"]) == [f"guide/README.md {SAYS}", f"large.md {SAYS}"]
    assert space.outline() == [["A"], ["Guide", ["Inner"]]]
    assert "[large](large.md)" in space.markdown("a")


def test_an_export_whose_index_is_too_large(space: Space) -> None:
    files: dict[str, str | bytes] = {"index.html": TOO_LARGE, "One_1.html": "<h1>One</h1>", "Two_2.html": TOO_LARGE}
    done = sent(space, packed(files, zipfile.ZIP_STORED), "confluence")
    assert done["status"] == "completed", done
    assert space.outline() == [["One"]]
    assert [problem.partition(" ")[0] for problem in done["problems"]] == ["index.html", "Two_2.html"]


def test_a_wiki_whose_sidebar_is_too_large(space: Space) -> None:
    done = sent(space, packed({"_Sidebar.md": TOO_LARGE, "One.md": "One."}, zipfile.ZIP_STORED), "github-wiki")
    assert done["status"] == "completed", done
    assert space.outline() == [["One"]]
    assert done["problems"] == ["_Sidebar.md could not be read. A page is larger than 16 MB; split it."]
