"""An organization with integrations and sites, for the tests that look at their pages."""

from __future__ import annotations

import base64
import struct
import zlib
from dataclasses import dataclass
from typing import Any

from runtime.contract.identifiers import new_id
from tests.conftest import Tenant, publication, wait_for

CONFIGURED = """
from runtime.sdk import Integration, Response, ui

integration = Integration()


@integration.component("setup", state={"name": ""})
def setup(element, context):
    return ui.configuration(
        ui.text("Known as " + context.configuration.get("name", "nobody")),
        ui.input("Name", ui.textinput("name")),
        ui.button("Save", on_press="save"),
    )


@integration.component("choose", state={"spec": ""})
def choose(element, context):
    chosen = ui.select("spec", options=ui.openapi_options())
    return ui.configuration(ui.input("Specification", chosen), ui.text("Chosen: " + element.state["spec"]))


@setup.action("save")
def save(element, context):
    path = f"/integrations/{context.environment['integration']['name']}/installations/{context.installation['id']}"
    context.integration_api.patch(path, {"configuration": {"name": element.state["name"]}})
    return ui.complete({"saved": True})


@integration.fetch("GET", "/words")
def words(request):
    return Response.json([{"value": "w1", "label": "A first word"}], headers={"Access-Control-Allow-Origin": "*"})


@integration.on("installation_setup")
def installed(event, context):
    context.log.info("hello from %s", event["installationId"])
"""
PROPERTIES = {
    "properties": {
        "word": {"type": "string", "title": "Word", "description": "What it says"},
        "size": {"type": "number", "title": "Size"},
        "loud": {"type": "boolean", "title": "Loud"},
        "color": {"type": "string", "title": "Color", "enum": ["red", "blue"]},
        "key": {"type": "string", "title": "Key", "secret": True},
        "go": {"type": "button", "title": "Elsewhere", "callback_url": "/go", "button_text": "Go"},
    },
    "required": ["word"],
}


def picture() -> str:
    """Make a small PNG, in base64."""

    def chunk(name: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    row = b"\x00" + bytes((47, 95, 208)) * 40
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 40, 40, 8, 2, 0, 0, 0))
    content = b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(row * 40)) + chunk(b"IEND", b"")
    return base64.b64encode(content).decode()


def publish(owner: Tenant, title: str, **more: Any) -> str:
    """Publish an integration; gives its name."""
    name = f"shown-{new_id()[:8].lower()}"
    made = owner.api.post(f"/v1/integrations/{name}", publication(owner.id, CONFIGURED, title=title, **more))
    assert made.status == 200, made.text
    return name


@dataclass
class Places:
    """What is there: `drawn` is configured by a screen of its script, `formed` by a form."""

    drawn: str
    formed: str
    installation: str
    site: str
    pages: dict[str, str]


def furnish(owner: Tenant) -> Places:
    """Put integrations, spaces and a site into an organization."""
    api, at = owner.api, f"/app/orgs/{owner.id}"
    drawn = publish(owner, "Drawn by a script", configurations={"account": {"componentId": "setup"}})
    every = {"account": PROPERTIES, "space": PROPERTIES, "site": PROPERTIES}
    links = [{"url": "https://example.com/", "label": "More"}, {"url": "javascript:alert(1)", "label": "No link"}]
    summary = "It says <b>words</b>.\nLoud ones, too."
    more = {"configurations": every, "icon": picture(), "externalLinks": links, "summary": summary}
    formed = publish(owner, "Configured by a form", description="Says a word", **more)
    publish(owner, "<i>Not</i> installed", description="An integration that waits")
    spaces = [
        api.post(f"/v1/orgs/{owner.id}/spaces", {"title": title}).json["id"]
        for title in ("Guide", "Reference", "ערך <b>HTML</b>", "Left over")
    ]
    made = api.post(f"/v1/orgs/{owner.id}/sites", {"title": "Manual", "spaces": spaces[:1]}).json
    here = f"/v1/orgs/{owner.id}/sites/{made['id']}"
    section = api.post(f"{here}/sections", {"spaceId": spaces[1], "title": "Reference " + "long" * 28}).json["id"]
    group = api.post(f"{here}/section-groups", {"title": "Everything else", "sections": [section]}).json["id"]
    part = api.post(f"{here}/site-spaces", {"spaceId": spaces[2], "sectionId": section}).json["id"]
    assert api.call("PATCH", here, {"visibility": "share-link"}).status == 200
    assert api.post(f"{here}/publish").status == 200
    link = api.post(f"{here}/share-links", {"name": "For <b>us</b>"}).json["id"]
    target = {"kind": "site-section", "siteSectionId": section}
    redirect = api.post(f"{here}/redirects", {"source": "/old", "destination": target}).json["id"]
    assert api.post("/v1/orgs", {"title": "Another organization"}).status == 201
    installation = ""
    for name in (formed, drawn):
        one = api.post(f"/v1/integrations/{name}/installations", {"organization": owner.id})
        assert one.status == 201, one.text
        installation = one.json["id"]
    first = f"/v1/integrations/{formed}/installations"
    (mine,) = [
        one["installation"]["id"]
        for one in api.get(f"/v1/orgs/{owner.id}/installations").json["items"]
        if one["integration"]["name"] == formed
    ]
    assert api.post(f"{first}/{mine}/spaces", {"space": spaces[0]}).status == 201
    assert api.post(f"{first}/{mine}/sites", {"siteId": made["id"]}).status == 201
    events = wait_for(lambda: api.get(f"/v1/integrations/{drawn}/events", status="success").json["items"])
    one, two, site = f"{at}/integrations/{formed}", f"{at}/integrations/{drawn}", f"{at}/sites/{made['id']}"
    pages = {
        "integrations": f"{at}/integrations",
        "integrations that match": f"{at}/integrations?search=zzz",
        "the integrations of which organization": "/app/integrations",
        "in which organization": f"/app/integrations/{formed}",
        "integration": one,
        "its spaces": f"{one}/spaces",
        "its sites": f"{one}/sites",
        "its form": f"{one}/configuration",
        "its form of a space": f"{one}/spaces/{spaces[0]}/configuration",
        "its end": f"{one}/uninstall",
        "no events": f"{one}/events?type=fetch",
        "its screen": f"{two}/configuration",
        "events": f"{two}/events",
        "event": f"{two}/events/{events[0]['id']}",
        "sites": f"{at}/sites",
        "site": site,
        "its settings": f"{site}/settings",
        "its links": f"{site}/share-links",
        "its redirects": f"{site}/redirects",
        "section": f"{site}/sections/{section}",
        "group": f"{site}/groups/{group}",
        "site space": f"{site}/spaces/{part}",
        "end of a section": f"{site}/sections/{section}/remove",
        "end of a link": f"{site}/share-links/{link}/remove",
        "end of a redirect": f"{site}/redirects/{redirect}/remove",
        "end of the site": f"{site}/delete",
    }
    return Places(drawn, formed, installation, made["id"], pages)
