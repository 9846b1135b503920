"""`devkit render`: what it draws, in which form, and what it says where nothing can be drawn."""

from __future__ import annotations

import json
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from devkit.rendering.picture import BROWSERS
from tests.clients.packages import needs_packages
from tests.devkit.checking.projects import write_javascript
from tests.devkit.conftest import Shell

CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)
TREE = """\
block
├── text 'Clicked 3 times'
├── hstack
│   ├── button 'Click me' style=primary → increment by=2
│   ├── button 'Reset' → reset
│   └── button 'Set …' → @ui.modal.open componentId=set_count props={count: 3}
├── divider
├── input 'Your name'
│   └── textinput state=name placeholder=Ada
└── button 'Greet' → greet name=$name
state: {"count": 3, "greeting": null}
props: {"step": 2}
"""
STATE = ("--state", '{"count": 1, "greeting": null}')
PRESSED = ("--action", "increment", "--params", '{"by": 2}')


def script(folder: Path, code: str) -> None:
    """Put another script into the project."""
    (folder / "integration.py").write_text(f"from runtime.sdk import *\n\nintegration = Integration()\n\n\n{code}")


def test_a_tree_is_drawn_after_the_action(shell: Shell, project: Path) -> None:
    for more in ((), ("--tree",)):
        done = shell("render", "counter", "--props", '{"step": 2}', *STATE, *PRESSED, *more, folder=project)
        assert (done.code, done.out, done.err) == (0, TREE, "")


def test_json_is_the_output_as_it_is(shell: Shell, project: Path) -> None:
    done = shell("render", "set_count", "--props", '{"count": 7}', "--json", folder=project)
    assert (done.code, set(done.json)) == (0, {"type", "state", "props", "element"})
    assert done.json["element"]["children"][0]["element"]["initialValue"] == "7"
    assert shell("render", "set_count", "--sandbox", "off", "--project", str(project), "--json").code == 0


def test_the_screen_and_the_configuration_are_chosen(shell: Shell, project: Path) -> None:
    script(
        project,
        """@integration.component("shown")
def shown(element, context):
    context.log.warn("drawing")
    words = [element.context["type"], element.context["theme"], str(element.context.get("editable"))]
    return ui.block(ui.text(" ".join(words + [str(context.configuration)])), {"type": "nothing"})
""",
    )
    given = ("--context", "configuration_site", "--theme", "dark", "--installation-config", '{"a": 1}')
    done = shell("render", "shown", *given, folder=project)
    assert (done.code, "configuration_site dark None {'a': 1}" in done.out) == (0, True)
    assert done.err.splitlines() == [
        "warn: drawing",
        "warning: element.children[1].type: must name an element; `nothing` is not one, and is ignored",
    ]
    assert "document light True" in shell("render", "shown", "--editable", folder=project).out


def test_a_component_that_is_complete_has_no_picture(shell: Shell, project: Path) -> None:
    script(
        project,
        """@integration.component("done")
def done():
    return ui.block(ui.text("no"))


@done.action("end")
def end():
    return ui.complete({"a": 1})
""",
    )
    assert shell("render", "done", "--action", "end", folder=project).out == 'complete {"a": 1}\n'
    refused = shell("render", "done", "--action", "end", "--html", "page.html", folder=project)
    assert (refused.code, "nothing to render" in refused.err) == (1, True)
    assert not (project / "page.html").exists()


@pytest.mark.browser
def test_the_page_draws_itself_and_the_picture_shows_all_of_it(shell: Shell, project: Path) -> None:
    if CHROMIUM is None:
        pytest.skip("needs Chromium: apt-get install chromium")
    state = ("--state", json.dumps({"count": 0, "greeting": "</script><b>&", "name": ""}))
    done = shell("render", "counter", *state, "--html", "page.html", "--png", "page.png", folder=project)
    assert (done.code, done.out, done.err) == (0, "", "Wrote page.html.\nWrote page.png.\n")
    content = (project / "page.png").read_bytes()
    width, height = int.from_bytes(content[16:20]), int.from_bytes(content[20:24])
    assert content.startswith(b"\x89PNG") and width == 800 and 200 < height < 1000
    # In a thread of its own: another test of this process may have a browser open.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(look, CHROMIUM, (project / "page.html").as_uri()).result()


