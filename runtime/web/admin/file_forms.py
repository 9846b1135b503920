"""Forms with a file upload (multipart/form-data)."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flask import request
from werkzeug.exceptions import BadRequest, RequestEntityTooLarge

from runtime.api.host import Host
from runtime.api.uploads import Upload
from runtime.contract import errors

MAX_PARTS = 50
LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class SentFile:
    """A file of a form: what it is called, and its bytes, for operations that take some."""

    name: str
    upload: Upload


def read_form_with_file(
    host: Host, owner: str, most: int, most_file: int, *, again: Callable[[], object]
) -> tuple[dict[str, str], SentFile | None]:
    """Read a form of `most` bytes with at most one file, which browsers may also leave out.

    The file is not kept in memory; `again` is as in `RequestCapacity.read`. Raises TooLarge, BadRequest, Unavailable,
    and UnsupportedMediaType for what is no such form.
    """
    if request.mimetype != "multipart/form-data":
        raise errors.UnsupportedMediaType("Send this as a form (multipart/form-data).")
    request.max_content_length = most + most_file
    request.max_form_memory_size, request.max_form_parts = most, MAX_PARTS
    megabytes = most_file >> 20
    try:
        form, files = host.capacity.read(owner, lambda: (request.form, request.files), again=again)
    except RequestEntityTooLarge:
        raise errors.TooLarge(f"A file has at most {megabytes} MB, and typed text at most {most >> 10} KB.") from None
    except BadRequest:
        raise errors.BadRequest("The form is not in the format that browsers send; reload the page.") from None
    sent = next((file for file in files.values() if file.filename), None)
    return dict(form.items()), _sent(sent, most_file) if sent is not None else None


def _sent(file: Any, most: int) -> SentFile:
    name = posixpath.basename(str(file.filename).replace("\\", "/"))
    kept = "".join(sign for sign in name if sign.isprintable())[-LONGEST_NAME:]
    size = file.stream.seek(0, 2)
    file.stream.seek(0)
    environ = {"wsgi.input": file.stream, "CONTENT_LENGTH": str(size), "CONTENT_TYPE": file.mimetype}
    return SentFile(kept if kept.strip(". ") else "import", Upload(environ, most))
