"""The statuses that an operation may answer with, for the OpenAPI document and the tests that validate answers."""

from __future__ import annotations

from runtime.api.operation import Operation

WORDS = {
    "200": "Done.",
    "201": "Created.",
    "202": "Accepted; it is done in the background.",
    "204": "Done; the answer is empty. Also if there was nothing to delete.",
    "205": "Done; the answer is empty. Reload whatever showed the object.",
    "304": "Not modified since the `ETag` in `If-None-Match`.",
    "400": "The request is not valid.",
    "401": "The token is missing, unknown, revoked or expired.",
    "403": "The token is not allowed to do this.",
    "404": "There is no such object, or the token may not see it.",
    "409": "The request would change nothing, a name is taken, or it conflicts with a concurrent request.",
    "412": "The object is not in a state that allows this: something is paused, locked, or in use.",
    "413": "The body is larger than this operation takes.",
    "414": "The address is longer than this host accepts.",
    "415": "The body is not of the type that this operation takes, or it is compressed.",
    "429": "Too many requests of this organization are waiting; try again later.",
    "431": "The headers are larger than this host accepts.",
    "4XX": "The integration's script refused the request; status and message are from the script.",
    "500": "The integration's script failed; its event log says why.",
    "502": "The integration's script could not be reached, or answered with something else.",
    "503": "The host is busy or stopping; try again in a moment.",
    "504": "The integration's script took too long.",
}
WITHOUT_BODY = frozenset({"204", "205", "304"})
BEFORE_THE_API = frozenset({"414", "431"})
"""Statuses with which the web server itself refuses requests, without our error format."""
ALWAYS = ("400", "401", "403", "404", "414", "431", "503")


def statuses_of(operation: Operation) -> list[str]:
    """Name all statuses, in order."""
    found = {str(operation.status), *ALWAYS, *operation.also}
    if operation.method != "GET":
        found.add("409")  # the database finally decides about uniqueness
    if operation.method == "DELETE" and operation.missing:
        found.add("204")
    if operation.body is not None:
        found |= {"413", "415"}
    if operation.uploads:
        found |= {"413", "415"}
    if operation.lane and operation.method == "GET":
        found.add("304")
    return sorted(found)


def names(operation: Operation, status: int) -> bool:
    """Return whether an operation may answer with a status."""
    known = statuses_of(operation)
    return str(status) in known or f"{status // 100}XX" in known
