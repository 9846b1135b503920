"""Content of others is imported over HTTP, from each source."""

from __future__ import annotations

import base64
import gzip
import os
import re
import threading
import zlib
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler

import pytest

from tests.conftest import HostProcess, Tenant, wait_for
from tests.scenarios import elsewhere as other
from tests.scenarios.answers import ok
from tests.scenarios.content import Space
from tests.scenarios.elsewhere import PICTURE, PIXEL, Elsewhere, packed, paragraph, word_document
from tests.scenarios.importing import (  # noqa: F401  # fixtures
    imported,
    importing_owner,
    live_space,
    reaching_host,
    refused,
    sent,
    source_web,
)
from tests.scenarios.people import person


def test_what_was_fetched_leaves_the_disk_when_an_import_is_over(
    space: Space, web: Elsewhere, reaching: HostProcess
) -> None:
    def there() -> int:
        return sum(one.stat().st_size for one in (reaching.data / "blobs").rglob("*") if one.is_file())

    before = there()
    web.pages["/no.zip"] = ("application/zip", os.urandom(1 << 20))
    web.pages["/a.md"] = ("text/markdown", b"# A\n\n" + os.urandom(1 << 19).hex().encode())
    refused(space.api.post(f"{space.path}/content/import", {"url": f"{web.url}/no.zip", "source": "zip"}), "zip file")
    imported(space, f"{web.url}/a.md", "markdown")
    wait_for(lambda: there() - before < 1 << 19)


def test_signatures_in_addresses_are_shown_to_nobody(space: Space, web: Elsewhere) -> None:
    web.put("/signed.md", "# Signed", "text/plain")
    address = f"{web.url}/signed.md?X-Amz-Signature=hush-hush#token=hush-hush"
    for path in ("signed.md", "gone.md"):
        url = address.replace("signed.md", path)
        begun = ok(space.api.post(f"{space.path}/imports", {"url": url, "source": "markdown"}), 201)
        assert begun["url"] == f"{web.url}/{path}"
        at = f"{space.path}/imports/{begun['id']}"
        wait_for(lambda at=at: ok(space.api.get(at))["status"] in ("completed", "failed"))
    listed = space.api.get(f"{space.path}/imports")
    assert {one["url"] for one in ok(listed)["items"]} >= {f"{web.url}/signed.md", f"{web.url}/gone.md"}
    assert "hush-hush" not in listed.text


def test_markdown_becomes_a_page(space: Space, web: Elsewhere) -> None:
    url = web.put(
        "/guide.md",
        "---\ndescription: About it\n---\n\n# The *guide*\n\n* [x] done\n\n## More\n\n### Less\n",
        "text/plain",
    )
    before = ok(space.api.get(space.path))["revision"]
    made = imported(space, url, "markdown")
    assert (made["importedResources"], made["totalResources"]) == (1, 1)
    assert ok(space.api.get(space.path))["revision"] == made["revision"]
    revision = ok(space.api.get(f"{space.path}/revisions/{made['revision']}"))
    assert (revision["type"], revision["parents"]) == ("edits", [before])
    page = ok(space.api.get(f"{space.path}/content/path/the-guide", format="markdown"))
    assert (page["title"], page["description"]) == ("The guide", "About it")
    assert page["markdown"] == "* [x] done\n\n# More\n\n## Less\n", "the title took the first level"
    nested = "# Nested\n\n## First\n\n> # quoted\n\n## Second\n"
    imported(space, web.put("/nested.md", nested, "text/plain"), "markdown")
    page = ok(space.api.get(f"{space.path}/content/path/nested", format="markdown"))
    assert page["markdown"].startswith("# First\n") and "\n# Second\n" in page["markdown"]
    both = "# Both\n\n# First\n\n## Second\n"
    imported(space, web.put("/both.md", both, "text/plain"), "markdown")
    page = ok(space.api.get(f"{space.path}/content/path/both", format="markdown"))
    assert page["markdown"] == "# First\n\n## Second\n"


