"""Receives signed requests from another service, and works them off after they were answered."""

import hashlib
import hmac
from typing import Any

from runtime.sdk import Context, ExposableError, Integration, Request

integration = Integration()


# The address is `<public endpoint>/hook`. It names no installation, so it is the same for everybody who installs this.
@integration.fetch("POST", "/hook")
def hook(request: Request, context: Context):
    # The signature is over the bytes as they came, so it is checked before anything is read.
    given = request.headers.get("x-hub-signature-256", "")
    if not hmac.compare_digest(given.encode(), signature(context.secrets["WEBHOOK_SECRET"], request.body).encode()):
        raise ExposableError("The signature is wrong", 401)
    message = request.json()
    if not isinstance(message, dict) or not isinstance(message.get("id"), str):
        raise ExposableError("The message needs an `id`")
    # Senders give up on slow receivers: answer at once, and do the work in a task.
    context.queue_task({"message": message})
    return {"accepted": message["id"]}


def signature(secret: str, body: bytes) -> str:
    """Sign as GitHub does: HMAC-SHA256 of the body, in hexadecimal."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


@integration.task
def work(task: dict[str, Any], context: Context):
    message = task["message"]
    context.log.info("message %s: %s", message["id"], message.get("text", "without text"))
