"""Ask: a question and its answer (docs/contract/api.md, "Ask")."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import MISSING, Field, StringConstraints

from runtime.contract.base import Body, Query, Text, WireModel
from runtime.contract.computing import JsonDocument
from runtime.contract.content import DocumentFormat
from runtime.contract.identifiers import ObjectId
from runtime.contract.search import SearchText, SiteScope

MAX_QUESTION = 2000
MAX_PREVIOUS = 10
Question = Annotated[Text, StringConstraints(min_length=1, max_length=MAX_QUESTION)]


class AskQuery(Query):
    """The format of the answer; `details` is accepted for compatibility."""

    format: DocumentFormat = "document"
    details: bool = False


class AskStreamQuery(AskQuery):
    query: Question


class Ask(Body):
    """A question, and the previous ones."""

    query: Question
    previous_queries: Annotated[list[Question], Field(max_length=MAX_PREVIOUS)] | MISSING = MISSING


class AskContext(Body):
    site_space_id: ObjectId | MISSING = MISSING


class AskSite(Body):
    """A question about a published site; its place (`context`) does not restrict the search."""

    question: Annotated[SearchText, StringConstraints(min_length=1)]
    scope: SiteScope
    context: AskContext | MISSING = MISSING


class AnswerAsMarkdown(WireModel):
    markdown: str


class AnswerAsDocument(WireModel):
    document: JsonDocument


class AnswerSource(WireModel):
    """A source page of the answer; `sections` are the ids of the relevant sections."""

    type: Literal["page"] = "page"
    reason: str
    page: str
    revision: str
    space: str
    sections: list[str]


class Answer(WireModel):
    answer: AnswerAsMarkdown | AnswerAsDocument
    followup_questions: list[str]
    sources: list[AnswerSource]


class Asked(WireModel):
    """The answer, empty if nothing was found."""

    answer: Answer | MISSING = MISSING


class AnswerSoFar(WireModel):
    """An event of a streamed answer: the whole answer so far."""

    type: Literal["answer"] = "answer"
    answer: Answer