def test_the_same_again_keeps_ids(space: Space, web: Elsewhere) -> None:
    url = web.put("/docs.zip", packed({"a.md": "# A\n\n[b](b/c.md) ![](p.png)", "b/c.md": "# C", "p.png": PIXEL}))
    first = imported(space, url, "zip")
    pages, files = (ok(space.api.get(f"{space.path}/content{part}")) for part in ("/pages", "/files"))
    second = imported(space, url, "zip")
    assert first["revision"] != second["revision"]
    assert ok(space.api.get(f"{space.path}/content/pages")) == pages
    assert ok(space.api.get(f"{space.path}/content/files")) == files


def test_a_zip_becomes_a_tree_with_files(space: Space, web: Elsewhere) -> None:
    files: dict[str, str | bytes] = {
        "docs/README.md": "# Welcome\n\n[Setup](guide/setup.md#first), [none](guide/no.md)\n\n![A pixel](<i/a b.png>)",
        "docs/guide/README.md": "# Guide\n",
        "docs/guide/setup.md": "# Setup\n\n## First\n\nback to [it](../README.md)",
        "docs/guide/deep/x.html": "<title>X</title><body><p>See <a href='../setup.md'>setup</a></p></body>",
        "docs/i/a b.png": PIXEL,
        "docs/unused.bin": b"\0",
        "__MACOSX/docs/._README.md": b"\0",
    }
    made = imported(space, web.put("/tree.zip", packed(files), "application/zip"), "zip")
    assert made["importedResources"] == 6
    assert [one["problems"] for one in ok(space.api.get(f"{space.path}/imports"))["items"]] == [
        ["README.md: no file was found for `guide/no.md`; the address was kept as it is."]
    ]
    assert space.outline() == [["Welcome"], ["Guide", ["Setup"], ["Deep", ["X"]]]]
    (picture,) = ok(space.api.get(f"{space.path}/content/files"))["items"]
    assert (picture["name"], picture["dimensions"]) == ("a b.png", {"width": 1, "height": 1})
    setup = ok(space.api.get(f"{space.path}/content/path/guide/setup"))["id"]
    said = space.markdown("welcome")
    assert f"[Setup](/pages/{setup}#first)" in said
    assert "[none](guide/no.md)" in said
    assert f'<img src="/files/{picture["id"]}" alt="A pixel">' in said
    assert f"[setup](/pages/{setup})" in space.markdown("guide/deep/x")


@pytest.mark.parametrize(
    ("front", "flags"),
    [
        ("hidden: true\nnoIndex: true", {"hidden", "noIndex"}),
        ("noRobotsIndex: true", {"noRobotsIndex"}),
        ("draft: true", {"hidden"}),
        ("unlisted: true", {"hidden"}),
        ("published: false", {"hidden"}),
        ("hidden: false\ndraft: false\npublished: true", set()),
    ],
)
def test_what_is_not_for_everybody_does_not_become_so(space: Space, front: str, flags: set[str]) -> None:
    imported_page = f"---\n{front}\n---\n# Quiet\n\nwords"
    sent(space, packed({"README.md": "# Start", "quiet.md": imported_page}), "zip")
    page = ok(space.api.get(f"{space.path}/content/path/quiet"))
    assert {name for name in ("hidden", "noIndex", "noRobotsIndex") if page.get(name)} == flags


def test_a_file_names_the_address_of_its_page_which_stays_the_same_under_another_title(space: Space) -> None:
    files = {
        "README.md": "# Start",
        "use/README.md": "# Using it",
        "use/set-up.md": "---\ntitle: Install\n---\n[more](named.md)",
        "use/named.md": "---\nslug: /old/place\n---\n# Elsewhere",
        "plain/only.md": "# One",
    }
    sent(space, packed(files), "zip")
    page = ok(space.api.get(f"{space.path}/content/path/use/set-up"))
    assert page["title"] == "Install"
    for path, title in (("start", "Start"), ("use", "Using it"), ("use/place", "Elsewhere"), ("plain/only", "One")):
        assert ok(space.api.get(f"{space.path}/content/path/{path}"))["title"] == title
    sent(space, packed(files | {"use/set-up.md": "# Set it up"}), "zip")
    assert space.outline()[1] == ["Plain", ["One"]]
    again = ok(space.api.get(f"{space.path}/content/path/use/set-up"))
    assert (again["id"], again["title"]) == (page["id"], "Set it up")
    assert space.outline()[2] == ["Using it", ["Elsewhere"], ["Set it up"]]


