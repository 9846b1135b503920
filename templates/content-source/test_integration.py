import json
import runpy
from pathlib import Path

from runtime.sdk.answering import RawCall, answer, find_integration

INTEGRATION = find_integration(runpy.run_path(str(Path(__file__).with_name("integration.py"))))
ENVIRONMENT = json.dumps({"integration": {"name": "my-integration", "version": 1}}).encode()


def tell(kind, **fields):
    event = {"eventId": "e", "type": kind, "installationId": "inst1", "spaceId": "space1", **fields}
    told = answer(INTEGRATION, RawCall(json.dumps(event).encode(), ENVIRONMENT, None, lambda level, line: None))
    assert told.error is None, told.error
    return told.status, json.loads(told.body)


def compute(what, **props):
    return tell(f"content_compute_{what}", sourceId="glossary", props=props, dependencies={})


def screen(**fields):
    context = {"type": "configuration_contentsource", "organizationId": "org1", "spaceId": "space1", "theme": "light"}
    return tell("ui_render", componentId="setup", context=context, **fields)


def test_every_page_that_is_listed_can_be_read():
    status, made = compute("revision", title="Words")
    (group,) = made["pages"]
    assert (status, group["title"], len(group["pages"])) == (200, "Words", 3)
    for page in group["pages"]:
        assert page["computed"]["type"] == "integration:my-integration:glossary"
        status, written = compute("document", **page["computed"]["props"])
        assert status == 200 and "## See also" in written["document"]["markdown"]


def test_a_term_that_is_gone_is_told():
    assert compute("document", term="gone") == (404, {"error": "There is no such term any more"})


def test_the_screen_returns_the_properties_of_the_source():
    props = {"contentSource": {"props": {"title": "Words"}, "dependencies": {}}, "submitLabel": "Change"}
    _, shown = screen(props=props)
    assert shown["state"] == {"title": "Words"}
    status, done = screen(props=props, action={"action": "add", "title": " Terms "})
    assert (status, done["returnValue"]) == (200, {"props": {"title": "Terms"}, "dependencies": {}})
    assert screen(props=props, action={"action": "add", "title": ""})[0] == 400
