"""PDF of spaces, pages and change requests: what is in them, who gets them, and what never gets into them."""

from __future__ import annotations

import http.server
import io
import re
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pypdf
import pytest
import requests

from runtime.engines.processes import descendants
from tests.conftest import HostProcess, Tenant, tenant, wait_for
from tests.scenarios.answers import ok
from tests.scenarios.content import Space, page
from tests.scenarios.elsewhere import elsewhere
from tests.scenarios.files import picture, upload
from tests.scenarios.people import person

BOOK = """# Begin

See [the reference](/pages/reference), [its end](/pages/reference#the-end) and [elsewhere](https://example.com/).

![A picture](/files/picture)

```python
def answer():
    return 42
```

| A | B |
|---|---|
| 1 | 2 |

{% hint style="warning" %}
Careful, `x < y`.
{% endhint %}

{% tabs %}
{% tab title="First tab" %}
In a tab.
{% endtab %}
{% endtabs %}

Note[^1], with $$x^2$$.

$$
\\frac{a}{b}
$$

$$
\\unfinished{
$$

[^1]: A note at the end.
"""


@pytest.fixture
def space(alpha: Tenant) -> Space:
    space = Space(alpha)
    path = space.change_request(
        page("Guide", BOOK, id="guide", description="Where to begin."),
        page("Inside", "What is inside.", id="inside", position={"parent": "guide"}),
        page("Reference", "Text.\n\n## The end\n\nDone.", id="reference"),
        page("Hidden", "Nobody sees this.", id="hidden", hidden=True),
        page("Below", "Nor what is in it.", id="below", position={"parent": "hidden"}),
    )
    assert upload(space, path, "a.png", picture(40, 30), id="picture").status == 201
    ok(space.api.post(f"{path}/merge"))
    return space


def printed(space: Space, place: str = "", **query: Any) -> pypdf.PdfReader:
    url = ok(space.api.get(f"{place or space.path}/pdf", **query))["url"]
    answer = wait_for(lambda: (got := requests.get(url, timeout=60)).status_code != 202 and got, 120)
    assert answer.status_code == 200 and answer.headers["Content-Type"] == "application/pdf", answer.text
    return pypdf.PdfReader(io.BytesIO(answer.content))


def text_of(reader: pypdf.PdfReader) -> str:
    return re.sub(r"\s+", " ", " ".join(one.extract_text() for one in reader.pages))


def links_of(reader: pypdf.PdfReader) -> tuple[set[str], int]:
    """Give the addresses that a PDF leads to, and how many links lead to places in it."""
    outside, inside = set(), 0
    for one in reader.pages:
        for annotation in one.get("/Annots", []):
            action = annotation.get_object().get("/A", {})
            if "/URI" in action:
                outside.add(str(action["/URI"]))
            elif "/Dest" in annotation.get_object() or action.get("/S") == "/GoTo":
                inside += 1
    return outside, inside


def test_a_space_becomes_a_book(space: Space) -> None:
    reader = printed(space)
    text = text_of(reader)
    for words in (
        "Contents",
        "Guide",
        "Where to begin.",
        "return 42",
        "Careful, x < y.",
        "First tab",
        "A note at the end",
    ):
        assert words in text, words
    assert "frac" not in text and r"\unfinished{" in text  # a formula is drawn, what is none stands as it was written
    assert "Nobody sees this" not in text and "Nor what is in it" not in text
    outside, inside = links_of(reader)
    assert outside == {"https://example.com/"} and inside >= 6
    assert [str(one.title) for one in reader.outline if not isinstance(one, list)][:2] == ["Guide", "Reference"]
    assert len({one.data for each in reader.pages for one in each.images}) == 1
    contents = next(one.extract_text() for one in reader.pages if "Contents" in one.extract_text())
    assert re.search(r"Guide[ .]+\d", contents) and re.search(r"Reference[ .]+\d", contents)


def test_one_page_with_and_without_what_is_in_it(space: Space) -> None:
    both = text_of(printed(space, page="guide"))
    alone = text_of(printed(space, page="guide", only="true"))
    assert "What is inside." in both and "What is inside." not in alone and "Begin" in alone
    assert "The end" not in both
    assert space.api.get(f"{space.path}/pdf", page="nothing").status == 404
    # The last page may be asked for by name even where readers do not find it.
    assert "Nobody sees this." in text_of(printed(space, page="hidden"))


