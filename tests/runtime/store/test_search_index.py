"""The index behind search on both databases: who is found for what, and that it is the same made anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select

from runtime.contract.identifiers import new_id
from runtime.services import search
from runtime.services.markdown.reading import document_of
from runtime.services.search_indexing import BATCH_PAGES, Indexer
from runtime.store.content import revisions
from runtime.store.content.entries import Page
from runtime.store.content.snapshot import Snapshot, in_order
from runtime.store.database import Database, now
from runtime.store.search_index import writing
from runtime.store.search_index.finding import Scope
from runtime.store.tables.organizations import OrganizationRow
from runtime.store.tables.search import SearchPageRow, SearchPostingRow, SearchSpaceRow, SearchWordRow
from runtime.store.tables.spaces import SpaceRow

SIZES = (SearchPageRow, SearchWordRow, SearchPostingRow)


class Written:
    """A space whose pages tests write: each is a title with Markdown."""

    def __init__(self, database: Database, organization: str) -> None:
        self.database = database
        with database.transaction(writes=True) as session:
            space = SpaceRow(organization_id=organization, title="S", emoji="1f600")
            session.add(space)
            session.flush()
            revisions.write(session, space.id, Snapshot(), id=space.revision_id)
            self.id = space.id

    def says(self, *pages: Page | tuple[str, str], index: bool = True) -> None:
        """Let the space say this from now on."""
        documents: list[Any] = []
        rows: list[Page] = []
        for number, one in enumerate(pages):
            if isinstance(one, tuple):
                document = document_of(one[1])
                documents.append(document)
                slug = f"page-{number}"
                one = Page(one[0].lower(), title=one[0], slug=slug, document=revisions.name_of(document))
            rows.append(one)
        with self.database.transaction(writes=True) as session:
            made = revisions.write(session, self.id, Snapshot(in_order(rows)), documents)
            space = session.get_one(SpaceRow, self.id)
            space.revision_id = made.id
        if index:
            Indexer(self.database).work()

    def finds(self, query: str, *, listed: bool = False, limit: int = 100) -> list[str]:
        """Give the titles of the pages that are found, best first."""
        return found(self.database, [self.id], query, listed=listed, limit=limit)


def found(
    database: Database, spaces: Sequence[str], query: str, *, listed: bool = False, limit: int = 100
) -> list[str]:
    """Search spaces, one page of results after the other; gives titles."""
    titles: list[str] = []
    cursor = None
    with database.transaction(writes=False) as session:
        while True:
            page = search.pages(session, Scope(spaces, listed), query, cursor, limit)
            titles += [one.row.title for one in page.items]
            cursor = page.next
            if cursor is None:
                assert page.count == len(titles)
                return titles


@pytest.fixture
def here(database: Database) -> str:
    """Give an organization."""
    with database.transaction(writes=True) as session:
        row = OrganizationRow(title="Here")
        session.add(row)
        session.flush()
        return row.id


@pytest.fixture
def space(database: Database, here: str) -> Written:
    return Written(database, here)


def test_what_no_column_holds_keeps_no_space_out_of_the_index(space: Written) -> None:
    document = document_of("## Part {#p}\n\nfindthis")
    page = Page("a", title="T\0\ud800", slug="s\0\ud800", description="d\0\ud800", document=revisions.name_of(document))
    with space.database.transaction(writes=True) as session:
        made = revisions.write(session, space.id, Snapshot(in_order([page])), [document])
        session.get_one(SpaceRow, space.id).revision_id = made.id
    Indexer(space.database).work()
    assert space.finds("findthis") == ["T ?"]


def test_titles_weigh_more_than_headings_and_these_more_than_text(space: Written) -> None:
    space.says(("Text", "a walrus here"), ("Walrus", "x"), ("Heading", "## The walrus\n\nx"), ("Other", "y"))
    assert space.finds("walrus") == ["Walrus", "Heading", "Text"]
    assert space.finds("walrus", limit=1) == ["Walrus", "Heading", "Text"]


def test_rare_words_and_more_of_them_count_more(space: Written) -> None:
    space.says(("Both", "common rare"), ("Often", "common common common"), ("Common", "common"), ("Rare", "rare"))
    assert space.finds("common rare") == ["Both"]
    assert space.finds("rare") == ["Both", "Rare"] or space.finds("rare") == ["Rare", "Both"]
    assert space.finds("common")[0] == "Common"
    assert space.finds("rare absent")[0] == "Rare"


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("instal", "Setup"),
        ("i", "Other"),
        ("INSTALLATION", "Setup"),
        ("instalation", "Setup"),
        ("instlalation", "Setup"),
        ("innstallation", "Setup"),
        ("inztallation", "Setup"),
        ("xnstallation", "Setup"),
        ("installatiom", "Setup"),
        ("ubersicht", "Setup"),
        ("übersicht", "Setup"),
        ("UBERSICHT strasse", "Setup"),
        ("naive cafe", "Setup"),
        ("max_length", "Setup"),
        ("length", "Setup"),
        ("東京", "Setup"),
        ("ελληνικα", "Setup"),
    ],
)
def test_words_are_forgiven_a_little(space: Written, query: str, title: str) -> None:
    space.says(
        ("Setup", "The installation: Übersicht, Straße, naïve café, `max_length`, 東京都, Ελληνικά."),
        ("Other", "I know nothing."),
    )
    assert space.finds(query) == [title]


def test_a_word_with_two_wrong_letters_is_another_one(space: Written) -> None:
    space.says(("Setup", "installation of cats"))
    for query in ("inzzallation", "xbts", "cbt", "", "   ", '"', "' OR 1=1 --", "*", "\ud800"):
        assert space.finds(query) == [] or query == "' OR 1=1 --"


@pytest.mark.parametrize(
    "query", ["a " * 256, "a b c d e f g h " * 30, "x" * 512, "NEAR(a b)", 'col:a "b', "%_\\", "\U0001f600"]
)
def test_hostile_queries_are_only_words(space: Written, query: str) -> None:
    space.says(("A", "a b c"))
    assert isinstance(space.finds(query), list)


def test_a_space_finds_its_own_pages_alone(database: Database, here: str, space: Written) -> None:
    other = Written(database, here)
    space.says(("Mine", "ocelot"), ("Hidden", "ocelot"))
    other.says(("Theirs", "ocelot ocelot"), ("More", "ocelots"))
    assert sorted(space.finds("ocelot")) == ["Hidden", "Mine"]
    assert sorted(found(database, [space.id, other.id], "ocelot")) == ["Hidden", "Mine", "More", "Theirs"]
    assert found(database, [], "ocelot") == []
    before = [space.finds("ocelot"), space.finds("mine ocelot")]
    other.says(*((f"Page{number}", "ocelot mine") for number in range(40)))
    assert [space.finds("ocelot"), space.finds("mine ocelot")] == before


def test_visitors_find_what_is_listed(space: Written) -> None:
    shown = Page("shown", title="Shown", slug="shown")
    hidden = Page("hidden", title="Shown hidden", slug="hidden", hidden=True)
    inside = Page("inside", title="Shown inside", slug="inside", parent="hidden")
    unsearched = Page("unsearched", title="Shown unsearched", slug="unsearched", no_index=True)
    space.says(shown, hidden, inside, unsearched)
    assert len(space.finds("shown")) == 4 and space.finds("shown", listed=True) == ["Shown"]
    space.says(shown, replace(hidden, hidden=False), inside, unsearched)
    assert len(space.finds("shown", listed=True)) == 3


def sizes(database: Database, space_id: str) -> list[int]:
    with database.transaction(writes=False) as session:
        count = [select(func.count()).select_from(table).where(table.space_id == space_id) for table in SIZES]
        return [session.scalar(one) or 0 for one in count]


WORDS = ("alpha", "beta", "gamma", "delta", "alphabet")
PAGES = st.dictionaries(
    st.sampled_from("abcdefgh"), st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join), max_size=6
)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(states=st.lists(PAGES, min_size=1, max_size=5))
def test_an_index_after_edits_is_the_same_as_one_made_anew(
    database: Database, here: str, states: list[dict[str, str]]
) -> None:
    edited = Written(database, here)
    for state in states:
        edited.says(*state.items())
    queries = [*WORDS, "alp", "alpha beta", "gamma absent", "delti", *"abc"]
    after = [edited.finds(query) for query in queries]
    held = sizes(database, edited.id)
    with database.transaction(writes=True) as session:
        writing.make_anew(session, [edited.id])
        assert writing.progress(session, [edited.id])[2] == 1
    Indexer(database).work()
    with database.transaction(writes=False) as session:
        assert writing.progress(session, [edited.id]) == (1, len(states[-1]), 0)
        assert edited.id in writing.titles(session)
    assert [edited.finds(query) for query in queries] == after
    assert sizes(database, edited.id) == held
    fresh = Written(database, here)
    fresh.says(*states[-1].items())
    assert [fresh.finds(query) for query in queries] == after and sizes(database, fresh.id) == held


class Killed(BaseException):
    """What ends a process in the middle of its work."""


def test_what_was_killed_goes_on(space: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    many = 3 * BATCH_PAGES
    space.says(*((f"Page{number}", f"zebra number{number}") for number in range(many)), index=False)
    batches = 0
    real = writing.write

    def dying(*arguments: Any) -> bool:
        nonlocal batches
        batches += 1
        done = real(*arguments)
        if batches == 2:
            raise Killed  # before the transaction commits
        return done

    monkeypatch.setattr(writing, "write", dying)
    with pytest.raises(Killed):
        Indexer(space.database).work()
    monkeypatch.undo()
    assert len(space.finds("zebra")) == BATCH_PAGES
    with space.database.transaction(writes=True) as session:  # the lease of the dead one runs out
        session.get_one(SearchSpaceRow, space.id).leased_until = now()
    Indexer(space.database).work()
    assert len(space.finds("zebra")) == many and space.finds("number95") == ["Page95"]


def test_of_two_processes_one_writes(space: Written) -> None:
    space.says(("First", "zebra"))
    space.says(("First", "zebra"), ("Second", "okapi"), index=False)
    with space.database.transaction(writes=False) as session:
        state = writing.state_of(session, space.id)
        assert state is not None and state.generation is not None
        stale = writing.prepare(session, space.id, state.generation, [], ["first"])
    Indexer(space.database).work()
    with space.database.transaction(writes=True) as session:
        assert writing.write(session, stale, None, None) is False
    assert space.finds("zebra") == ["First"] and space.finds("okapi") == ["Second"]


def test_a_deleted_space_leaves_nothing_behind(space: Written) -> None:
    space.says(("First", "zebra"))
    with space.database.transaction(writes=True) as session:
        session.get_one(SpaceRow, space.id).deleted_at = now()
    Indexer(space.database).work()
    assert sizes(space.database, space.id) == [0, 0, 0]
    with space.database.transaction(writes=True) as session:
        session.get_one(SpaceRow, space.id).deleted_at = None
    Indexer(space.database).work()
    assert space.finds("zebra") == ["First"]


def test_organizations_take_turns(database: Database, here: str, space: Written) -> None:
    space.says(*((f"Page{number}", "zebra") for number in range(3 * BATCH_PAGES)), index=False)
    with database.transaction(writes=True) as session:
        row = OrganizationRow(id=new_id(), title="Small")
        session.add(row)
        session.flush()
        organization = row.id
    small = Written(database, organization)
    small.says(("Small", "okapi"), index=False)
    indexer = Indexer(database)
    indexer.round(everywhere=True)
    assert small.finds("okapi") == ["Small"] and 0 < len(space.finds("zebra")) < 3 * BATCH_PAGES
