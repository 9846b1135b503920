import json
import runpy
from pathlib import Path

from runtime.sdk.answering import RawCall, answer, find_integration

INTEGRATION = find_integration(runpy.run_path(str(Path(__file__).with_name("integration.py"))))


def render(editable=False, **fields):
    """Send what the platform sends when the block is shown or somebody acts on it."""
    context = {"type": "document", "spaceId": "space", "editable": editable, "theme": "light"}
    event = {"eventId": "e", "type": "ui_render", "componentId": "question", "props": {}, "context": context, **fields}
    told = answer(INTEGRATION, RawCall(json.dumps(event).encode(), b"{}", None, lambda level, line: None))
    assert told.status == 200, told.error
    return json.loads(told.body)


def test_readers_uncover_the_answer():
    shown = render(props={"question": "Why?", "answer": "*Because.*"})
    assert "Why?" in json.dumps(shown["element"])
    assert "Because" not in json.dumps(shown["element"])
    shown = render(state=shown["state"], action={"action": "toggle"})
    assert "*Because.*" in json.dumps(shown["element"])
    shown = render(state=shown["state"], action={"action": "toggle"})
    assert "Because" not in json.dumps(shown["element"])


def test_editors_fill_in_the_fields():
    shown = render(editable=True)
    assert {"question", "answer"} < set(shown["state"])
    (save,) = [part for part in shown["element"]["children"] if part.get("label") == "Save"]
    assert save["onPress"] == {
        "action": "@editor.node.updateProps",
        "props": {"question": {"$state": "question"}, "answer": {"$state": "answer"}},
    }
