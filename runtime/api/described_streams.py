"""Streams as the document of the API describes them: they answer with server-sent events, and are no operations."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pydantic import BaseModel

from runtime.api.resource import PARAMETER
from runtime.contract.asking import AnswerSoFar, AskQuery, AskSite, AskStreamQuery
from runtime.contract.base import Body, Query
from runtime.contract.events import EventDetail, EventStreamQuery


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream: what it takes, and the JSON that the `data` of its events holds."""

    name: str
    method: str
    path: str
    tag: str
    summary: str
    query: type[Query]
    sends: type[BaseModel]
    body: type[Body] | None = None

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the path's parameters, in order."""
        return tuple(PARAMETER.findall(self.path))

    @property
    def rule(self) -> str:
        """The path as Flask knows it."""
        return re.sub(r"{(\w+)}", r"<\1>", self.path)

    @property
    def statuses(self) -> tuple[str, ...]:
        """The statuses it may answer with, in order; what happens later is an event."""
        sent = ("413", "415") if self.body is not None else ()
        return tuple(sorted(("200", "400", "401", "403", "404", "414", "431", "503", *sent)))


ASK = Stream(
    "streamAskInOrganization",
    "GET",
    "/v1/orgs/{organizationId}/ask/stream",
    "Ask",
    "Ask a question about the spaces of an organization, and follow the answer.",
    AskStreamQuery,
    AnswerSoFar,
)
ASK_IN_SITE = Stream(
    "streamAskInSite",
    "POST",
    "/v1/orgs/{organizationId}/sites/{siteId}/ask",
    "Ask",
    "Ask a question about a published site, and follow the answer.",
    AskQuery,
    AnswerSoFar,
    AskSite,
)
EVENTS = Stream(
    "streamIntegrationEvents",
    "GET",
    "/v1/integrations/{integrationName}/events/stream",
    "Integrations",
    "Follow the events of an integration (extension).",
    EventStreamQuery,
    EventDetail,
)
STREAMS = (ASK, ASK_IN_SITE, EVENTS)
