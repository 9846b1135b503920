import json
import runpy
from pathlib import Path

import pytest

from runtime.sdk.answering import RawCall, answer, find_integration

INTEGRATION = find_integration(runpy.run_path(str(Path(__file__).with_name("integration.py"))))
URL = "https://team.tracker.example.com/tickets/2"


def render(**fields):
    context = {"type": "document", "spaceId": "space", "editable": True, "theme": "light"}
    event = {"eventId": "e", "type": "ui_render", "componentId": "ticket", "props": {}, "context": context, **fields}
    told = answer(INTEGRATION, RawCall(json.dumps(event).encode(), b"{}", None, lambda level, line: None))
    assert told.error is None, told.error
    return told.status, json.loads(told.body)


def test_a_pasted_link_becomes_a_card():
    status, shown = render(action={"action": "@link.unfurl", "url": URL})
    assert (status, shown["props"]) == (200, {"number": "2", "url": URL})
    (card,) = shown["element"]["children"]
    assert (card["title"], card["hint"]) == ("Pages load twice", "Ticket 2, done")
    assert render(props=shown["props"])[1]["element"] == shown["element"]


@pytest.mark.parametrize("path", ["/", "/tickets/", "/tickets/x", "/tickets/1/edit"])
def test_another_address_stays_a_link(path):
    status, told = render(action={"action": "@link.unfurl", "url": f"https://tracker.example.com{path}"})
    assert (status, set(told)) == (400, {"error"})


def test_a_ticket_that_is_gone_is_told():
    assert "There is no ticket 9" in json.dumps(render(props={"number": "9", "url": URL})[1])
