"""Published sites as their owners make them look: without scripts, by keyboard, in light and dark, and on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.axe_rules import AXE, VIOLATIONS
from tests.conftest import HostProcess, Tenant, init, tenant
from tests.scenarios.answers import ok
from tests.scenarios.content import page as written
from tests.scenarios.framed_site import Framed, to

PICTURE = Path(__file__).parents[2] / "runtime" / "web" / "pictures" / "component.png"
TEXT = """# First steps

Text with a [link](https://product.example/) and `code`.

{% hint style="warning" %}
Take care.
{% endhint %}

```python
def f(): return "text", 1
```

## Deeper

> Quoted

# Last steps

- One
- Two
"""
BARE = ("title", "description", "tableOfContents", "outline", "pagination", "metadata")
LOOKS: dict[str, dict[str, Any]] = {
    "clean": {"theme": "clean", "links": "accent"},
    "bold": {
        "theme": "bold",
        "primaryColor": {"light": "#ffd400", "dark": "#ffd400"},
        "corners": "circular",
        "sidebar": {"background": "filled", "list": "pill"},
    },
    "gradient": {
        "theme": "gradient",
        "primaryColor": {"light": "#7c3aed", "dark": "#2e1065"},
        "corners": "straight",
        "sidebar": {"background": "default", "list": "line"},
        "search": "subtle",
    },
    "muted": {
        "theme": "muted",
        "tint": {"color": {"light": "#0f766e", "dark": "#0f766e"}},
        "background": "match",
        "depth": "flat",
        "font": "Merriweather",
    },
}


class Looking(Framed):
    """A site with everything that stands around a page."""

    def __init__(self, owner: Tenant) -> None:
        super().__init__(owner)
        self.picture = self.upload()
        self.spaces[0].merge(
            {"type": "insert_page", "id": "group", "title": "Guides", "page": "group", "icon": "book"},
            written(
                "A guide",
                TEXT,
                id="guide",
                position={"parent": "group"},
                description="What it is about",
                icon="rocket",
                cover={"ref": {"kind": "file", "file": "wide"}, "yPos": 60},
            ),
            written(
                "A hero",
                TEXT,
                id="hero",
                layout={"coverSize": "hero", "tableOfContents": False},
                emoji="1f41b",
                cover={"ref": {"kind": "file", "file": "wide"}, "yPos": 0},
            ),
            *(written(f"Step {number}", "Words.", id=f"step{number}") for number in range(70)),
            written("Bare", TEXT, id="bare", layout=dict.fromkeys(BARE, False)),
        )
        logo = {"light": self.picture, "dark": self.picture}
        page = {"kind": "page", "page": "page1", "space": self.spaces[1].id}
        below = [{"title": "The other space", "to": page}, {"title": "Shop", "to": to("https://product.example/")}]
        self.look(
            title="The manual of everything",
            favicon={"emoji": "1f680"},
            header={
                "logo": logo,
                "links": [
                    {"title": "Product", "to": to("https://product.example/"), "links": []},
                    {"title": "More", "to": None, "links": below},
                    {"title": "Sign up", "to": page, "links": [], "style": "button-primary"},
                    {"title": "Contact", "to": page, "links": [], "style": "button-secondary"},
                ],
            },
            footer={
                "logo": logo,
                "groups": [{"title": "Help", "links": below}, {"title": "Company", "links": below[1:]}],
                "copyright": "© 2026 The company",
            },
            announcement={"enabled": True, "message": "There is a new version.", "style": "info", "link": below[0]},
            privacyPolicy={"url": "https://product.example/privacy"},
            trademark={"enabled": True},
        )

    def upload(self) -> str:
        space = self.spaces[0]
        change = ok(space.api.post(f"{space.path}/change-requests", {"subject": "Picture"}), 201)["id"]
        at = f"{space.path}/change-requests/{change}"
        query = {"name": "wide.png", "id": "wide"}
        assert space.api.call("POST", f"{at}/content/files", data=PICTURE.read_bytes(), params=query).status == 201
        ok(space.api.post(f"{at}/merge"))
        return str(ok(space.api.get(f"{space.path}/content/files"))["items"][0]["downloadURL"])


@pytest.fixture(scope="module")
def looking(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Looking]:
    data = tmp_path_factory.mktemp("looks")
    init(data, "First", "first@example.com")
    host = HostProcess(data)
    host.start()
    yield Looking(tenant(host, "Owner", "owner@example.com"))
    assert host.stop() == 0


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: `make npm` installs it where there is an npm")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("look", LOOKS)
def test_every_look_keeps_the_rules_of_accessibility(
    page: Any, looker: Any, looking: Looking, look: str, scheme: str
) -> None:
    looker.allowed = ["Content Security Policy"]  # by which the page forbids what axe tries
    looking.look(styling=LOOKS[look])
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        for place in ("guides/a-guide", "a-hero", "bare", "step-30", "-/contents", "-/search?q=words"):
            page.goto(looking.home + place)
            page.get_by_text("More", exact=True).click()
            page.evaluate(AXE.read_text(encoding="utf-8"))
            assert page.evaluate(VIOLATIONS, "html") == []
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.goto(f"{looking.home}guides/a-guide")
        if width == 390:
            page.get_by_role("button", name="Contents").click()
            page.evaluate(AXE.read_text(encoding="utf-8"))
            assert page.evaluate(VIOLATIONS, "html") == []


def test_menus_and_the_theme_work_by_keyboard_without_a_script(page: Any, looking: Looking) -> None:
    page.emulate_media(color_scheme="light")
    page.goto(f"{looking.home}guides/a-guide")
    assert page.evaluate("document.scripts.length") == 0
    menu = page.get_by_role("navigation", name="Site")
    expect(menu.get_by_role("link", name="The other space")).to_be_hidden()
    menu.get_by_text("More", exact=True).focus()
    page.keyboard.press("Enter")
    expect(menu.get_by_role("link", name="The other space")).to_be_visible()
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("group", name="Theme").get_by_role("button", name="Dark").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Dark")).to_have_attribute("aria-pressed", "true")
    assert page.url == f"{looking.home}guides/a-guide"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light
    page.get_by_role("button", name="System").click()
    expect(page.get_by_role("button", name="System")).to_have_attribute("aria-pressed", "true")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == light


def test_on_a_phone_the_pages_are_behind_a_button_that_needs_no_script(page: Any, looking: Looking) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{looking.home}step-30")
    assert page.evaluate("document.scripts.length") == 0
    opener, pages = page.get_by_role("button", name="Contents"), page.get_by_role("navigation", name="Pages")
    current = pages.get_by_role("link", name="Step 30", exact=True)
    for key in ("Enter", "Space"):
        expect(pages).to_be_hidden()
        assert is_expanded(page, "Contents") is False
        opener.press(key)
        assert is_expanded(page, "Contents") is True
        if key == "Enter":  # opened again, it is where its reader left it
            expect(current).to_be_in_viewport(ratio=1)
        page.keyboard.press("Tab")
        expect(pages.get_by_role("button", name="Close")).to_be_focused()
        page.keyboard.press("Tab")
        expect(pages.get_by_role("link").first).to_be_focused()
        page.keyboard.press("Escape")
        expect(pages).to_be_hidden()
        expect(opener).to_be_focused()
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    opener.click()
    pages.get_by_role("button", name="Close").click()
    expect(pages).to_be_hidden()
    opener.click()
    page.mouse.click(380, 400)
    expect(pages).to_be_hidden()
    opener.click()
    pages.get_by_role("link", name="Step 31").click()
    expect(page.get_by_role("heading", name="Step 31")).to_be_visible()
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(pages.get_by_role("link", name="Step 30", exact=True)).to_be_visible()
    expect(opener).to_be_hidden()
    expect(pages.get_by_role("button")).to_have_count(0)


def is_expanded(page: Any, name: str) -> bool | None:
    """Tell what a screen reader says of a button: browsers derive it from what the button opens."""
    tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    [button] = [
        one for one in tree if one.get("role", {}).get("value") == "button" and one["name"]["value"].strip() == name
    ]
    return next((one["value"]["value"] for one in button["properties"] if one["name"] == "expanded"), None)
