"""The diagram sample: its types, what its script answers, and that both command lines can build it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from devkit.testing.integration import Integration

FOLDER = Path(__file__).parent

pytestmark = pytest.mark.skipif(
    not (FOLDER / "node_modules" / ".installed").exists(),
    reason="the sample's packages are not installed: `make npm` installs them where there is an npm",
)


def test_the_types_hold() -> None:
    compiler = FOLDER / "node_modules" / "typescript" / "bin" / "tsc"
    done = subprocess.run(
        ["node", compiler, "--noEmit", "--project", FOLDER], capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_a_reader_sees_the_frame_alone(integration: Integration) -> None:
    page = integration.render("diagram", {"content": "A -> B", "direction": "down"})
    assert page.state == {"content": "A -> B", "direction": "down"}
    (frame,) = page.tree["children"]
    assert (frame["type"], frame["source"]["url"]) == ("webframe", f"{integration.endpoints['space']}/frame")
    assert frame["data"] == {"content": {"$state": "content"}, "direction": {"$state": "direction"}, "theme": "light"}


def test_an_editor_gets_the_text_and_the_choice_of_direction(integration: Integration) -> None:
    page = integration.render("diagram", editable=True)
    code = page.find("codeblock")
    assert (code["state"], page.find("webframe")["type"]) == ("content", "webframe")
    assert [option["id"] for option in page.find("select")["options"]] == ["right", "down"]
    page.type("content", "A -> B").select("direction", "down")
    assert page.stored == {"content": "A -> B", "direction": "down"}
    page.click(page.find("button")["label"])
    assert page.state["content"].startswith("Browser -> Server")
    assert page.state["direction"] == "down"


def test_the_frame_and_the_published_script_are_served(integration: Integration) -> None:
    page = integration.fetch("/frame", at="space")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "@webframe.ready" in page.text
    assert integration.fetch("/other", at="space").status == 404
    script = integration.published_script()
    assert script.headers["content-type"] == "application/javascript"
    assert "code.language-diagram" in script.text
