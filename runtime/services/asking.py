"""Answers questions from the best passages that the requester may see; a model writes the answer if configured."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy.orm import Session

from runtime.contract.addresses import Addresses
from runtime.contract.asking import Answer, AnswerAsDocument, AnswerAsMarkdown, AnswerSource
from runtime.contract.computing import JsonDocument
from runtime.contract.content import DocumentFormat
from runtime.contract.document_sections import Section
from runtime.services import search
from runtime.services.answer_model import AnswerModel, ModelFailed
from runtime.services.documents import BRIEF
from runtime.services.markdown import nodes as make
from runtime.services.markdown.patience import TakesTooLong
from runtime.services.markdown.reading import document_of
from runtime.services.markdown.writing import markdown_of
from runtime.services.search import FoundPage
from runtime.services.search_excerpts import Words
from runtime.store import searching
from runtime.store.search_index import finding
from runtime.store.search_index.finding import Scope
from runtime.store.search_index.words import words_of
from runtime.store.search_index.writing import read_content
from runtime.store.tables.spaces import SpaceRow

log = logging.getLogger(__name__)

MOST_PAGES, MOST_PASSAGES = 8, 5
MOST_TEXT = 1500
"""Longest passage, in characters."""
MOST_FOLLOWUPS = 4
WORTH = 0.4
"""Minimum score of a passage in an answer, relative to the best one."""


class Passage(NamedTuple):
    """A section that is relevant to a question, with its place."""

    space_id: str
    page_id: str
    revision: str
    title: str
    section: Section
    text: str
    words: Sequence[str]
    address: str


@dataclass(frozen=True, slots=True)
class Passages:
    """The passages of an answer, best first, and follow-up questions."""

    best: Sequence[Passage]
    followups: Sequence[str]


def find(session: Session, at: Addresses, scope: Scope, question: str, previous: Sequence[str] = ()) -> Passages:
    """Find the passages that answer a question best; previous questions help if it has few words of its own."""
    matches = finding.search(session, scope, question, some=True)
    if not matches.scores and previous:
        matches = finding.search(session, scope, " ".join((question, *reversed(previous))), some=True)
    hits = matches.best(MOST_PAGES)[:MOST_PAGES]
    pages = search.shown_pages(session, hits, matches, MOST_PASSAGES)
    spaces = searching.contents(session, SpaceRow, {page.row.space_id for page in pages})
    best, words = hits[0].score if hits else 1, Words(matches.words)
    ranked = sorted(
        (
            (-score * (0.5 + 0.5 * page.score / max(1, best)), number, section, page)
            for number, page in enumerate(pages)
            for score, section in _sections(page, words)
            if page.row.space_id in spaces
        ),
        key=lambda one: one[:2],
    )
    chosen = [one for one in ranked if one[0] <= WORTH * ranked[0][0]][:MOST_PASSAGES]
    passages = [
        _passage(at, page, section, spaces[page.row.space_id].revision_id, matches.words)
        for _, _, section, page in chosen
    ]
    return Passages(passages, _followups([page for _, _, _, page in chosen], passages))


def worded(passages: Passages) -> dict[str, Any]:
    """Return a document of the passages: the text of each, and its source."""
    nodes: list[dict[str, Any]] = []
    for passage in passages.best:
        nodes += [make.paragraph([make.text(line)]) for line in passage.text.split("\n")]
        link = make.inline("link", {"ref": {"kind": "url", "url": passage.address}}, [make.text(_name(passage))])
        nodes.append(make.paragraph([make.text("From: "), link]))
    return {"object": "document", "data": {}, "nodes": nodes}


def answers(model: AnswerModel | None, passages: Passages, question: str, previous: Sequence[str]) -> Iterator[str]:
    """Yield the answer so far as Markdown, repeatedly: that of the model, or else the passages themselves.

    If the model fails, the passages replace its partial answer; the log says why.
    """
    if model is not None:
        try:
            yield from model.answer(question, previous, [(_name(one), one.address, one.text) for one in passages.best])
        except ModelFailed as error:
            log.warning("the model at DEVKIT_ASK_URL gave no answer (%s); answering with the passages", error)
        else:
            return
    yield markdown_of(worded(passages))


def reason(passages: Sequence[Passage]) -> str:
    """Return the reason why a page is a source."""
    sections = ", ".join(f"“{one.section.title or one.title}”" for one in passages)
    words = ", ".join(sorted({word for one in passages for word in one.words}))
    return (f"{sections}: has {words}" if words else f"{sections}: the title of the page says it")[:300]


def _sections(page: FoundPage, words: Words) -> list[tuple[float, Section]]:
    """Return the sections of a page that say something, with how much; its first one where the title alone does."""
    if page.excerpts:
        return [(excerpt.score, excerpt.section) for excerpt in page.excerpts]
    first = read_content(page.row.content)[1][:1]
    return [(words.worth(words.find(page.row.title)), section) for section in first]


def _passage(at: Addresses, page: FoundPage, section: Section, revision: str, words: Any) -> Passage:
    row = page.row
    address = at.app("spaces", row.space_id, "pages", row.page_id)
    said = words.keys() & {*words_of(section.title), *words_of(section.text)}
    text = _shortened(section.text or section.title)
    return Passage(row.space_id, row.page_id, revision, row.title, section, text, sorted(said), address)


def _shortened(text: str) -> str:
    """Shorten a long text after a whole paragraph, or word."""
    if len(text) <= MOST_TEXT:
        return text
    cut = text[:MOST_TEXT]
    return cut[: cut.rfind("\n")] if "\n" in cut[MOST_TEXT // 2 :] else cut[: cut.rfind(" ")] + " …"


def _followups(pages: Sequence[FoundPage], passages: Sequence[Passage]) -> list[str]:
    """Return questions about the headings next to those of the answer."""
    used = {(one.space_id, one.page_id, one.section.anchor) for one in passages}
    questions: dict[str, None] = {}
    for page in pages:
        for section in read_content(page.row.content)[1]:
            if section.title and (page.row.space_id, page.row.page_id, section.anchor) not in used:
                title = section.title[:150]
                questions[title if title.endswith("?") else f"What about “{title}”?"] = None
    return list(questions)[:MOST_FOLLOWUPS]


def _name(passage: Passage) -> str:
    return f"{passage.title} › {passage.section.title}" if passage.section.title else passage.title


def shown(passages: Passages, text: str, form: DocumentFormat) -> Answer:
    """Return an answer with its sources, one for each page."""
    by_page: dict[tuple[str, str], list[Passage]] = {}
    for passage in passages.best:
        by_page.setdefault((passage.space_id, passage.page_id), []).append(passage)
    return Answer(
        answer=AnswerAsMarkdown(markdown=text) if form == "markdown" else AnswerAsDocument(document=_document(text)),
        followup_questions=list(passages.followups),
        sources=[
            AnswerSource(
                page=page_id,
                space=space_id,
                revision=of_page[0].revision,
                sections=[one.section.anchor or page_id for one in of_page],
                reason=reason(of_page),
            )
            for (space_id, page_id), of_page in by_page.items()
        ],
    )


def _document(text: str) -> JsonDocument:
    try:
        document = document_of(text, seconds=BRIEF)
    except TakesTooLong:  # as it stands
        document = {"nodes": [make.paragraph([make.text(text)])]}
    return JsonDocument(data=document.get("data", {}), nodes=document["nodes"])
