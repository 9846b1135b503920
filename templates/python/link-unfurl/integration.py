"""Turns a pasted link into a block: the title and the status of a ticket."""

import re
from typing import Any
from urllib.parse import urlsplit

from runtime.sdk import Element, ExposableError, Integration, ui

integration = Integration()

PATH = re.compile(r"/tickets/([0-9]+)")
# In a real integration this comes from the tracker's API, with `context.fetch`.
TICKETS = {
    "1": {"title": "The search forgets what was typed", "status": "open"},
    "2": {"title": "Pages load twice", "status": "done"},
}


@integration.component("ticket")
def ticket(element: Element):
    number, url = element.props.get("number"), element.props.get("url")
    if not number:
        return ui.block(ui.hint("Paste the address of a ticket, such as https://tracker.example.com/tickets/1"))
    known = TICKETS.get(number)
    if known is None:
        return ui.block(ui.hint(f"There is no ticket {number}"))
    # The same answer for everybody, so the platform may keep it: seconds.
    element.set_cache(60)
    return ui.block(
        ui.card(
            title=known["title"],
            hint=f"Ticket {number}, {known['status']}",
            icon="check-circle" if known["status"] == "done" else "warning",
            on_press=ui.open_url(url) if url else None,
        )
    )


# Comes when a link is pasted that the manifest's `urlUnfurl` matches; the `props` in the answer are stored in the page.
@ticket.action("@link.unfurl")
def unfurl(action: dict[str, Any]):
    match = PATH.fullmatch(urlsplit(action["url"]).path.rstrip("/"))
    if match is None:
        raise ExposableError("This is not the address of a ticket")  # the link then stays a plain link
    return ui.update(props={"number": match[1], "url": action["url"]})