def test_pages_of_hugo_and_pages_in_mdx(space: Space) -> None:
    modules = 'import Tabs from "@theme/Tabs";\nimport {\n  B,\n} from "x";\n\nexport const c = 1;\n\n'
    files = {
        "README.md": "# Start",
        "hugo.md": "+++\ntitle = 'From Hugo'\ndraft = true\ndate = 2026-01-01\n+++\nexport is a word here",
        "broken.md": "+++\ntitle =\n+++\nwords",
        "plain.mdx": f"{modules}# In MDX\n\nexport this: `import x`",
        "tabs.mdx": f"---\ntitle: Tabs\n---\n{modules}<Tabs>\n\nwords\n\n</Tabs>",
    }
    done = sent(space, packed(files), "zip")
    assert done["problems"] == ["tabs.mdx: its components are not drawn; their tags stay in the text."]
    assert space.outline() == [["Start"], ["Broken"], ["From Hugo"], ["In MDX"], ["Tabs"]]
    assert ok(space.api.get(f"{space.path}/content/path/hugo"))["hidden"]
    assert space.markdown("hugo").endswith("export is a word here\n")
    assert "import {" not in space.markdown("plain") and "export this: `import x`" in space.markdown("plain")
    assert "words" in space.markdown("tabs") and "@theme" not in space.markdown("tabs")


def test_what_somebody_hid_stays_hidden_when_it_comes_again(space: Space) -> None:
    sent(space, packed({"README.md": "# Start", "quiet.md": "# Quiet\n\nwords"}), "zip")
    named = ok(space.api.get(f"{space.path}/content/path/quiet"))["id"]
    space.merge({"type": "update_page", "id": named, "hidden": True, "noIndex": True})
    sent(space, packed({"README.md": "# Start", "quiet.md": "# Quiet\n\nother words"}), "zip")
    page = ok(space.api.get(f"{space.path}/content/page/{named}", format="markdown"))
    assert page["hidden"] and page["noIndex"] and "other words" in page["markdown"]
    sent(space, packed({"README.md": "# Start", "quiet.md": "---\nhidden: false\n---\n# Quiet"}), "zip")
    page = ok(space.api.get(f"{space.path}/content/page/{named}"))
    assert not page.get("hidden") and page["noIndex"]


def test_numbers_in_names_are_sorted_as_numbers(space: Space) -> None:
    names = ("10-ten", "2-two", "1-one", "part10/x", "part9/y")
    sent(space, packed({f"x/{name}.md": f"# {name}" for name in names}), "zip")
    assert space.outline() == [["1-one"], ["2-two"], ["10-ten"], ["Part9", ["part9/y"]], ["Part10", ["part10/x"]]]


def test_a_folder_with_a_summary_is_read_as_that_says(space: Space) -> None:
    files: dict[str, str | bytes] = {
        "x/SUMMARY.md": "# Contents\n\n* [First](b.md)\n  * [Second](a.md)\n\n## Group\n\n* [Far](https://example.com)\n",
        "x/a.md": "---\nicon: bolt\n---\n\n# A\n\n![](.gitbook/assets/p.png)",
        "x/b.md": "# B\n\n[a](a.md)",
        "x/.gitbook/assets/p.png": PIXEL,
    }
    assert sent(space, packed(files), "zip")["problems"] == []
    assert space.outline() == [["First", ["Second"]], ["Group", ["Far"]]]
    assert ok(space.api.get(f"{space.path}/content/path/b/a"))["icon"] == "bolt"
    assert len(ok(space.api.get(f"{space.path}/content/files"))["items"]) == 1


HTML = """<!doctype html><html><head><title>Site - Page</title></head><body><nav>Menu</nav>
<h1>Real title</h1><p>Some <b>bold</b> and a * star, &lt;b&gt; and {% hint %}.</p>
<ul><li><input type="checkbox" checked>done</li><li><input type="checkbox">open</li></ul>
<pre><code class="language-python">x = 1
if x &lt; 2: pass</code></pre>
<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2|3</td></tr></table>
</body></html>"""


