"""Answers with what readers of published sites get: a page, or a text for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Response

from runtime.contract.sites import SiteIntegrationScript
from runtime.web.sites.policy import policy_of
from runtime.web.templates import TEMPLATES


def html_answer(
    status: int, scripts: Sequence[SiteIntegrationScript] = (), policy: str | None = None, **fields: Any
) -> Response:
    """Answer with a page."""
    # Of the origin that is looked at: also where a page of a site is shown at that of an integration.
    body = TEMPLATES.get_template("site.html").render(style="/sites/-/published.css", scripts=scripts, **fields)
    return Response(body, status, _headers(policy or policy_of(scripts)), mimetype="text/html")


def text_answer(text: str, type_: str) -> Response:
    """Answer with Markdown, XML or plain text, in which nothing runs and nothing is loaded."""
    return Response(text, 200, _headers(policy_of(())), content_type=f"{type_}; charset=utf-8")


def _headers(policy: str) -> dict[str, str]:
    return {
        "Content-Security-Policy": policy,
        "Cross-Origin-Resource-Policy": "same-origin",
        "Referrer-Policy": "strict-origin-when-cross-origin",
        "X-Content-Type-Options": "nosniff",
    }
