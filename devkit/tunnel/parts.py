"""Parses the body of a host's call of a script (docs/contract/scripts.md, "The request")."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass

from werkzeug.exceptions import HTTPException
from werkzeug.formparser import FormDataParser


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a call: JSON texts, and the raw body of a request, if any."""

    event: bytes
    environment: bytes
    fetch_body: bytes | None


class MalformedCall(ValueError):
    """A request is not a call of a script; the message is a sentence."""


def read_parts(headers: Iterable[tuple[str, str]], body: bytes) -> Parts:
    """Read a call; raises `MalformedCall`."""
    kind = next((value for name, value in headers if name.lower() == "content-type"), "")
    mimetype, *options = kind.split(";")
    parameters = dict(option.strip().split("=", 1) for option in options if "=" in option)
    boundary = {name: value.strip('"') for name, value in parameters.items()}
    try:
        parser = FormDataParser(max_form_memory_size=None, silent=False)
        _, form, files = parser.parse(io.BytesIO(body), mimetype.strip(), len(body), boundary)
        raw = files.get("fetch-body")
        sent = raw.read() if raw is not None else form["fetch-body"].encode() if "fetch-body" in form else None
        return Parts(form["event"].encode(), form["environment"].encode(), sent)
    except (HTTPException, ValueError) as error:
        raise MalformedCall(
            "this address accepts calls of an integration: multipart/form-data with event and environment"
        ) from error