def test_html_becomes_a_page(space: Space, web: Elsewhere) -> None:
    imported(space, web.put("/page.html", HTML), "html")
    said = space.markdown("real-title")
    assert "Some **bold** and a \\* star" in said
    assert "* [x] done\n* [ ] open" in said
    assert "```python\nx = 1\nif x < 2: pass\n```" in said
    document = ok(space.api.get(f"{space.path}/content/path/real-title", format="document"))["document"]
    kinds = [node["type"] for node in document["nodes"]]
    assert {"list-tasks", "code", "table"} <= set(kinds)
    assert "hint" not in kinds


def test_word_becomes_a_page_with_pictures(space: Space, web: Elsewhere) -> None:
    table = "<w:tbl><w:tr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr></w:tbl>".format(paragraph("1"), paragraph("2"))
    body = paragraph("A report", "Heading1") + paragraph("It says so.") + PICTURE + table
    link = '<w:p><w:hyperlink r:id="l1"><w:r><w:t>click</w:t></w:r></w:hyperlink></w:p>'
    macros = word_document(body + link, **{"word/vbaProject.bin": b"macro"})
    made = sent(space, macros, "docx", "report.docx")
    assert made["status"] == "completed", made
    assert made["problems"] == ["The document has macros, which were left out."]
    (picture,) = ok(space.api.get(f"{space.path}/content/files"))["items"]
    said = space.markdown("a-report")
    assert "It says so." in said
    assert f'<img src="/files/{picture["id"]}" alt="A pixel">' in said
    assert "javascript" not in said


GOOGLE = """<html><head><title>My</title><style>.c1{font-weight:700}.c2{font-style:italic}
.c3{text-decoration:line-through}.c5{font-family:"Courier New"}</style></head><body class="c0 doc-content">
<p class="c7 title"><span>The Title</span></p><p class="c7 subtitle"><span>Below it</span></p>
<h1 id="h.abc"><span class="c1">One</span></h1><p><span class="c1">bold</span><span> </span><span
class="c2">slanted</span>
<span class="c3">gone</span> <span class="c5">code</span>
<a href="https://www.google.com/url?q=https://example.com/x%3Fa%3D1&amp;sa=D&amp;source=editors">link</a><sup><a
href="#ftnt1" id="ftnt_ref1">[1]</a></sup></p><ul class="lst-kix_x-0 start"><li>a</li></ul><ul
class="lst-kix_x-1 start"><li>b</li></ul><ul class="lst-kix_x-2 start"><li>c</li></ul><ul
class="lst-kix_x-0"><li>d</li></ul>
<h1>Two</h1><div><p><a href="#ftnt_ref1" id="ftnt1">[1]</a><span>&nbsp;Of note</span></p></div></body></html>"""


def test_word_says_titles_quotations_bookmarks_and_sizes(space: Space) -> None:
    word = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    named = (
        f'<w:style w:type="paragraph" w:styleId="{name}"><w:name w:val="{name}"/></w:style>'
        for name in ("Title", "Subtitle", "Quote", "Heading1")
    )
    bookmark = '<w:bookmarkStart w:id="0" w:name="_Ref1"/><w:bookmarkEnd w:id="0"/>'
    body = "".join(
        (
            paragraph("The plan", "Title"),
            paragraph("In short", "Subtitle"),
            paragraph("Said before", "Quote"),
            paragraph("Part", "Heading1").replace("<w:r>", f"{bookmark}<w:r>", 1),
            '<w:p><w:hyperlink w:anchor="_Ref1"><w:r><w:t>there</w:t></w:r></w:hyperlink></w:p>',
            PICTURE.replace("<wp:inline>", '<wp:inline><wp:extent cx="952500" cy="476250"/>'),
        )
    )
    document = word_document(body, **{"word/styles.xml": f"<w:styles {word}>{''.join(named)}</w:styles>"})
    assert sent(space, document, "docx", "plan.docx")["status"] == "completed"
    said = space.markdown("the-plan")
    assert "> Said before\n\n# Part" in said, said
    assert 'id="_ref1"' in said and "[there](#_ref1)" in said
    assert 'alt="A pixel" width="100"' in said
    assert ok(space.api.get(f"{space.path}/content/path/the-plan"))["description"] == "In short"