CHOICE = """@integration.component("choice", state={"person": "grace", "lost": "", "team": 1})
def choice(element, context):
    here = context.environment["integration"]["urls"]["publicEndpoint"]
    host, path = here.removeprefix("https://").split("/", 1)
    address = ui.url(host, f"/{path}/people", {"team": ui.state("team")})
    lost = ui.select("lost", f"{here}/nowhere")
    return ui.block(ui.input("Person", ui.select("person", address)), ui.input("Lost", lost))


@integration.fetch("GET", "/people")
def people(request):
    people = [{"id": name, "label": f"{name.title()} of team {request.query['team']}"} for name in ("grace", "ada")]
    return {"items": people, "selected": people[1:], "nextPage": 2}
"""
"""A select whose list the script serves, page by page, and one whose list it does not have."""


def test_the_tree_lists_what_the_script_serves(shell: Shell, project: Path) -> None:
    script(project, CHOICE)
    done = shell("render", "choice", folder=project)
    person, lost = [line for line in done.out.splitlines() if "options=" in line]
    assert "options=ada, grace, … from {host: offline.invalid, " in person
    assert "options=https://offline.invalid/" in lost
    assert done.err.startswith("warning: the list at /v1/integrations/counter/integration/nowhere stays empty: ")


def test_json_asks_for_no_list_and_has_its_address(shell: Shell, project: Path) -> None:
    script(project, CHOICE)
    done = shell("render", "choice", "--json", folder=project)
    assert (done.code, done.err) == (0, "")
    assert [list(child["element"]["options"]) for child in done.json["element"]["children"]] == [["url"], ["url"]]


@pytest.mark.browser
def test_lists_of_the_script_are_filled(shell: Shell, project: Path) -> None:
    if CHROMIUM is None:
        pytest.skip("needs Chromium: apt-get install chromium")
    script(project, CHOICE)
    done = shell("render", "choice", "--html", "page.html", folder=project)
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith("warning: the list at /v1/integrations/counter/integration/nowhere stays empty: ")
    assert done.err.count("\n") == 2 and "404" in done.err
    with ThreadPoolExecutor(1) as thread:
        shown = thread.submit(chosen, CHROMIUM, (project / "page.html").as_uri()).result()
    assert shown == "Grace of team 1"


def chosen(chromium: str, address: str) -> str:
    """Open the page, offline, and give what its first list shows as chosen."""
    from playwright.sync_api import expect, sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(address)
        field = page.get_by_role("combobox").first
        expect(field).not_to_have_value("")
        value: str = field.input_value()
        browser.close()
    return value


def look(chromium: str, address: str) -> None:
    """Open the page, offline, and press something that buttons do nothing here."""
    from playwright.sync_api import sync_playwright

    requests: list[str] = []
    errors: list[Any] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        page.on("request", lambda request: requests.append(request.url))
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(error))
        page.goto(address)
        assert page.get_by_text("</script><b>&").is_visible()
        page.get_by_role("button", name="Click me").click()
        assert "buttons do nothing here" in page.get_by_role("alert").inner_text()
        assert [url for url in requests if not url.startswith(("data:", address))] == []
        assert errors == []
        browser.close()


def test_without_a_browser_there_is_a_sentence(shell: Shell, project: Path, tmp_path: Path) -> None:
    done = shell("render", "counter", "--png", "page.png", folder=project, PATH=str(tmp_path))
    assert done.code == 1
    assert done.err == ("error: taking a picture needs Chromium or Chrome on the PATH; install one, or use --html\n")
    assert not (project / "page.png").exists()


