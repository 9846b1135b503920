"""Errors that a script raises on purpose, and errors that the SDK raises."""

from __future__ import annotations


class ExposableError(Exception):
    """An error whose message may be shown to the user; answers `code` with `{"error": message}`.

    `code` is an HTTP status from 400 to 599. Source: docs/contract/scripts.md, "Errors of a script".
    """

    def __init__(self, message: str, code: int = 400) -> None:
        if not 400 <= code <= 599:
            raise ValueError(f"ExposableError: code must be from 400 to 599, got {code}")
        super().__init__(message)
        self.message = message
        self.code = code


class RegistrationError(ValueError):
    """A handler cannot be registered; the message says what to write instead."""


class FetchError(Exception):
    """An outgoing request got no answer: no connection, a timeout, or refused by the egress rules."""


class ApiError(Exception):
    """The platform API answered with an error status.

    `status` is the HTTP status, `message` the API's text, `body` the parsed answer, or its text when it is not JSON.
    """

    def __init__(self, status: int, message: str, body: object = None) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status
        self.message = message
        self.body = body
