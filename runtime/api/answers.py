"""Answers that are not JSON of a model: raw answers, and errors in one format.

Source: docs/contract/api.md, "Errors".
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus

from flask import Flask, Response, request
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm.exc import StaleDataError
from werkzeug.exceptions import HTTPException

from runtime.contract import errors
from runtime.store import conflicts
from runtime.store.availability import is_away
from runtime.store.blobs.backend import BlobsUnavailable

log = logging.getLogger(__name__)

WORDS: dict[int, type[errors.ApiError]] = {
    400: errors.BadRequest,
    404: errors.NotFound,
    405: errors.MethodNotAllowed,
    413: errors.TooLarge,
    415: errors.UnsupportedMediaType,
    429: errors.TooManyRequests,
}
FILES_UNAVAILABLE = "Files cannot be read or written at the moment; try again later."
LONGEST_SHOWN = 200
"""Longest part of a request's address, in characters, that is repeated in an answer."""
STATUS_LINES = {status.value: f"{status.value} {status.phrase}" for status in HTTPStatus}


@dataclass(frozen=True, slots=True)
class RawAnswer:
    """A complete answer, independent of the web framework that sends it."""

    status: int
    headers: Sequence[tuple[str, str]]
    body: bytes

    @property
    def status_line(self) -> str:
        """Status and phrase, as WSGI wants them."""
        return STATUS_LINES.get(self.status, f"{self.status} Status")

    def response(self) -> Response:
        """Return it to Flask."""
        return Response(self.body, self.status, list(self.headers))


def unless_known(answer: RawAnswer, if_none_match: str | None) -> RawAnswer:
    """Return 304 instead of an answer whose ETag the caller already has."""
    tag = next((value for name, value in answer.headers if name == "ETag"), None)
    if if_none_match is None or tag is None:
        return answer
    tags = [part.strip().removeprefix("W/") for part in if_none_match.split(",")]
    if tag not in tags and "*" not in tags:
        return answer
    return RawAnswer(304, [(name, value) for name, value in answer.headers if name != "Content-Type"], b"")


def error_answer(error: Exception, doing: str) -> RawAnswer:
    """Return the answer to an error, without stack or SQL; unexpected errors are logged with the operation."""
    if isinstance(error, errors.ApiError):
        return worded_answer(error, error.message)
    if isinstance(error, IntegrityError) and (sentence := conflicts.sentence(error)) is not None:
        return _answer(409, sentence)  # of concurrent requests, the database lets one through
    if isinstance(error, StaleDataError):
        return _answer(409, conflicts.REMOVED)  # the row to be changed was deleted concurrently
    if isinstance(error, BlobsUnavailable):  # logged by the storage, once
        return _answer(503, FILES_UNAVAILABLE, _headers_for(errors.Unavailable()))
    if is_away(error):
        log.error("%s: the database refused: %s", doing, getattr(error, "orig", None) or error)
        unavailable = errors.Unavailable()
        return _answer(unavailable.status, unavailable.message, _headers_for(unavailable))
    log.error("%s failed", doing, exc_info=error)
    return _answer(500, "Something went wrong unexpectedly; see the host's log.")


def worded_answer(error: errors.ApiError, message: str) -> RawAnswer:
    """Return the answer to an error in the words of its reader."""
    return _answer(errors.status_of(error), message, _headers_for(error))


def _headers_for(error: errors.ApiError) -> list[tuple[str, str]]:
    """Return headers that say what to do: `WWW-Authenticate`, `Accept-Encoding` (RFC 9110, 12.5.3), `Retry-After`."""
    if isinstance(error, errors.Unauthorized):
        return [("WWW-Authenticate", "Bearer")]
    if isinstance(error, errors.EncodedBody):
        return [("Accept-Encoding", "identity")]
    return [] if error.retry_after is None else [("Retry-After", str(error.retry_after))]


def _answer(status: int, message: str, headers: Sequence[tuple[str, str]] = ()) -> RawAnswer:
    body = json.dumps(errors.body_of(status, message)).encode()
    return RawAnswer(status, [*headers, ("Content-Type", "application/json")], body)


def mount_errors(app: Flask) -> None:
    """Answer every exception in the format of errors."""
    app.register_error_handler(HTTPException, http_error)
    app.register_error_handler(Exception, any_error)


def any_error(error: Exception) -> Response:
    """Answer an exception."""
    return error_answer(error, f"{request.method} {request.path}").response()


def http_error(error: HTTPException) -> Response:
    """Answer an error of the web framework, such as an address that it does not know."""
    status = error.code or 500
    error_class = WORDS.get(status)
    headers = [(name, value) for name, value in error.get_headers() if name == "Allow"]
    if error_class is not None:
        headers += _headers_for(error_class())
    message = error_class().message if error_class else error.name
    if request.routing_exception is error and request.path.startswith("/v1/"):
        message = _no_operation(error)
    return _answer(status, message, headers).response()


def _no_operation(error: HTTPException) -> str:
    """Return the message that the operation does not exist, as opposed to the object."""
    asked = f"{request.method} {request.path[:LONGEST_SHOWN]}"
    others = sorted({*(getattr(error, "valid_methods", None) or ())} - {"HEAD", "OPTIONS"})
    if others:
        return f"This host has no operation `{asked}`; at this address there is {', '.join(others)}."
    return f"This host has no operation `{asked}`; /openapi.json lists all operations."
