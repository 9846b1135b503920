"""Content sources: pages and documents that an integration computes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from runtime.sdk.arguments import planned
from runtime.sdk.call import Call
from runtime.sdk.errors import RegistrationError

HandlerT = TypeVar("HandlerT", bound=Callable[..., Any])

_SOURCE_ARGUMENTS: dict[str, Callable[[Call], Any]] = {
    "event": lambda call: call.event,
    "props": lambda call: call.event.get("props") or {},
    "dependencies": lambda call: call.event.get("dependencies") or {},
    "context": lambda call: call.context,
    "environment": lambda call: call.context.environment,
}


class ContentSource:
    """A registered content source; register its two handlers with `@source.revision` and `@source.document`."""

    __slots__ = ("document_plan", "id", "revision_plan")

    def __init__(self, source_id: str) -> None:
        self.id = source_id
        self.revision_plan: Callable[[Call], Any] | None = None
        self.document_plan: Callable[[Call], Any] | None = None

    def revision(self, handler: HandlerT) -> HandlerT:
        """Register the handler that lists pages: returns `{"pages": [...], "files": [...]}`, or a list of pages."""
        if self.revision_plan:
            raise RegistrationError(f'content source "{self.id}" has two revision handlers')
        self.revision_plan = planned(handler, _SOURCE_ARGUMENTS, f'the revision of content source "{self.id}"')
        return handler

    def document(self, handler: HandlerT) -> HandlerT:
        """Register the handler for one page: returns Markdown text, `{"markdown": ...}` or `{"document": ...}`."""
        if self.document_plan:
            raise RegistrationError(f'content source "{self.id}" has two document handlers')
        self.document_plan = planned(handler, _SOURCE_ARGUMENTS, f'the document of content source "{self.id}"')
        return handler