def test_a_browser_that_fails_leaves_nothing(shell: Shell, project: Path, tmp_path: Path) -> None:
    (tmp_path / BROWSERS[0]).write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / BROWSERS[0]).chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = shell("render", "counter", "--png", "page.png", folder=project, PATH=path)
    assert (done.code, "could not render the page" in done.err) == (1, True)
    assert not (project / "page.png").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("nothing",), "there is no component `nothing`; the script has counter, set_count"),
        (("counter", "--props", "{x"), "this is not JSON (Expecting property name"),
        (("counter", "--state", "[1]"), "write an object, such as"),
        (("counter", "--params", '{"a": 1}'), "--params needs --action NAME"),
        (
            ("counter", "--action", "incremnt"),
            "no action `incremnt`; did you mean `increment`? it has increment, reset, greet",
        ),
        (("set_count", "--action", "increment"), "the component `set_count` has no action `increment`"),
        (("counter", "--action", "greet"), "the script refused with 400: Type your name first"),
        (("counter", "--html", "nowhere/page.html"), "cannot be written: No such file or directory"),
        (("counter", "--project", "nowhere"), "there is no folder nowhere"),
    ],
)
def test_what_cannot_be_drawn_is_one_sentence(
    shell: Shell, project: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    done = shell("render", *arguments, folder=project)
    assert (done.code in (1, 2), done.out, done.err.count("\n")) == (True, "", 1)
    assert done.err.startswith("error: ") and sentence in done.err


def test_an_error_of_the_script_has_its_place(shell: Shell, project: Path) -> None:
    script(project, '@integration.component("shown")\ndef shown():\n    return ui.block(1 / 0)\n')
    done = shell("render", "shown", folder=project)
    assert (done.code, done.out) == (1, "")
    assert done.err == (
        "error: integration.py:8:21: ZeroDivisionError: division by zero\n"
        "        return ui.block(1 / 0)\n"
        "                        ^\n"
    )
    script(project, "def broken(:\n")
    done = shell("render", "shown", folder=project)
    assert (done.code, done.err.splitlines()[0]) == (1, "error: integration.py:6:12: SyntaxError: invalid syntax")
    script(project, "")
    assert "the script has no component" in shell("render", "shown", folder=project).err


def test_what_is_no_element_is_reported_where_the_component_is_registered(shell: Shell, project: Path) -> None:
    script(project, '@integration.component("shown")\ndef shown():\n    return "hello"\n')
    done = shell("render", "shown", folder=project)
    assert (done.code, done.out) == (1, "")
    sentence, line, caret = done.err.splitlines()
    assert sentence.startswith("error: integration.py:6:24: TypeError: component")
    assert sentence.endswith("returned str; it must return ui.block(...), ui.modal(...) or ui.configuration(...)")
    assert (line.strip(), caret.index("^")) == ('@integration.component("shown")', 27)


@needs_packages
@pytest.mark.parametrize(
    ("value", "what"),
    [("undefined", "undefined"), ("null", "null"), ("'hello'", "a string"), ("7", "a number"), ("[1]", "an array")],
)
def test_a_component_in_typescript_that_returns_no_element_is_an_error(
    shell: Shell, tmp_path: Path, value: str, what: str
) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    index = write_javascript(folder) / "src" / "index.tsx"
    before, _, rest = index.read_text().partition("(\n        <block>")
    index.write_text(f"{before}{value}{rest.partition('</block>')[2].strip().removeprefix(')')}")
    for more in ((), ("--json",)):
        done = shell("render", "card", *more, folder=folder)
        assert (done.code, done.out) == (1, "")
        sentence = f"the component `card` returned {what}; it must return a <block>, a <modal> or a <configuration>"
        assert f"src/index.tsx:6:19: {sentence}" in done.err


def test_a_script_without_end_is_stopped(shell: Shell, project: Path) -> None:
    script(project, '@integration.component("shown")\ndef shown():\n    while True:\n        pass\n')
    done = shell("render", "shown", folder=project)
    assert (done.code, done.out, done.err.count("\n")) == (1, "", 3)
    assert "Traceback" not in done.err
    place, _, message = done.err.removeprefix("error: integration.py:").partition(": ")
    assert place.split(":")[0] in ("8", "9") and "(This is the line that ran when it was stopped.)" in message
