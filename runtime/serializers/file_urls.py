"""Addresses of files: whoever has one may read the bytes, as browsers do that send no token."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Mapping

from runtime.contract.addresses import Addresses
from runtime.store.content.entries import File
from runtime.store.secrets import keyring

SIGNATURE_BYTES = 18


def address_of(at: Addresses, space_id: str, file: File) -> str:
    """Return the address of a file's bytes: signed, so that nobody finds another one by guessing."""
    signature = sign(space_id, file.blob, file.name, file.content_type)
    return at.file(space_id, file.blob, signature, file.name, file.content_type)


def sign(space_id: str, blob: str, name: str, content_type: str) -> str:
    """Sign what an address of a file says."""
    text = "\0".join((space_id, blob, name, content_type)).encode("utf-8", "surrogatepass")
    digest = hmac.new(keyring().derive("addresses of files"), text, hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest[:SIGNATURE_BYTES]).decode()


def is_signed(values: Mapping[str, str], signature: str) -> bool:
    """Return whether the host gave out an address with this space, blob, name and content type."""
    expected = sign(values["space_id"], values["blob"], values["name"], values["content_type"])
    return hmac.compare_digest(expected.encode(), signature.encode("utf-8", "surrogatepass"))
