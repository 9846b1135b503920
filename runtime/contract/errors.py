"""All errors of the API; status and message are the whole answer (docs/contract/api.md, "Errors")."""

from __future__ import annotations

from typing import ClassVar


class ApiError(Exception):
    """Something went wrong unexpectedly; see the host's log."""

    status: ClassVar[int] = 500
    retry_after: ClassVar[int | None] = None
    """Seconds after which the request can be retried; None if waiting does not help."""
    default_on_pages: ClassVar[str] = ""
    """What people are told of an error without a message of its own; empty where the API's sentence will do."""

    def __init__(self, message: str | None = None, *, field: str = "", on_pages: str | None = None) -> None:
        """`field` is the path of what is wrong with a request, such as `users.0.email`; `message` says the rest.

        `on_pages` is the message on pages at `/app`: without tokens and names of the API, and shown as it is.
        """
        self.field = field
        self.rule = message or (type(self).__doc__ or "").strip()
        self.message = f"{field}: {self.rule}" if field else self.rule
        message = self.message if message else None
        self.on_pages = on_pages or message or self.default_on_pages or self.message
        self.worded_for_pages = on_pages is not None
        super().__init__(self.message)


class BadRequest(ApiError):
    """The request is not valid."""

    status = 400


class Unauthorized(ApiError):
    """This operation needs a token: send the header `Authorization: Bearer <token>`."""

    status = 401


class Forbidden(ApiError):
    """This token is not allowed to do this."""

    status = 403
    default_on_pages = "You are not allowed to do this."


class NotFound(ApiError):
    """There is no such object, or this token may not see it."""

    status = 404
    default_on_pages = "There is nothing here, or you may not see it."


class MethodNotAllowed(ApiError):
    """This path does not support this method."""

    status = 405


class Conflict(ApiError):
    """The request would change nothing, or the name is taken."""

    status = 409


class PreconditionFailed(ApiError):
    """The object is not in a state that allows this."""

    status = 412


class TooLarge(ApiError):
    """The body is larger than this host accepts."""

    status = 413


class UnsupportedMediaType(ApiError):
    """The body must be JSON: send the header `Content-Type: application/json`."""

    status = 415


class EncodedBody(UnsupportedMediaType):
    """The body must be sent without `Content-Encoding`: this host accepts only `identity`, nothing compressed."""


class TooManyRequests(ApiError):
    """Too many requests; try again in a moment."""

    status = 429
    retry_after: ClassVar[int | None] = 60


class BadGateway(ApiError):
    """The integration's script could not be reached."""

    status = 502


class Unavailable(ApiError):
    """The host is busy or stopping; try again in a moment."""

    status = 503
    retry_after: ClassVar[int | None] = 1


class Inactive(Unavailable):
    """The integration is paused; somebody has to activate it first."""

    retry_after = None


class GatewayTimeout(ApiError):
    """The integration's script took too long."""

    status = 504


class ScriptAnswered(ApiError):
    """The integration's script answered with an error; its status and message are passed on."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message, on_pages=message)
        self.script_status = status


def not_seen(absent: str) -> NotFound:
    """Return the error about what is not there, or not for the actor: scripts are told of tokens, people are not."""
    return NotFound(f"{absent}, or this token may not see it.", on_pages=f"{absent}, or you may not see it.")


def status_of(error: ApiError) -> int:
    """Return the HTTP status an error leaves with."""
    return error.script_status if isinstance(error, ScriptAnswered) else error.status


def body_of(status: int, message: str) -> dict[str, dict[str, int | str]]:
    """Build the one shape every error answer has."""
    return {"error": {"code": status, "message": message}}