def test_google_documents_come_as_their_exports(space: Space, web: Elsewhere) -> None:
    imported(space, web.put("/export", word_document(paragraph("Draft", "Heading1"))), "google-docs")
    exported = packed({"Notes.html": "<h1>Notes</h1><img src='images/i.png'>", "images/i.png": PIXEL})
    imported(space, web.put("/export.zip", exported), "google-docs")
    assert space.outline() == [["Draft"], ["Notes"]]
    document = packed({"My.html": GOOGLE.encode(), "images/i.png": PIXEL})
    imported(space, web.put("/document.zip", document), "google-docs")
    said = space.markdown("the-title")
    assert "# One" in said and "# Two" in said
    assert "**bold** _slanted_ ~~gone~~ `code` [link](https://example.com/x?a=1)" in said
    assert "* a\n  * b\n    * c\n* d" in said
    assert "[^1]: Of note" in said
    page = ok(space.api.get(f"{space.path}/content/path/the-title"))
    assert page["description"] == "Below it"


def test_an_export_of_notion(space: Space) -> None:
    one, two, base = "0" * 32, "1" * 32, "2" * 32
    files = {
        f"Export/Home {one}.md": f"# Home\n\n[Sub](Home%20{one}/Sub%20{two}.md) [T](Home%20{one}/Tasks%20{base}.csv)\n",
        f"Export/Home {one}/Tasks {base}.csv": "Name,State\nWrite,Done\n",
        f"Export/Home {one}/Tasks {base}_all.csv": 'Name,State\nWrite,Done\n"a|b",*open*\n',
        f"Export/Home {one}/Sub {two}.md": "# Sub\n\nText\n\n<aside>\n💡 Mind\n\n</aside>\n\n```\n<aside>\n```\n",
    }
    # Notion sends parts in an archive; what is packed in those once more is told.
    part = packed({**files, "Export/deeper.zip": packed({"x.md": "# X"})})
    made = sent(space, packed({"Export-Part-1.zip": part}), "notion")
    assert made["problems"] == ["deeper.zip is an archive in the archive, which is not opened."]
    said = space.markdown("home/sub")
    assert '{% hint style="info" %}\n💡 Mind\n{% endhint %}' in said and "```\n<aside>\n```" in said
    assert space.outline() == [["Home", ["Sub"], ["Tasks"]]]
    assert "/pages/" in space.markdown("home")
    assert "Write" in space.markdown("home/tasks")
    assert "a|b" in space.markdown("home/tasks").replace("\\", "")


MACROS = """<h1 id="Setup-First">First heading</h1>
<div class="confluence-information-macro confluence-information-macro-warning"><p class="title">Beware</p>
<span class="aui-icon confluence-information-macro-icon"></span>
<div class="confluence-information-macro-body"><p>Of it</p></div></div>
<div class="code panel pdl"><div class="codeHeader panelHeader"><b>x.py</b></div><div class="codeContent panelContent">
<pre class="syntaxhighlighter-pre" data-syntaxhighlighter-params="brush: py; gutter: false">x = 1</pre></div></div>
<div class="expand-container"><div class="expand-control"><span class="expand-control-text">More</span></div>
<div class="expand-content"><p>Hidden</p></div></div>
<ul class="inline-task-list"><li class="checked">done</li><li data-inline-task-id="2">open</li></ul>"""


def test_an_export_of_confluence(space: Space) -> None:
    page = "<title>Docs : {0}</title><div id='main-header'>x</div><div id='main-content'>{1}</div>"
    setup = "<a href='Setup_2.html'>Setup</a>"
    files = {
        "DOC/index.html": f"<ul><li><a href='Home_1.html'>Home</a><ul><li>{setup}</li></ul></li></ul>",
        "DOC/Home_1.html": page.format("Home", f"<p>{setup}</p><img src='attachments/1/2.png'>"),
        "DOC/Setup_2.html": page.format("Setup", MACROS),
        "DOC/attachments/1/2.png": PIXEL,
    }
    made = sent(space, packed(files), "confluence")
    assert (made["status"], made["problems"]) == ("completed", [])
    assert space.outline() == [["Home", ["Setup"]]]
    said = space.markdown("home/setup")
    assert said.startswith("# First heading"), said
    assert '{% hint style="warning" %}\n**Beware**\n\nOf it\n{% endhint %}' in said
    assert '{% code title="x.py" %}\n```py\nx = 1\n```\n{% endcode %}' in said
    assert "<summary>More</summary>\n\nHidden" in said
    assert "* [x] done\n* [ ] open" in said
    assert "/pages/" in space.markdown("home")
    assert "/files/" in space.markdown("home")
    failed = sent(space, packed({"entities.xml": "<x/>"}), "confluence")
    assert "an XML export" in failed["error"]


