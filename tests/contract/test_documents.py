"""Documents for people: every command and every link in them leads somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

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
