"""Addresses of PDFs: signed, and worth nothing after an hour."""

from __future__ import annotations

import base64
import hashlib
import hmac
import time

from runtime.contract.addresses import Addresses
from runtime.store.secrets import keyring
from runtime.store.tables.pdfs import PdfRow

LIFETIME = 3600
"""Seconds for which an address works."""
SIGNATURE_BYTES = 18


def address_of(at: Addresses, row: PdfRow) -> str:
    """Return the address of a PDF, which works for an hour."""
    until = int(time.time()) + LIFETIME
    return at.pdf(row.space_id, row.id, until, _sign(row.id, until), f"{row.name}.pdf")


def opens(pdf_id: str, until: str, signature: str) -> bool:
    """Return whether the host gave out an address that still works."""
    if not until.isascii() or not until.isdigit() or len(until) > 12 or int(until) < time.time():
        return False
    return hmac.compare_digest(_sign(pdf_id, int(until)).encode(), signature.encode("utf-8", "surrogatepass"))


def _sign(pdf_id: str, until: int) -> str:
    key = keyring().derive("addresses of PDFs")
    digest = hmac.new(key, f"{pdf_id} {until}".encode(), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest[:SIGNATURE_BYTES]).decode()