def test_a_wiki_in_the_order_of_its_sidebar(space: Space) -> None:
    files = {
        "Home.md": "Welcome to [[Second Page]] and [[this|First]].",
        "First.md": "One",
        "Second-Page.md": "Two",
        "Deep.md": "![[x]] [[images/i.png|alt=A picture]]",
        "Last.md": "Three",
        "images/i.png": PIXEL,
        "notes.rst": "Notes\n=====",
        "_Sidebar.md": "**All**\n\n* [[Second Page]]\n  * [Deep one](Deep)\n* Others\n  * [[First]]",
    }
    made = sent(space, packed(files), "github-wiki")
    assert made["status"] == "completed"
    assert made["problems"] == ["notes.rst is left out: only Markdown, HTML and Word are read."]
    assert space.outline() == [["Home"], ["Second Page", ["Deep"]], ["First"], ["Last"]]
    assert space.markdown("home").count("](/pages/") == 2
    assert "![A picture](/files/" in space.markdown("second-page/deep")


def test_a_website_is_crawled_as_robots_allow(space: Space, web: Elsewhere) -> None:
    def page(title: str, text: str) -> str:
        return f"<title>{title}</title><nav>Menu</nav><main><h1>{title}</h1>{text}</main><footer>Foot</footer>"

    pixel = base64.b64encode(PIXEL).decode()
    web.put("/robots.txt", "User-agent: *\nDisallow: /site/private\n", "text/plain")
    links = [
        "a/",
        "a/deep.html",
        "private",
        "/outside",
        "https://example.com/",
        "pdf",
        "gone",
        "loop",
        "?q=1#x",
        "mailto:a@b.c",
    ]
    shown = (
        "".join(f"<a href='{link}'>{link}</a>" for link in links)
        + "<img src='/pic' alt='Pic'><script>alert(1)</script>"
    )
    web.put("/site/", page("Start", shown))
    web.put("/site/?q=1", page("Query", "<a href='./'>back</a>"))
    web.put("/site/a/", page("Part", "<a href='deep.html#there'>deep</a>"))
    web.put("/site/a/deep.html", page("Deep", f"<p>Far</p><img src='data:image/png;base64,{pixel}'>"))
    web.put("/site/private", page("Secret", ""))
    web.put("/outside", page("Outside", ""))
    web.put("/site/pdf", b"%PDF-1", "application/pdf")
    web.put("/pic", PIXEL, "image/png")
    web.pages["/site/loop"] = other.redirect("/site/loop")
    web.asked.clear()
    made = imported(space, f"{web.url}/site/", "website")
    assert space.outline() == [["Start"], ["Query"], ["Part", ["Deep"]]]
    assert re.fullmatch(r'Far\n\n<figure><img src="/files/\w+" alt=""></figure>\n', space.markdown("a/deep"))
    assert not {"/site/private", "/outside"} & set(web.asked)
    assert len(web.asked) - web.asked.count("/site/loop") == len({*web.asked} - {"/site/loop"})
    said = space.markdown("site")
    assert "Menu" not in said and "Foot" not in said and "alert" not in said
    assert "/files/" in said
    (last, *_) = ok(space.api.get(f"{space.path}/imports"))["items"]
    assert len(last["problems"]) == 4, last
    assert last["totalResources"] > made["importedResources"]


def test_a_change_request_is_named_by_its_number_or_not_there(space: Space) -> None:
    inside = space.change_request()
    number = ok(space.api.get(inside))["number"]
    upload = f"{space.path}/content/import/upload"
    for name, status in ((str(number), 201), ("999", 404), ("nobody", 404)):
        query = {"source": "markdown", "name": "page.md", "changeRequest": name}
        answer = space.api.call("POST", upload, data=b"# Page\n", params=query)
        assert answer.status == status, answer.text
        assert status == 201 or f"change request `{name}`" in answer.json["error"]["message"]


