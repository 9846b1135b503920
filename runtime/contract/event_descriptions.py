"""Events in words: what one was about, and how it ended for who reads the log. Pages, terminal and API say the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Literal, get_args

from runtime.contract.url_parts import split_url

Ending = Literal[
    "queued",
    "running",
    "retrying",
    "success",
    "not-handled",
    "refused",
    "not-found",
    "rejected",
    "busy",
    "timed-out",
    "failed",
]
ENDINGS: tuple[Ending, ...] = get_args(Ending)
WORDS: Mapping[str, str] = {
    "retrying": "will be retried",
    "not-handled": "not handled",
    "not-found": "not found",
    "timed-out": "timed out",
}
"""Endings that are written otherwise than they are called."""
UNHANDLED = 406
WAITED = frozenset(
    (
        "fetch",
        "fetch_published_script",
        "fetch_visitor_authentication",
        "ui_render",
        "content_compute_revision",
        "content_compute_document",
    )
)
"""Events for whose answer somebody waits, as their models say; those take longer to load than most commands to run."""
LONGEST = 160
"""Characters of what an event was about; addresses may be much longer."""
ENDPOINT = re.compile(
    r"^(?:https?://[^/]+)?/v1/integrations/[^/?]+/"
    r"(?:integration|installation/[^/?]+|(?:space|site)-installation/[^/?]+/[^/?]+)(?=[/?]|$)"
)
"""Where the addresses of public endpoints begin; behind it is the path that the script knows."""
BY_STATUS: Mapping[int, Ending] = {
    401: "refused",
    403: "refused",
    404: "not-found",
    405: "not-found",
    408: "timed-out",
    410: "not-found",
    429: "busy",
    503: "busy",
    504: "timed-out",
}


def unhandled(kind: str, status: int | None) -> bool:
    """Return whether a script said that it has no handler for an event, and nobody waits for what does not come."""
    return status == UNHANDLED and kind not in WAITED


def ending(kind: str, state: str, answer: int | None) -> Ending:
    """Say how an event of this type ended: by its state in the queue, and by the status of the script's answer."""
    if state in ("pending", "claimed"):
        return "queued" if state == "pending" else "running"
    if state == "failed":
        return "retrying"
    if unhandled(kind, answer):
        return "not-handled"
    if state == "delivered":
        return "success"
    if answer is None or answer >= 500 or answer in BY_STATUS:
        return BY_STATUS.get(answer or 0, "failed")
    return "rejected"


def word(ending: str) -> str:
    """Write an ending as people read it."""
    return WORDS.get(ending, ending)


def subject(payload: Mapping[str, Any]) -> str:
    """Say what an event was about: `POST /hook`, `counter · increment`; "" where its type says all."""
    describe = _SUBJECTS.get(str(payload.get("type", "")))
    text = " ".join(describe(payload).split()) if describe is not None else ""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _request(payload: Mapping[str, Any]) -> str:
    request = _object(payload, "request")
    url = _text(request, "url")
    return f"{_text(request, 'method').upper()} {_path(ENDPOINT.sub('', url))}" if url else ""


def _path(url: str) -> str:
    """Return the path of an address: queries are long, and hold what is nobody's business."""
    if url.startswith("//"):  # what follows an endpoint is a path, not a host
        return url.partition("?")[0]
    try:
        return split_url(url).path or "/"
    except ValueError:
        return url.partition("?")[0]


def _render(payload: Mapping[str, Any]) -> str:
    action = _text(_object(payload, "action"), "action")
    return " · ".join(part for part in (_text(payload, "componentId"), action) if part)


def _sign_in(payload: Mapping[str, Any]) -> str:
    return _text(payload, "action") or _text(payload, "location")


def _visit(payload: Mapping[str, Any]) -> str:
    url = _text(payload, "url")
    return " ".join(part for part in (_text(_object(payload, "feedback"), "rating"), _path(url) if url else "") if part)


def _task(payload: Mapping[str, Any]) -> str:
    """Return what authors call the kind of a task, which is theirs to name."""
    task = _object(payload, "task")
    return next((_text(task, name) for name in ("type", "kind", "name") if _text(task, name)), "")


def _source(payload: Mapping[str, Any]) -> str:
    return _text(payload, "sourceId")


def _visibility(payload: Mapping[str, Any]) -> str:
    return _text(payload, "visibility")


def _text(value: Mapping[str, Any], name: str) -> str:
    found = value.get(name)
    return found if isinstance(found, str) else ""


def _object(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = value.get(name)
    return found if isinstance(found, Mapping) else {}


_SUBJECTS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "fetch": _request,
    "fetch_visitor_authentication": _sign_in,
    "ui_render": _render,
    "content_compute_revision": _source,
    "content_compute_document": _source,
    "site_view": _visit,
    "page_feedback": _visit,
    "space_visibility_updated": _visibility,
    "task": _task,
}
