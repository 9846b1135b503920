"""What real projects do and a check has nothing to say about: link blocks, pictures in TypeScript, labelled buttons."""

from __future__ import annotations

from pathlib import Path

import pytest

from devkit.checking.inspection import inspect
from runtime.contract import accessibility
from tests.devkit.checking.projects import edit, write_python

LINKS = """  - id: card
    title: Card
    urlUnfurl: ["https://example.com/*/issues/**"]
"""
CARD = """@integration.component("card")
def card(element, context):
    return ui.block(
"""


DRAWS = '    element.props["url"].index("/issues/example")\n'
SETTINGS = '@integration.component("settings")\n'
UNFURLS = """@card.action("@link.unfurl")
def unfurl(element, action, context):
    element.props["url"] = action["url"]


"""
ASKS = UNFURLS.replace("    element", '    context.api.get("/user")\n    element')


def with_links(folder: Path, unfurls: str, draws: str = DRAWS) -> list[str]:
    """Check the sample with a block for links, which begins as `unfurls` says and is drawn after `draws`."""
    write_python(folder)
    edit(folder / "integration.yaml", "  - id: card\n    title: Card\n", LINKS)
    edit(folder / "integration.py", CARD, CARD.replace("    return", f"{draws}    return"))
    edit(folder / "integration.py", SETTINGS, unfurls + SETTINGS)
    return [finding.message for finding in inspect(str(folder), "required").findings if "card" in finding.message]


@pytest.mark.parametrize("unfurls", [UNFURLS, ASKS])
def test_a_link_block_begins_with_a_link(tmp_path: Path, unfurls: str) -> None:
    assert with_links(tmp_path, unfurls) == []


def test_one_that_cannot_be_drawn_afterwards_is_told(tmp_path: Path) -> None:
    (message,) = with_links(tmp_path, UNFURLS, DRAWS.replace("/issues/example", "nowhere"))
    assert "substring not found" in message


def drawn(*children: object) -> dict[str, object]:
    return {"element": {"type": "block", "children": list(children)}}


def test_pictures_have_no_alt_where_the_types_have_none() -> None:
    picture = {"type": "image", "source": {"url": "https://example.com/a.png"}, "aspectRatio": 1}
    assert len(accessibility.warnings(drawn(picture))) == 1
    assert accessibility.warnings(drawn(picture), typed=True) == []


def test_an_input_around_a_button_with_words_needs_none() -> None:
    button = {"type": "button", "label": "Connect", "onPress": {"action": "go"}}
    assert accessibility.warnings(drawn({"type": "input", "label": "", "element": button})) == []
    unlabelled = {"type": "input", "label": "", "element": {**button, "label": ""}}
    assert len(accessibility.warnings(drawn(unlabelled))) == 2
