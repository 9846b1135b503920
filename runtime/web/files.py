"""The bytes of files, at addresses that the API gives out (docs/contract/api.md, "Files")."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.message import Message
from functools import partial
from typing import BinaryIO

from flask import Flask, Response, request

from runtime.api.content_origin import on_own_origin
from runtime.api.entrance import look_up
from runtime.api.host import Host
from runtime.contract import errors
from runtime.serializers.file_urls import is_signed
from runtime.store.blobs.backend import BlobMissing
from runtime.store.content.space_files import of_space

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; sandbox"
"""The policy of files: nothing in them is executed, and they have an opaque origin."""
SHOWN = ("image/", "audio/", "video/", "text/plain", "application/pdf")
"""Types that browsers show inline; others are downloaded."""
YEAR = 31_536_000
WHOLE = 1 << 20
"""Bytes that are sent at once, without a part of the streams that an organization may have open."""
PIECE = 1 << 16


def mount_files(app: Flask, host: Host) -> None:
    """Add the addresses of files; the signature in them is the permission."""

    def view(space_id: str, blob: str, signature: str, name: str) -> Response:
        on_own_origin(host, host.addresses.space_origin(space_id))
        content_type = request.args.get("type", "")
        said = {"space_id": space_id, "blob": blob, "name": name, "content_type": content_type}
        if not is_signed(said, signature):
            raise errors.NotFound("There is no such file; take its address from the API again.")
        found = _found(host, space_id, blob)
        if found is None:
            raise errors.NotFound("This file was deleted, or its space was.")
        size, owner = found
        return answer_with(host, owner, blob, size, name, content_type)

    rule = "/files/<space_id>/<blob>/<signature>/<name>"
    app.add_url_rule(rule, "file", view, methods=("GET", "HEAD"))


def _found(host: Host, space_id: str, blob: str) -> tuple[int, str] | None:
    """Find how large a blob of a space is, and the organization it belongs to."""
    find = partial(of_space, space_id=space_id, name=blob)
    return look_up(host, find, lambda found: (found[1], ""), "file", space_id, blob)


def answer_with(host: Host, owner: str, blob: str, size: int, name: str, content_type: str) -> Response:
    """Answer a request with a blob, or the part of it that is asked for; raises NotFound, Unavailable."""
    headers = _headers(blob, name, content_type)
    if request.if_none_match.contains(blob):
        return Response(status=304, headers=headers)
    start, end = 0, size
    status = 200
    wanted = _range(request.headers.get("Range", ""), size)
    if wanted is not None and request.headers.get("If-Range", f'"{blob}"') == f'"{blob}"':
        start, end = wanted
        if start >= end:
            return Response(status=416, headers={**headers, "Content-Range": f"bytes */{size}"})
        status, headers["Content-Range"] = 206, f"bytes {start}-{end - 1}/{size}"
    headers["Content-Length"] = str(end - start)
    if request.method == "HEAD":
        return Response(status=status, headers=headers)
    try:
        stream = host.blobs.open(blob, start)
    except BlobMissing:
        raise errors.NotFound("The content of this file is missing; upload it again.") from None
    if end - start <= WHOLE:
        with stream:
            return Response(stream.read(end - start), status, headers)
    try:
        pieces = host.capacity.stream(owner, lambda: _pieces(stream, end - start))
    except BaseException:
        stream.close()
        raise
    answer = Response(pieces, status, headers)
    answer.call_on_close(stream.close)  # nothing closes pieces that nobody began to read
    return answer


def _headers(blob: str, name: str, content_type: str) -> dict[str, str]:
    shown = "inline" if content_type.startswith(SHOWN) else "attachment"
    disposition = Message()
    disposition.add_header("Content-Disposition", shown, filename=("utf-8", "", name))
    text = "; charset=utf-8" if content_type.startswith("text/") else ""
    return {
        "Content-Type": content_type + text,
        "Content-Disposition": disposition["Content-Disposition"],
        # Browsers show no PDF in a sandbox; their viewers are one.
        "Content-Security-Policy": POLICY if content_type != "application/pdf" else "default-src 'none'",
        "X-Content-Type-Options": "nosniff",
        "Cross-Origin-Resource-Policy": "cross-origin",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": f"private, max-age={YEAR}, immutable",
        "Accept-Ranges": "bytes",
        "ETag": f'"{blob}"',
    }


def _range(header: str, size: int) -> tuple[int, int] | None:
    """Read the one range that is asked for; None where all of it is wanted, or several ranges are."""
    match = re.fullmatch(r"bytes=(\d{0,18})-(\d{0,18})", header.strip())
    if match is None or not (match[1] or match[2]):
        return None
    if not match[1]:
        return max(0, size - int(match[2])), size
    return int(match[1]), min(size, int(match[2]) + 1) if match[2] else size


def _pieces(stream: BinaryIO, left: int) -> Iterator[bytes]:
    with stream:
        while left > 0 and (piece := stream.read(min(PIECE, left))):
            left -= len(piece)
            yield piece
