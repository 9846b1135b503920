"""Errors -> answers: one shape, no stack, no SQL (contract/errors.md)."""

from __future__ import annotations

import json
import logging

from flask import Flask, Response, request
from sqlalchemy.exc import DBAPIError
from werkzeug.exceptions import HTTPException

from runtime.contract import errors

log = logging.getLogger(__name__)

WORDS: dict[int, type[errors.ApiError]] = {
    400: errors.BadRequest,
    404: errors.NotFound,
    405: errors.MethodNotAllowed,
    413: errors.TooLarge,
    415: errors.UnsupportedMediaType,
    429: errors.TooManyRequests,
}


def mount_errors(app: Flask) -> None:
    """Answer every exception in the one shape of errors."""
    app.register_error_handler(errors.ApiError, _api_error)
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(DBAPIError, _database_error)
    app.register_error_handler(Exception, _anything_else)


def _answer(status: int, message: str, headers: dict[str, str] | None = None) -> Response:
    return Response(json.dumps(errors.body_of(status, message)), status, headers, mimetype="application/json")


def _api_error(error: errors.ApiError) -> Response:
    headers = {"WWW-Authenticate": "Bearer"} if isinstance(error, errors.Unauthorized) else None
    return _answer(errors.status_of(error), error.message, headers)


def _http_error(error: HTTPException) -> Response:
    status = error.code or 500
    known = WORDS.get(status)
    headers = {name: value for name, value in error.get_headers() if name == "Allow"}
    return _answer(status, known().message if known else error.name, headers)


def _database_error(error: DBAPIError) -> Response:
    log.error("%s %s: the database refused: %s", request.method, request.path, error.orig)
    return _answer(503, errors.Unavailable().message, {"Retry-After": "1"})


def _anything_else(error: Exception) -> Response:
    log.error("%s %s failed", request.method, request.path, exc_info=error)
    return _answer(500, "Something went wrong unexpectedly. The host's log says what.")