def test_into_a_page_a_change_request_and_both(space: Space, web: Elsewhere) -> None:
    url = web.put("/part.md", "# Part", "text/plain")
    space.merge({"type": "insert_page", "id": "above", "title": "Above"})
    imported(space, url, "markdown", "content/page/above")
    assert space.outline() == [["Above", ["Part"]]]
    path = space.change_request().removeprefix(space.path).strip("/")
    for inside in (f"{path}/content", f"{path}/content/page/above"):
        imported(space, url, "markdown", inside)
    shown = ok(space.api.get(f"{space.path}/{path}/content/pages"))["pages"]
    assert [page["title"] for page in shown] == ["Above", "Part"]
    assert space.outline() == [["Above", ["Part"]]]
    assert sent(space, b"# Sent", "markdown", page="above")["page"] == "above"
    assert space.outline() == [["Above", ["Part"], ["Sent"]]]
    one = ok(space.api.get(f"{space.path}/imports"))["items"]
    assert len(one) == 4


def test_what_cannot_be_imported_into(space: Space, owner: Tenant, web: Elsewhere) -> None:
    body = {"url": web.put("/any.md", "# Any", "text/plain"), "source": "markdown"}
    locked = Space(owner)
    refused(locked.api.post(f"{locked.path}/content/import", body), "is locked", 412)
    inside = locked.change_request()
    ok(locked.api.post(f"{inside}/content/import", body), 201)
    ok(locked.api.post(f"{inside}/merge"))
    assert locked.outline() == [["Any"]]
    refused(locked.api.post(f"{inside}/content/import", body), "merged")
    page = ok(locked.api.get(f"{locked.path}/content/path/any"))["id"]
    refused(space.api.post(f"{space.path}/content/page/{page}/import", body), "no page", 404)
    space.merge(
        {"type": "insert_page", "id": "link", "title": "L", "page": "link", "target": {"kind": "url", "url": "/"}}
    )
    refused(space.api.post(f"{space.path}/content/page/link/import", body), "A link cannot contain pages")


def test_addresses_that_are_not_imported_from(space: Space, web: Elsewhere) -> None:
    def told(url: str, said: str, source: str = "markdown") -> None:
        refused(space.api.post(f"{space.path}/content/import", {"url": url, "source": source}), said)

    before = ok(space.api.get(space.path))["revision"]
    told("http://127.0.0.1:1/", "private network")
    told("http://169.254.169.254/latest", "private network")
    told("http://[::1]/", "private network")
    told("file:///etc/passwd", "must begin with")
    told("http://user:secret@example.com/", "must begin with")
    told(f"{space.api.url}/healthz", "this platform")
    told(f"{web.url}/none", "answered with 404")
    web.pages["/round"] = other.redirect("/round")
    told(f"{web.url}/round", "redirects more than")
    web.pages["/inward"] = other.redirect("http://127.0.0.1:1/")
    told(f"{web.url}/inward", "private network")
    web.pages["/local"] = other.redirect("file:///etc/passwd")
    told(f"{web.url}/local", "something other than http")
    web.pages["/short"] = other.lying
    told(f"{web.url}/short", "could not be fetched")
    for name, encoding, content, said in (
        ("bomb", "gzip", gzip.compress(bytes(150 << 20)), "The decompressed answer is larger than"),
        ("half", "gzip", gzip.compress(b"<p>text</p>")[:-12], "is incomplete"),
        ("half", "gzip", gzip.compress(b"<p>text</p>") + gzip.compress(b"<p>text</p>")[:-12], "is incomplete"),
        ("parts", "gzip", gzip.compress(b"") * 20_000, "more than 10000 parts"),
        ("none", "gzip", b"<p>text</p>", "claims to be gzip, but is not"),
        ("other", "br", b"<p>text</p>", "compressed as `br`"),
    ):
        web.pages[f"/{name}"] = other.encoded(encoding, content)
        told(f"{web.url}/{name}", said)
    told(web.put("/empty", b""), "is empty")
    told(web.put("/program", b"\x7fELF\0\0\0\0"), "not text")
    told(web.put("/not.docx", b"plain"), "not a .docx", "docx")
    told(web.put("/not.zip", b"plain"), "not a zip file", "zip")
    told(web.put("/broken.zip", packed({"a.md": "# A"})[:-30]), "damaged", "zip")
    web.pages["/endless"] = other.endless
    told(f"{web.url}/endless", "could not be fetched", "website")
    assert ok(space.api.get(space.path))["revision"] == before
    assert {one["status"] for one in ok(space.api.get(f"{space.path}/imports"))["items"]} == {"failed"}


