"""Takes the README's pictures: `python -m tests.browser.pictures`, with Chromium and a port that is free."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from tests.browser.conftest import executable
from tests.conftest import HostProcess, installed, tenant
from tests.devkit.dev_process import DevProcess, copy_sample, devkit

PICTURES = Path(__file__).parents[2] / "runtime" / "web" / "pictures"
SIZE = {"width": 1360, "height": 860}


def main() -> int:
    """Walk through the pages of the counter and the analytics sample, and keep a picture of each."""
    program = executable()
    if program is None:
        print("error: chromium is missing (Debian: apt-get install chromium)", file=sys.stderr)
        return 1
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="pictures-") as folder, sync_playwright() as playwright:
        home = Path(folder)
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        devkit(home, "new", "deliveries", "--template", "webhook")
        for project, theme, take in (
            (copy_sample("counter", home), "light", component),
            (home / "deliveries", "dark", events),
            (copy_sample("analytics", home), "light", places),
        ):
            process = DevProcess(project, home)
            try:
                page = browser.new_context(viewport=SIZE, color_scheme=theme).new_page()
                page.goto(process.url)
                take(page, process, home)
            finally:
                process.end()
        host = HostProcess(Path(tempfile.mkdtemp(dir=home))).start()
        try:
            page = browser.new_context(viewport=SIZE, base_url=host.url).new_page()
            organization(page, host)
            reading(page, host)
        finally:
            host.stop()
        browser.close()
    return 0


def component(page: Any, process: DevProcess, home: Path) -> None:
    """Press a few buttons, go back in time, and compare."""
    page.get_by_text("Clicked 0 times").wait_for()
    for count in (1, 2, 3):
        page.get_by_role("button", name="Click me").click()
        page.get_by_text(f"Clicked {count} time").first.wait_for()
    page.get_by_label("Your name").fill("Ada")
    page.get_by_role("button", name="Greet").click()
    page.get_by_text("Hello, Ada!").first.wait_for()
    keep(page, "component")
    page.get_by_role("tab", name="History").click()
    keep(page, "history", 550)


def events(page: Any, process: DevProcess, home: Path) -> None:
    """Send a few requests, and look at one."""
    secret = (process.folder / ".env").read_text().partition("=")[2].strip()
    sent = ("trigger", "fetch", "--path", "/hook", "--body", "example.json", "--sign", "github")
    for signed in (secret, "another", secret):
        devkit(home, *sent, "--secret", signed, folder=process.folder)
    page.goto(process.url.replace("#key", "/events#key"))
    page.locator(".event", has_text="task").first.click()
    page.locator("#detail .waterfall").wait_for()
    keep(page, "events", 550)


def places(page: Any, process: DevProcess, home: Path) -> None:
    """Look at the integration where readers will, and where it is installed."""
    page.goto(process.url.replace("#key", "/installation#key"))
    page.get_by_text("Configuration").click()
    page.get_by_label("Measurement id").fill("G-EXAMPLE1")
    page.get_by_role("button", name="Save").first.click()
    page.get_by_text("active").nth(1).wait_for()
    keep(page, "installation", 760)
    page.goto(process.url.replace("#key", "/site#key"))
    page.get_by_role("button", name="Publish").click()
    page.wait_for_timeout(2500)
    keep(page, "site")


def organization(page: Any, host: HostProcess) -> None:
    """Look at the content and at a site of an organization, as its administrator."""
    owner = tenant(host, "Analytical Engines", "ada@example.com")
    home = f"/v1/orgs/{owner.id}"

    def made(kind: str, **body: Any) -> str:
        return str(owner.api.post(f"{home}/{kind}", body).json["id"])

    handbook, products = made("collections", title="Handbook"), made("collections", title="Products")
    made("spaces", title="How we work", parent=handbook)
    made("spaces", title="On call", parent=handbook)
    engine = made("collections", title="Engine", parent=products)
    guide, reference = made("spaces", title="Guide", parent=engine), made("spaces", title="Reference", parent=engine)
    blog = made("spaces", title="Blog", parent=products)
    site = made("sites", title="Engine documentation", spaces=[guide], visibility="share-link")
    parts = f"sites/{site}"
    made(f"{parts}/section-groups", title="For programmers")
    for title, space in (("Reference", reference), ("Blog", blog)):
        made(f"{parts}/sections", title=title, spaceId=space)
    owner.api.post(f"{home}/{parts}/publish")
    page.goto("/app/sign-in")
    page.get_by_label("Token").fill(str(owner.api.token))
    page.get_by_role("button", name="Sign in").click()
    page.goto(f"/app/orgs/{owner.id}/content")
    keep(page, "content", 760)
    page.goto(f"/app/orgs/{owner.id}/sites/{site}")
    keep(page, "sites", 760)


def reading(page: Any, host: HostProcess) -> None:
    """Read a page of a published site that has a block in it."""
    owner = tenant(host, "Difference Engines", "charles@example.com")
    app = installed(owner)
    block = {"integration": app.name, "block": "counter", "props": {}}
    text = (
        "# Turn the crank\n\nEach turn of the crank adds the **differences** of a column to the one before it.\n\n"
        '```python\ndef turn(columns):\n    """Add each column to the one before it."""\n'
        "    return [a + b for a, b in zip(columns, columns[1:] + [0])]\n```\n\n"
        "> Count your turns: after seven the first table is complete.\n"
    )
    space = f"/v1/spaces/{app.space}"
    change = owner.api.post(f"{space}/change-requests", {"subject": "Pages"}).json["id"]

    def page_of(title: str, markdown: str = "Soon.", **more: Any) -> dict[str, Any]:
        return {"type": "insert_page", "title": title, "document": {"markdown": markdown}, **more}

    pages = [
        page_of("Welcome"),
        page_of("Calculate", id="calculate"),
        page_of("First table", text, id="first", position={"parent": "calculate"}, description="In seven turns."),
        page_of("Second table", position={"parent": "calculate"}),
        page_of("Print"),
    ]
    at = f"{space}/change-requests/{change}"
    owner.api.post(f"{at}/content", {"changes": pages})
    owner.api.post(f"{at}/merge")
    whole = owner.api.get(f"{space}/content/page/first", format="document").json
    drawn = {"object": "block", "type": "integration", "isVoid": True, "data": block}
    document = {**whole["document"], "nodes": [*whole["document"]["nodes"], drawn]}
    change = owner.api.post(f"{space}/change-requests", {"subject": "Block"}).json["id"]
    at = f"{space}/change-requests/{change}"
    edit = {"type": "update_page", "id": "first", "document": {"document": document}}
    owner.api.post(f"{at}/content", {"changes": [edit]})
    owner.api.post(f"{at}/merge")
    site = f"/v1/orgs/{owner.id}/sites/{app.site}"
    owner.api.call("PATCH", site, {"title": "Difference Engine"})
    home = owner.api.call("PATCH", site, {"published": True}).json["urls"]["published"]
    page.goto(f"{home}calculate/first-table")
    for count in (1, 2):
        page.get_by_role("button", name="Click me").click()
        page.get_by_text(f"Clicked {count} time").first.wait_for()
    keep(page, "reading", 760)


def keep(page: Any, name: str, height: int = SIZE["height"]) -> None:
    """Keep a picture of the page as it is in a moment, when nothing moves any more."""
    page.set_viewport_size({**SIZE, "height": height})
    page.wait_for_timeout(800)
    page.screenshot(path=PICTURES / f"{name}.png")


if __name__ == "__main__":
    sys.exit(main())
