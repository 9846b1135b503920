"""Revisions as hypothesis draws them: all that a folder can say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from hypothesis import strategies as st

from runtime.contract.slugs import Slugs
from runtime.services.importing.references import Ids
from runtime.store.content.entries import File, Page, ReusableContent
from runtime.store.content.revisions import name_of
from runtime.store.content.snapshot import Snapshot
from tests.runtime.services.markdown import block_documents
from tests.runtime.services.markdown.normal import normal

Document = dict[str, Any]
PIECES = [
    "a",
    "Guide",
    "#",
    "[x](y)",
    "*",
    "_",
    "`",
    "<b>",
    "&amp;",
    ":rocket:",
    "\\",
    "🚀",
    "é",
    "1.",
    "- ",
    "{%",
    ".",
]
titles = (
    st.lists(st.sampled_from(PIECES) | st.text("ab (]|~$", max_size=3), min_size=1, max_size=4)
    .map(" ".join)
    .filter(bool)
)
slugs = st.sampled_from(["guide", "readme", "a", "a.md", "README", "..", ".git", "é", "con", "x" * 100, "SUMMARY", "-"])
emojis = st.none() | st.sampled_from(["1f600", "1f1e9-1f1ea", "2764-fe0f", "1f468-200d-1f4bb", "book"])
texts = st.text("ab:#'\"\n yes-[]{}&*!|>%@`", max_size=12)
values = texts | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(allow_nan=False, allow_infinity=False)
variables = st.dictionaries(st.sampled_from(["a", "b_1", "yes", "on"]), values, min_size=1, max_size=3)
layouts = st.fixed_dictionaries(
    {},
    optional={
        "width": st.sampled_from(["default", "wide"]),
        "cover": st.booleans(),
        "coverSize": st.sampled_from(["hero", "full"]),
        "title": st.booleans(),
        "tableOfContents": st.booleans(),
        "metadata": st.booleans(),
    },
).filter(bool)
file_names = st.sampled_from(["a.png", "A.PNG", "b c (1).jpg", "é.pdf", ".env", "no ending", "a.b.c", "%41.png"])


class Drawn(NamedTuple):
    """A revision with its documents and the bytes of its files, by their ids."""

    snapshot: Snapshot
    documents: dict[str, Document]
    bytes: dict[str, bytes]


class _Any(dict[str, str]):
    """Ids for all keys: one of those there are."""

    def __init__(self, ids: list[str]) -> None:
        super().__init__()
        self._ids = ids

    def __contains__(self, key: object) -> bool:
        return bool(self._ids)

    def __getitem__(self, key: str) -> str:
        return self._ids[len(key) % len(self._ids)]

    def get(self, key: str, default: Any = None) -> Any:
        return self[key] if self._ids else default


@st.composite
def revisions(draw: st.DrawFn) -> Drawn:
    """Draw a revision."""
    documents: dict[str, Document] = {}
    pages = _tree(draw)
    files = [
        File(f"f{number}", None, name, "", 3, "")
        for number, name in enumerate(draw(st.lists(file_names, max_size=3, unique_by=str.lower)))
    ]
    contents = [ReusableContent(f"c{n}", title=title) for n, title in enumerate(draw(st.lists(titles, max_size=2)))]
    ids = Ids({}, {}, {})
    named = ([p.id for p in pages if p.type == "document"], [f.id for f in files], [c.id for c in contents])
    for kind, some in zip(("page", "file", "reusable-content"), named, strict=True):
        ids._of[kind] = _Any(some)
    ids.pages, ids.files, ids.reusable_contents = (_Any(some) for some in named)

    def document() -> str | None:
        drawn = draw(st.none() | block_documents.documents())
        if drawn is None or not drawn["nodes"]:
            return None
        made = ids.document(normal(drawn))
        documents[name_of(made)] = made
        return name_of(made)

    def cover() -> dict[str, Any] | None:
        refs = [{"kind": "url", "url": "https://a.example/x.png"}, *({"kind": "file", "file": f.id} for f in files)]
        said = draw(st.fixed_dictionaries({}, optional={name: st.sampled_from(refs) for name in ("ref", "refDark")}))
        return {**said, "yPos": draw(st.integers(-100, 100))} if said else None

    said = []
    for page in pages:
        if page.type == "document":
            page = replace(
                page,
                document=document(),
                cover=cover(),
                description=draw(st.none() | texts.filter(bool)),
                icon=draw(st.none() | st.just("book-open")),
                layout=draw(st.none() | layouts),
                variables=draw(st.none() | variables),
                former_paths=draw(st.none() | st.just([f"old/{page.id}", f"é {page.id}", f"100%25 {page.id}"])),
                hidden=draw(st.booleans()),
                no_index=draw(st.booleans()),
                no_robots_index=draw(st.booleans()),
            )
        elif page.type == "link":
            targets: list[Any] = [
                {"kind": "url", "url": url} for url in ("https://a.example/?a=(1)&b", "mailto:a@b", "x.md")
            ]
            targets += [{"kind": "page", "page": one} for one in named[0]]
            targets += [{"kind": "anchor", "page": one, "anchor": "a b#"} for one in named[0]]
            targets += [{"kind": "file", "file": one} for one in named[1]] + [{"kind": "space", "space": "s1"}]
            page = replace(page, target=draw(st.sampled_from(targets)))
        said.append(page)
    contents = [replace(content, document=document()) for content in contents]
    held = draw(st.just({}) | variables)
    return Drawn(Snapshot(said, files, contents, held), documents, {file.id: b"abc" for file in files})


def _tree(draw: st.DrawFn) -> list[Page]:
    pages: list[Page] = []
    slugs_in: dict[str | None, Slugs] = {}
    above: list[str] = []
    for number in range(draw(st.integers(0, 7))):
        kind = draw(st.sampled_from(["document", "document", "document", "group", "link"]))
        depth = 0 if kind == "group" else draw(st.integers(0, len(above)))
        above = above[:depth]
        parent = above[-1] if above else None
        slug = None if kind == "link" else slugs_in.setdefault(parent, Slugs()).take(draw(slugs))
        page_emojis = emojis if kind == "document" else emojis.filter(lambda emoji: emoji != "book")
        emoji = draw(page_emojis)
        pages.append(Page(f"p{number}", None, kind, draw(titles), parent, slug, emoji=emoji))  # type: ignore[arg-type]
        if kind != "link":
            above = [*above, f"p{number}"]
    # One beside a group is not in it, wherever it comes.
    inside: dict[str | None, list[Page]] = {}
    for page in pages:
        inside.setdefault(page.parent, []).append(page)
    ordered: list[Page] = []
    todo = [*reversed(inside.get(None, []))]
    while todo:
        page = todo.pop()
        ordered.append(page)
        todo += reversed(inside.get(page.id, []))
    return ordered
