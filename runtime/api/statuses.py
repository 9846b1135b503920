"""Which statuses an operation may answer with, for the document and for the tests that hold answers against it."""

from __future__ import annotations

from runtime.api.operation import Operation

WORDS = {
    "200": "Done.",
    "201": "Made.",
    "202": "Taken, to be done.",
    "204": "Done; there is nothing to say, or it was gone already.",
    "205": "Done; look again.",
    "304": "It is as it was: what `If-None-Match` names still holds.",
    "400": "The request is not valid.",
    "401": "The token is missing, unknown, revoked or expired.",
    "403": "The token may not do that.",
    "404": "There is no such object, or the token may not see it.",
    "409": "It would change nothing, a name is taken, or somebody changed the same at the same moment.",
    "412": "The object is not in a state that allows this: something is paused, locked, or in use.",
    "413": "The body is larger than this operation takes.",
    "414": "The address is longer than this host takes.",
    "415": "The body is not JSON.",
    "429": "Too much of this organization waits already; try again later.",
    "431": "The headers are larger than this host takes.",
    "4XX": "The integration's script refused; status and sentence are the script's.",
    "500": "The integration's script failed; its event log says why.",
    "502": "The integration's script could not be reached, or answered with something else.",
    "503": "The host is busy or stopping; try again in a moment.",
    "504": "The integration's script took too long.",
}
WITHOUT_BODY = frozenset({"204", "205", "304"})
BEFORE_THE_API = frozenset({"414", "431"})
"""What the web server refuses by itself, without our shape of errors."""
ALWAYS = ("400", "401", "403", "404", "414", "431", "503")


def statuses_of(operation: Operation) -> list[str]:
    """Name all statuses, in order."""
    found = {str(operation.status), *ALWAYS, *operation.also}
    if operation.method != "GET":
        found.add("409")  # the database has the last word on what may be there once
    if operation.method == "DELETE":
        found.add("204")
    if operation.body is not None:
        found |= {"413", "415"}
    if operation.uploads:
        found.add("413")
    if operation.lane and operation.method == "GET":
        found.add("304")
    return sorted(found)


def names(operation: Operation, status: int) -> bool:
    """Tell whether an operation may answer with a status."""
    known = statuses_of(operation)
    return str(status) in known or f"{status // 100}XX" in known
