"""Blobs in object storage that speaks S3, for hosts on more than one machine. Needs the package `boto3`."""

from __future__ import annotations

import io
import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, BinaryIO, cast
from urllib.parse import parse_qs

from runtime.contract.url_parts import split_url
from runtime.store.blobs.backend import BlobMissing, BlobsUnavailable

log = logging.getLogger(__name__)

TIMEOUT = 10
"""Seconds for a connection, and for each wait on it."""
TRIES = 3
CONNECTIONS = 32


class BadBlobAddress(ValueError):
    """The address of blob storage is invalid; the message says what it should look like."""


class S3Backend:
    """An object for each blob. Credentials come as boto3 finds them: environment, profile, or the machine's role."""

    def __init__(self, url: str) -> None:
        """Take `s3://bucket/prefix`, with `?endpoint=https://…` and `&region=…` where it is not Amazon's.

        Raises `BadBlobAddress`.
        """
        try:
            import boto3
            from botocore.config import Config
            from botocore.exceptions import BotoCoreError, ClientError
        except ImportError:
            raise BadBlobAddress("object storage needs the package boto3: pip install boto3") from None
        try:
            parts = split_url(url)
        except ValueError:
            parts = split_url("")
        if parts.scheme != "s3" or not parts.netloc:
            raise BadBlobAddress("it must look like s3://bucket/prefix?endpoint=https://storage.example")
        query = parse_qs(parts.query)
        self._bucket, self._prefix = parts.netloc, parts.path.strip("/")
        self._trouble: str | None = None
        self._failures = (BotoCoreError, ClientError)
        self._client: Any = boto3.client(
            "s3",
            endpoint_url=query.get("endpoint", [None])[0],
            region_name=query.get("region", [None])[0] or "us-east-1",
            config=Config(
                connect_timeout=TIMEOUT,
                read_timeout=TIMEOUT,
                retries={"max_attempts": TRIES, "mode": "standard"},
                max_pool_connections=CONNECTIONS,
            ),
        )

    def has(self, name: str, size: int) -> bool:
        """Return whether a blob of this size exists."""
        try:
            with self._asking(name):
                return bool(self._client.head_object(**self._at(name))["ContentLength"] == size)
        except BlobMissing:
            return False

    def write(self, name: str, content: BinaryIO) -> None:
        """Store a blob; large ones as multipart uploads."""
        with self._asking(name):
            self._client.upload_fileobj(content, self._bucket, self._at(name)["Key"])

    def open(self, name: str, start: int = 0) -> BinaryIO:
        """Read a blob from a byte on."""
        ranged = {"Range": f"bytes={start}-"} if start else {}
        with self._asking(name, whole=False):
            body = self._client.get_object(**self._at(name), **ranged)["Body"]
        return cast(BinaryIO, _Body(body, lambda: self._asking(name, whole=False), lambda: self._tell(None)))

    def delete(self, name: str) -> None:
        """Delete a blob."""
        with self._asking(name):
            self._client.delete_object(**self._at(name))

    def sweep(self, before: float) -> None:
        """Leave unfinished uploads to the rules of the bucket: only those know what others put there."""

    def _at(self, name: str) -> dict[str, str]:
        return {"Bucket": self._bucket, "Key": f"{self._prefix}/{name}" if self._prefix else name}

    @contextmanager
    def _asking(self, name: str, *, whole: bool = True) -> Iterator[None]:
        """Raise the storage's errors as `BlobsUnavailable`; record that the storage works if the answer is `whole`."""
        try:
            yield
        except self._failures as error:
            answer = getattr(error, "response", None) or {}
            code = str(answer.get("Error", {}).get("Code", ""))
            if code in ("404", "NoSuchKey", "NotFound"):
                raise BlobMissing(name) from None
            # The whole error may repeat signed addresses.
            self._tell(code or type(error).__name__)
            raise BlobsUnavailable(f"s3://{self._bucket}: {code or type(error).__name__}") from error
        if whole:
            self._tell(None)

    def _tell(self, trouble: str | None) -> None:
        """Log an error of the storage, once while it stays the same, and when it works again."""
        before, self._trouble = self._trouble, trouble
        if trouble is not None and trouble != before:
            log.error("files cannot be read or written (DEVKIT_BLOB_URL): s3://%s: %s", self._bucket, trouble)
        elif trouble is None and before is not None:
            log.info("files can be read and written again: s3://%s", self._bucket)


class _Body(io.RawIOBase):
    """The bytes of an object as they come: storage may end in the midst of them."""

    def __init__(
        self, body: Any, asking: Callable[[], AbstractContextManager[None]], ended: Callable[[], None]
    ) -> None:
        """Take the context in which each piece is read, and what is called after the last one."""
        self._body, self._asking, self._ended = body, asking, ended

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        rest = size is None or size < 0
        with self._asking():
            content: bytes = self._body.read(None if rest else size)
        if rest or (size and not content):
            self._ended()
        return content

    def close(self) -> None:
        self._body.close()
        super().close()
