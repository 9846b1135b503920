"""What a published site reports about its visitors (docs/contract/scripts.md, "Events")."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from runtime.contract.base import Body, Text

MAX_EVENTS = 200
MAX_COOKIES = 200

VisitorText = Annotated[Text, StringConstraints(max_length=8192)]
Identifier = Annotated[Text, StringConstraints(max_length=200)]
CookieName = Annotated[Text, StringConstraints(max_length=512)]
Address = Annotated[Text, StringConstraints(min_length=1, max_length=2048)]
Rating = Literal["bad", "ok", "good"]


class InsightsSession(Body):
    """Who the visitor is; the cookies carry the consent that scripts look for."""

    visitor_id: Identifier
    session_id: Identifier
    cookies: Annotated[dict[CookieName, VisitorText], Field(max_length=MAX_COOKIES)]
    ip: Annotated[Text, StringConstraints(max_length=100)] = ""
    user_agent: VisitorText
    language: Annotated[Text, StringConstraints(max_length=100)] | None = None
    referrer: Annotated[Text, StringConstraints(max_length=2048)] | None = None


class InsightsLocation(Body):
    """Where on the site it happened."""

    url: Address
    site_section: Identifier | None = None
    site_space: Identifier | None = None
    site_share_key: Identifier | None = None
    space: Identifier | None = None
    revision: Identifier | None = None
    page: Identifier | None = None


class InsightsEvent(Body):
    """Common fields of all events of a site."""

    session: InsightsSession
    location: InsightsLocation


class PageView(InsightsEvent):
    type: Literal["page_view"]


class Rated(Body):
    rating: Rating


class Commented(Rated):
    comment: Annotated[Text, StringConstraints(min_length=1, max_length=512)]


class PagePostFeedback(InsightsEvent):
    type: Literal["page_post_feedback"]
    feedback: Rated


class PagePostFeedbackComment(InsightsEvent):
    type: Literal["page_post_feedback_comment"]
    feedback: Commented


class OtherInsight(InsightsEvent):
    """An event that no integration receives: it is accepted and discarded."""

    type: Literal[
        "search_open",
        "search_type_query",
        "search_open_result",
        "ask_question",
        "ask_view",
        "ask_rate_response",
        "link_click",
        "api_client_open",
        "api_client_request",
        "trademark_click",
        "ad_click",
        "ad_display",
    ]


SiteInsightsEvent = Annotated[
    PageView | PagePostFeedback | PagePostFeedbackComment | OtherInsight, Field(discriminator="type")
]


class TrackEvents(Body):
    """The events of a site's visitors, oldest first."""

    events: Annotated[list[SiteInsightsEvent], Field(max_length=MAX_EVENTS)]
