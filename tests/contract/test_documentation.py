"""Documents for people: every command and every link in them leads somewhere."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from devkit.checking.rules import RULES
from devkit.cli import COMMANDS

ROOT = Path(__file__).parents[2]
DOCUMENTS = [
    *ROOT.glob("*.md"),
    *ROOT.glob("docs/**/*.md"),
    ROOT / "benchmarks/README.md",
    ROOT / "runtime/web/README.md",
]
LINK = re.compile(r"\]\((?P<file>[^)#\s]*)(?:#(?P<heading>[^)\s]+))?\)")
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """Give the names that headings have in links, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", FENCED.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    for link in LINK.finditer(FENCED.sub("", page.read_text())):
        if re.match(r"[a-z]+:", link["file"]):
            continue
        target = (page.parent / link["file"]).resolve() if link["file"] else page
        assert target.exists(), link[0]
        if link["heading"]:
            assert link["heading"] in anchors(target), link[0]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_documented(name: str) -> None:
    assert re.search(rf"`(devkit )?{name}\b", (ROOT / "docs/commands.md").read_text())
    assert f"`{name}`" in (ROOT / "README.md").read_text()


def kilobytes(pattern: str) -> int:
    """Give how large files of the renderer are together, each compressed as it is sent."""
    files = [*(ROOT / "runtime/web/static/contentkit").glob(pattern)]
    assert files
    return round(sum(len(gzip.compress(file.read_bytes(), 9, mtime=0)) for file in files) / 1000)


def test_counts_in_the_readme_are_true() -> None:
    readme = (ROOT / "README.md").read_text()
    assert f"It has {len(RULES)} rules" in readme
    assert f"{kilobytes('*.js')} kB of JavaScript and {kilobytes('*.css')} kB of CSS, compressed" in readme
