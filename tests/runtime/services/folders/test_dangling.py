"""Links that lead to no file are told of, those of websites are not."""

from __future__ import annotations

from pathlib import Path

from runtime.services.folders.dangling import MAX_FILES, MAX_NAMED, Dangling
from runtime.services.folders.reading import read_folder


def test_links_and_pictures_that_lead_to_no_file(tmp_path: Path) -> None:
    (tmp_path / "SUMMARY.md").write_text("# Pages\n\n* [A](README.md)\n")
    (tmp_path / "README.md").write_text(
        "# A\n\n[gone](./missing.md#part) [same](README.md) [price](/pricing) [b](https://b.example/x.md)\n\n"
        "![](images/no.png)\n\n[gone](./missing.md#part)\n"
    )
    assert read_folder(tmp_path).problems == [
        "README.md: no file was found for `./missing.md#part`, `images/no.png`; the addresses were kept as they are."
    ]


def test_what_is_told_is_bounded() -> None:
    dangling = Dangling()
    for number in range(MAX_NAMED + 2):
        dangling.note("a" * 1000, f"{'x' * 1000}{number}.md")
    for number in range(MAX_FILES):
        dangling.note(f"{number}.md", "./gone")
    first, *_, last = dangling.sentences()
    assert first.endswith("and 2 more; the addresses were kept as they are.") and len(first) < 600
    assert last == "1 more files have links that lead to no file."