def test_a_change_request_and_a_later_revision(space: Space) -> None:
    before = ok(space.api.get(f"{space.path}/pdf"))["url"]
    path = space.change_request({"type": "update_page", "id": "reference", "document": {"markdown": "Changed."}})
    assert "Changed." in text_of(printed(space, path))
    assert "Changed." not in text_of(printed(space))
    ok(space.api.post(f"{path}/merge"))
    assert "Changed." in text_of(printed(space))
    again = ok(space.api.get(f"{space.path}/pdf"))["url"]
    assert again.split("/")[5] != before.split("/")[5]


def test_an_address_opens_one_pdf_for_a_while(host: HostProcess, space: Space, alpha: Tenant) -> None:
    url = ok(space.api.get(f"{space.path}/pdf"))["url"]
    parts = url.split("/")
    for place in (4, 5, 6, 7):
        changed = [*parts]
        other = "2" if place == 6 else "X" if changed[place][0] != "X" else "Y"
        changed[place] = other + changed[place][1:]
        assert requests.get("/".join(changed), timeout=30).status_code == 404, place
    over = [*parts]
    over[6] = "1000000000"
    assert requests.get("/".join(over), timeout=30).status_code == 404
    outsider = person(host, alpha, None)
    assert outsider.api.get(f"{space.path}/pdf").status == 404
    assert space.api.call("DELETE", space.path).status == 205
    assert requests.get(url, timeout=30).status_code == 404


def test_an_empty_space_says_so(alpha: Tenant) -> None:
    empty = Space(alpha)
    assert empty.api.get(f"{empty.path}/pdf").status == 404


ATTACKS = [
    "![x](http://127.0.0.1:{port}/private.png)",
    "![x](file:///etc/passwd)",
    '<img src="http://127.0.0.1:{port}/private.png">',
    '<iframe src="file:///etc/passwd"></iframe>',
    '<link rel="stylesheet" href="http://127.0.0.1:{port}/style.css">',
    "<style>@import url(http://127.0.0.1:{port}/style.css);</style>",
    '<object data="file:///etc/passwd"></object>',
    '<a rel="attachment" href="file:///etc/passwd">x</a>',
    "[x](javascript:alert(1))",
    "[no address](http://[x)",
    '{% embed url="http://[y" %}',
    "<script>alert(1)</script>",
]
SVG = """<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="40" height="40">
<script>alert(1)</script><image xlink:href="http://127.0.0.1:{port}/private.png" width="9" height="9"/>
<image href="file:///etc/passwd" width="9" height="9"/><rect width="40" height="40" fill="red"/>
<style>@import url(http://127.0.0.1:{port}/style.css);</style></svg>"""


class Listener:
    """A server of the private network that nothing may reach."""

    def __init__(self) -> None:
        asked: list[str] = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self.asked = asked
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def listener() -> Iterator[Listener]:
    one = Listener()
    yield one
    one.server.shutdown()
    one.server.server_close()


def test_nothing_of_the_machine_or_its_network_gets_in(alpha: Tenant, listener: Listener) -> None:
    space = Space(alpha)
    path = space.change_request(
        page("Attacks", "\n\n".join(ATTACKS).replace("{port}", str(listener.port)) + "\n\n![s](/files/svg)", id="a")
    )
    drawing = SVG.replace("{port}", str(listener.port)).encode()
    assert upload(space, path, "a.svg", drawing, id="svg").status == 201
    ok(space.api.post(f"{path}/merge"))
    reader = printed(space)
    assert listener.asked == []
    text = text_of(reader)
    assert "root:" not in text and "no address" in text
    outside, _ = links_of(reader)
    assert not {one for one in outside if not one.startswith(("http://", "https://", "mailto:"))}
    raw = b"".join(str(one).encode() for one in (reader.trailer, reader.metadata))
    assert b"/JavaScript" not in raw and not reader.attachments


