"""Sites of many large spaces: what anybody may ask of one reads those spaces alone that the answer is about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from werkzeug.test import Client

from runtime.app import Application, create_app
from runtime.services.search_indexing import Indexer
from runtime.settings import Settings
from runtime.store import rows, secrets
from runtime.store.content import revisions
from runtime.store.content.entries import Page
from runtime.store.content.revisions import CACHE, name_of
from runtime.store.content.snapshot import Snapshot
from runtime.store.database import Database
from runtime.store.rows import HOST
from runtime.store.tables.site_structure import SiteSpaceRow
from runtime.store.tables.sites import SiteRow
from runtime.store.tables.spaces import SpaceRow
from runtime.web.sites import indexes, site_map
from tests import databases
from tests.large_organization import Size, fill

SPACES = 4
SIZE = Size(members=3, teams=1, collections=1, spaces=SPACES, sites=1, sections=SPACES)
TEXT = {"object": "document", "nodes": []}


@dataclass
class Large:
    """A published site, with the spaces of its sections."""

    app: Application
    site: str
    spaces: list[str]

    def write(self, *pages: list[Page], text: dict[str, object] | None = None) -> None:
        """Write a revision of each space: its pages."""
        with self.app.host.database.transaction(writes=True) as session:
            for space_id, entries in zip(self.spaces, pages, strict=True):
                space = rows.find(session, HOST, SpaceRow, id=space_id)
                assert space is not None
                snapshot = Snapshot([replace(one, document=name_of(text or TEXT)) for one in entries])
                space.revision_id = revisions.write(session, space_id, snapshot, [text or TEXT]).id

    def ask(self, place: str) -> tuple[str, list[int]]:
        """Ask for a place; returns the answer, and which spaces were read for it."""
        with self.app.host.database.transaction(writes=False) as session:
            now = [rows.by_id(session, SpaceRow, [one])[one].revision_id for one in self.spaces]
        for revision in now:
            CACHE.forget(revision)
        home = self.app.host.addresses.site(self.site).rpartition("/sites/")[0]
        got = Client(self.app).get(f"/sites/{self.site}/{place}", home)
        assert got.status_code == 200, got.text
        return got.text, [place for place, revision in enumerate(now) if CACHE.get(revision) is not None]


def pages(many: int, **more: bool) -> list[Page]:
    return [Page(f"p{number}", title=f"Page {number}", slug=f"p{number}", **more) for number in range(many)]


@pytest.fixture
def large(tmp_path: Path) -> Iterator[Large]:
    secrets.use_keyring(secrets.load_keyring(tmp_path, None))
    with databases.opened(tmp_path, "sqlite") as database:
        fill(database, SIZE)
        site_id, spaces = published(database)
    app = create_app(Settings(data=str(tmp_path), sandbox="off"))
    app.host.indexer.close()  # a test says what the index knows, and nothing else reads spaces
    yield Large(app, site_id, spaces)
    app.close()


def published(database: Database) -> tuple[str, list[str]]:
    with database.transaction(writes=True) as session:
        site = rows.every(session, HOST, SiteRow)[0]
        site.published, site.visibility, site.agents_context = True, "public", "included"
        parts = sorted(rows.every(session, HOST, SiteSpaceRow), key=lambda part: part.position)
        return site.id, [part.space_id for part in parts]


def test_an_index_reads_the_spaces_whose_pages_it_lists(large: Large) -> None:
    few = pages(3)
    large.write(few, pages(indexes.MAX_LISTED), few, few)
    text, read = large.ask("llms.txt")
    assert text.count("\n- [Page ") == indexes.MAX_LISTED + 3 and text.count("[All pages]") == 2
    assert read == [0, 1]


def test_an_index_gives_up_where_nearly_nothing_may_be_listed(large: Large, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexes, "MAX_READ", 100)
    large.write(*(pages(60, no_index=True) for _ in large.spaces))
    text, read = large.ask("llms.txt")
    assert "[Page " not in text and text.count("[All pages]") == 2
    assert read == [0, 1]


def test_a_search_reads_no_space_for_where_its_hits_are(large: Large) -> None:
    group = Page("g", type="group", title="Group", slug="group")
    covered = Page("c", title="Page like a part", slug="part-1")  # what is there is a section
    inside = [Page("i", title="Page ä", slug="ä", parent="g")]
    large.write([*pages(2), covered], [group, *inside], pages(1), pages(1, hidden=True))
    Indexer(large.app.host.database).work()
    text, read = large.ask("-/search?q=page")
    home = large.app.host.addresses.site(large.site)
    for place in ("p0", "p1", "-/page/c", "part-1/group/%C3%A4", "part-2/p0"):
        assert f'href="{home}{place}"' in text, place
    assert "part-3/p0" not in text and read == []
    # What the index does not know yet is looked up, and what is gone or hidden since is not shown.
    large.write(pages(1), [group, *inside], [], pages(1, hidden=True))
    text, read = large.ask("-/search?q=page")
    assert f'{home}p0"' in text and f'{home}p1"' not in text and f'{home}part-2/p0"' not in text
    assert read == [0, 1, 2]


def test_links_into_many_large_spaces_read_few_of_them(large: Large, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site_map, "MAX_ENTRIES", 40)  # an estimate of one piece, of 32
    refs = [{"kind": "page", "page": "p0", "space": space} for space in large.spaces]
    text = {
        "object": "document",
        "nodes": [{"object": "block", "type": "content-ref", "data": {"ref": ref}, "nodes": []} for ref in refs],
    }
    large.write(*(pages(1) for _ in large.spaces), text=text)
    html, read = large.ask("p0")
    home = large.app.host.addresses.site(large.site)
    assert read == [0, 1, 2] and f'href="{home}part-2/p0"' in html and f'href="{home}part-3/-/page/p0"' in html
