"""Sends events to an address of the user's, signed and retried as Standard Webhooks says (standardwebhooks.com)."""

import base64
import binascii
import hashlib
import hmac
import json
import random
import secrets
import time
from datetime import UTC, datetime

from runtime.sdk import FetchError, Integration

integration = Integration()

# Seconds before each further attempt: soon at first, then for about three days in all.
DELAYS = (5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 82_800)
TIMEOUT = 15

# Which property of the configuration turns an event on, and what it is when nobody has touched it.
SWITCHES = {
    "space_content_updated": ("content_updates", True),
    "site_view": ("page_views", False),
    "page_feedback": ("page_feedback", True),
}


@integration.on("installation_setup")
def make_secret(context):
    """Give every installation a secret. The change brings this event again; then there is nothing left to do."""
    installation = context.installation
    if installation["configuration"].get("secret"):
        return
    key = base64.b64encode(secrets.token_bytes(32)).decode()
    configuration = {**installation["configuration"], "secret": f"whsec_{key}"}
    context.integration_api.patch(path_of(context, installation["id"]), {"configuration": configuration})


@integration.on("space_content_updated")
@integration.on("site_view")
@integration.on("page_feedback")
def forward(event, context):
    """Send an event at once; the event's own id makes a second delivery recognizable."""
    configuration = context.installation["configuration"]
    name, default = SWITCHES[event["type"]]
    if not configuration.get("url") or not configuration.get(name, default):
        context.log.debug("%s is not wanted", event["type"])
        return
    body = json.dumps(message_of(event), separators=(",", ":"))
    deliver(context, context.installation["id"], configuration, event["eventId"], body, attempt=0)


@integration.task
def retry(task, context):
    """Send again. A task knows no installation, so its address and secret of today are read first."""
    installation = context.integration_api.get(path_of(context, task["installation"]))
    deliver(
        context,
        task["installation"],
        installation["configuration"],
        task["id"],
        task["body"],
        attempt=task["attempt"],
    )


def deliver(context, installation, configuration, message_id, body, attempt):
    """Make one attempt; a failed one queues the next."""
    url, secret = configuration.get("url"), configuration.get("secret")
    if not url or not secret:
        context.log.warn("no address or no secret any more: message %s is dropped", message_id)
        return
    now = int(time.time())
    try:
        headers = {
            "content-type": "application/json",
            "webhook-id": message_id,
            "webhook-timestamp": str(now),
            "webhook-signature": signature(secret, message_id, now, body),
        }
    except ValueError as error:
        context.log.error("%s: message %s is dropped", error, message_id)
        return
    try:
        # A redirect is not a delivery: the receiver's address is wrong, and its owner should know.
        answer = context.fetch(url, method="POST", headers=headers, body=body, timeout=TIMEOUT, follow_redirects=False)
        outcome = f"status {answer.status}"
        if answer.ok:
            context.log.info("message %s delivered, %s", message_id, outcome)
            return
        if answer.status == 410:
            context.log.warn("the receiver is gone (410): message %s is dropped", message_id)
            return
    except FetchError as error:
        outcome = str(error)
    if attempt >= len(DELAYS):
        context.log.error("message %s given up after %s attempts: %s", message_id, attempt + 1, outcome)
        return
    # Spread a little, so that messages that failed together do not all come back together.
    delay = round(DELAYS[attempt] * random.uniform(0.95, 1.04))
    context.log.warn("message %s failed (%s), again in %s s", message_id, outcome, delay)
    task = {"installation": installation, "id": message_id, "body": body, "attempt": attempt + 1}
    context.queue_task(task, schedule=delay)


def message_of(event):
    """Return what is sent. A visitor's cookies are nobody else's business."""
    data = {key: value for key, value in event.items() if key not in ("eventId", "type")}
    if "visitor" in data:
        data["visitor"] = {key: value for key, value in data["visitor"].items() if key != "cookies"}
    timestamp = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return {"type": event["type"], "timestamp": timestamp, "data": data}


def signature(secret, message_id, timestamp, body):
    """Sign `id.timestamp.body` with HMAC-SHA256; the secret is base64 after `whsec_`."""
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        raise ValueError("the signing secret is not base64 after whsec_") from None
    signed = f"{message_id}.{timestamp}.{body}".encode()
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def path_of(context, installation):
    return f"/integrations/{context.environment['integration']['name']}/installations/{installation}"