TITLE, TEXT = b"<h1>Packed</h1>", "<p>Añejo</p>".encode()


@pytest.mark.parametrize(
    ("encoding", "content"),
    [
        ("gzip", gzip.compress(TITLE + TEXT)),
        ("GZip", gzip.compress(TITLE) + gzip.compress(TEXT) + b"\x00" * 8),  # as tools write that pack in parts
        ("deflate", zlib.compress(TITLE + TEXT)),
        ("deflate", zlib.compress(TITLE + TEXT)[2:-4]),  # without the header, as some servers send it
    ],
)
def test_what_a_server_packs_unasked_is_read(space: Space, web: Elsewhere, encoding: str, content: bytes) -> None:
    web.pages["/packed"] = other.encoded(encoding, content)
    assert imported(space, f"{web.url}/packed", "html")["importedResources"] == 1
    assert "Añejo" in space.markdown("packed")


def test_an_import_ends_when_its_space_is_given_away(space: Space, web: Elsewhere) -> None:
    target = ok(space.api.post("/v1/orgs", {"title": "Takers"}), 201)["id"]
    before = ok(space.api.get(space.path))["revision"]
    web.pages["/slowly"] = other.endless
    slow = {"url": f"{web.url}/slowly", "source": "markdown"}
    begun = ok(space.api.post(f"{space.path}/imports", slow), 201)["id"]
    at = f"{space.path}/imports/{begun}"
    wait_for(lambda: ok(space.api.get(at))["status"] == "in-progress")
    ok(space.api.post(f"{space.path}/transfer", {"organization": target}))
    assert ok(space.api.get(at))["status"] == "cancelled"
    # What was begun before does not go on: the next one of the same space is not held up by it.
    assert sent(space, b"# Fresh", "markdown")["status"] == "completed"
    assert ok(space.api.get(at))["status"] == "cancelled"
    assert ok(space.api.get(space.path))["revision"] != before


@pytest.mark.parametrize("end", ["removed", "demoted"])
def test_an_import_ends_with_the_right_to_begin_it(
    reaching: HostProcess, owner: Tenant, space: Space, web: Elsewhere, end: str
) -> None:
    before = ok(space.api.get(space.path))["revision"]
    go_on = threading.Event()

    def late(asked: BaseHTTPRequestHandler) -> None:
        go_on.wait(60)
        asked.send_response(200)
        asked.send_header("Content-Length", "6")
        asked.end_headers()
        asked.wfile.write(b"# Evil")

    web.pages["/late"] = late
    one = person(reaching, owner, "create")
    begun = ok(one.api.post(f"{space.path}/imports", {"url": f"{web.url}/late", "source": "markdown"}), 201)["id"]
    at = f"{space.path}/imports/{begun}"
    wait_for(lambda: "/late" in web.asked)
    member = f"/v1/orgs/{owner.id}/members/{one.id}"
    ended = owner.api.call("DELETE", member) if end == "removed" else owner.api.call("PATCH", member, {"role": "edit"})
    assert ended.status in (200, 205)
    go_on.set()
    wait_for(lambda: ok(space.api.get(at))["status"] == "failed")
    assert "may not change this content any more" in ok(space.api.get(at))["error"]
    assert ok(space.api.get(space.path))["revision"] == before
    web.asked.clear()


def test_an_import_can_be_cancelled(space: Space, web: Elsewhere) -> None:
    before = ok(space.api.get(space.path))["revision"]
    web.pages["/slowly"] = other.endless
    slow = {"url": f"{web.url}/slowly", "source": "markdown"}
    with ThreadPoolExecutor(1) as waiting:
        answer = waiting.submit(space.api.post, f"{space.path}/content/import", slow)
        (one,) = wait_for(lambda: ok(space.api.get(f"{space.path}/imports"))["items"])
        path = f"{space.path}/imports/{one['id']}/cancel"
        assert ok(space.api.post(path))["status"] == "cancelled"
        refused(answer.result(), "cancelled")
    assert ok(space.api.post(path))["status"] == "cancelled"
    assert ok(space.api.get(space.path))["revision"] == before