def test_a_picture_whose_server_leads_nowhere_is_left_out(tmp_path: Path) -> None:
    def lost(asked: http.server.BaseHTTPRequestHandler) -> None:
        asked.send_response(302)
        asked.send_header("Location", "http://[::1")
        asked.send_header("Content-Length", "0")
        asked.end_headers()

    with elsewhere() as web:
        web.pages["/lost.png"] = lost
        host = HostProcess(tmp_path, "--allow-egress", web.authority).start()
        space = Space(tenant(host, "Lost", "a@example.com"))
        space.merge(page("Page", f"Before.\n\n![x]({web.url}/lost.png)\n\nAfter."))
        text = text_of(printed(space))
        assert "Before." in text and "After." in text and web.asked == ["/lost.png"]
        assert host.stop() == 0


def test_a_drawing_that_would_take_too_long_is_left_out(alpha: Tenant) -> None:
    space = Space(alpha)
    uses = "".join(f'<g id="g{n}">{f"""<use href="#g{n - 1}"/>""" * 10}</g>' for n in range(1, 15))
    rect = '<rect id="g0" width="9" height="9" fill="red"/>'
    begin = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">'
    path = space.change_request(page("Pictures", "![A bomb](/files/bomb)\n\n![A square](/files/square)", id="p"))
    bomb, square = f'{begin}<defs>{rect}{uses}</defs><use href="#g14"/></svg>', f"{begin}{rect}</svg>"
    assert upload(space, path, "bomb.svg", bomb.encode(), id="bomb").status == 201
    assert upload(space, path, "square.svg", square.encode(), id="square").status == 201
    ok(space.api.post(f"{path}/merge"))
    text = text_of(printed(space))
    assert "A bomb" in text and "A square" not in text


def test_a_kill_while_it_is_made_does_no_harm(tmp_path: Path) -> None:
    host = HostProcess(tmp_path).start()
    try:
        owner = tenant(host, "Kill", "a@example.com")
        space = Space(owner)
        space.merge(*(page(f"Page {number}", "Some words. " * 300) for number in range(60)))

        def ask() -> None:
            with suppress(requests.ConnectionError):
                space.api.get(f"{space.path}/pdf")

        asking = threading.Thread(target=ask)
        asking.start()
        wait_for(lambda: children_named(host, "separate_process") or None)
        host.kill()
        asking.join()
        host.start()
        reader = printed(space)
        assert len(reader.pages) > 60
    finally:
        host.stop()


def test_what_is_made_of_a_deleted_space_ends_soon(tmp_path: Path) -> None:
    host = HostProcess(tmp_path).start()
    try:
        space = Space(tenant(host, "Deleted", "a@example.com"))
        space.merge(*(page(f"Page {number}", "Some words. " * 8000, id=f"p{number}") for number in range(30)))
        for _ in range(2):  # whoever restores the space may have it made again
            ok(space.api.get(f"{space.path}/pdf"))
            wait_for(lambda: children_named(host, "separate_process"))
            assert space.api.call("DELETE", space.path).status == 205
            wait_for(lambda: not children_named(host, "separate_process"), 15)
            host.kill()
            host.start()
            time.sleep(2.0)  # in which it would begin again
            assert not children_named(host, "separate_process")
            ok(space.api.post(f"{space.path}/restore"))
    finally:
        host.stop()


def children_named(host: HostProcess, name: str) -> list[str]:
    """Find the separate processes of a host."""
    assert host.process is not None
    found = []
    for process in descendants(host.process.pid):
        try:
            line = Path(f"/proc/{process}/cmdline").read_text(errors="replace")
        except OSError:
            continue
        if f"engines.{name}" in line:
            found.append(line)
    return found


def test_pages_that_say_the_same_count_each(alpha: Tenant) -> None:
    """What is stored once is printed as often as pages say it."""
    space = Space(alpha)
    text = "\n\n".join(["words " * 10_000] * 15)
    pages = [page(f"Page {number}", text, id=f"page{number}") for number in range(27)]
    path = space.change_request()
    for place in range(0, len(pages), 4):
        ok(space.api.post(f"{path}/content", {"changes": pages[place : place + 4]}))
    answer = space.api.get(f"{path}/pdf")
    assert answer.status == 400 and "more text than a PDF may have" in answer.json["error"]["message"], answer.text
