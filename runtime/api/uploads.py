"""Bodies of any type that are stored as they arrive, after the sender was authorized."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, cast
from wsgiref.types import WSGIEnvironment

from werkzeug.sansio.utils import get_content_length
from werkzeug.wsgi import get_input_stream

from runtime.api.call import Call
from runtime.api.requests import refuse_encoded
from runtime.contract import errors
from runtime.store.blobs.store import Blob, BlobTooLarge


class Upload:
    """A body that was not read yet, with a limit in bytes."""

    def __init__(self, environ: WSGIEnvironment, most: int) -> None:
        """Take a request; raises TooLarge if its `Content-Length` exceeds the limit, and EncodedBody."""
        self.most = most
        length = get_content_length(environ.get("CONTENT_LENGTH"), environ.get("HTTP_TRANSFER_ENCODING"))
        if length is not None and length > most:
            raise errors.TooLarge(f"The body has {length} bytes; this operation takes at most {most}.")
        refuse_encoded(environ)
        self.length = length or 0
        self._stream = get_input_stream(environ, max_content_length=most + 1)
        self.content_type = environ.get("CONTENT_TYPE", "").partition(";")[0].strip().lower()

    @contextmanager
    def stored(self, call: Call, organization_id: str) -> Iterator[Blob]:
        """Store the body for an organization as it arrives, in one of its owner's slots; no transaction may be open.

        It is deleted again if the `with` block fails. Raises TooLarge, BadRequest for an empty one, Unauthorized, and
        Unavailable.
        """
        kept: list[Blob] = []
        try:
            yield self._store(call, organization_id, kept)
        except BaseException:
            for blob in kept:
                call.host.blobs.discard(blob)
            raise

    def _store(self, call: Call, organization_id: str, kept: list[Blob]) -> Blob:
        host = call.host

        def put() -> Blob:
            kept.append(host.blobs.put(cast(BinaryIO, self._stream), self.most, organization_id))
            return kept[0]

        try:
            blob = host.capacity.read(call.actor.owner, put, again=call.reauthenticate)
        except BlobTooLarge:
            raise errors.TooLarge(f"The body is larger than the {self.most} bytes this operation takes.") from None
        if not blob.size:
            raise errors.BadRequest("The body is empty; send the bytes of the file.")
        return blob
