"""Signs requests the way well-known senders of webhooks do, so that a script's own check accepts them."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Callable

from devkit.terminal.output import Mistake

Signer = Callable[[str, bytes, int, str], dict[str, str]]


def stripe(secret: str, body: bytes, moment: int, message_id: str) -> dict[str, str]:
    """`Stripe-Signature: t=...,v1=...` over `time.body` (docs.stripe.com/webhooks)."""
    return {"Stripe-Signature": f"t={moment},v1={_hex(secret, f'{moment}.'.encode() + body)}"}


def github(secret: str, body: bytes, moment: int, message_id: str) -> dict[str, str]:
    """`X-Hub-Signature-256: sha256=...` over the body, with the delivery's id and a `ping` (docs.github.com)."""
    return {
        "X-GitHub-Delivery": message_id,
        "X-GitHub-Event": "ping",
        "X-Hub-Signature-256": f"sha256={_hex(secret, body)}",
    }


def slack(secret: str, body: bytes, moment: int, message_id: str) -> dict[str, str]:
    """`X-Slack-Signature: v0=...` over `v0:time:body`, with the time beside it (docs.slack.dev)."""
    signed = _hex(secret, f"v0:{moment}:".encode() + body)
    return {"X-Slack-Request-Timestamp": str(moment), "X-Slack-Signature": f"v0={signed}"}


def standard_webhooks(secret: str, body: bytes, moment: int, message_id: str) -> dict[str, str]:
    """`webhook-signature: v1,...` over `id.time.body`; the secret is base64 after `whsec_` (standardwebhooks.com)."""
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except (binascii.Error, ValueError):
        raise Mistake("--secret: Standard Webhooks uses base64, usually after whsec_") from None
    signed = hmac.new(key, f"{message_id}.{moment}.".encode() + body, hashlib.sha256).digest()
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(moment),
        "webhook-signature": "v1," + base64.b64encode(signed).decode(),
    }


SIGNERS: dict[str, Signer] = {
    "stripe": stripe,
    "github": github,
    "slack": slack,
    "standard-webhooks": standard_webhooks,
}
"""Name -> function of secret, body, seconds since the epoch and the message's id; gives the headers."""


def _hex(secret: str, text: bytes) -> str:
    return hmac.new(secret.encode(), text, hashlib.sha256).hexdigest()
