"""An integration that takes every type of event and says so, for the commands that send some."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from runtime.contract.events import EVENTS
from tests.conftest import Installed, Tenant, installed, wait_for

SCOPES = sorted({model.scope for model in EVENTS.values() if model.scope is not None})
SCRIPT = """
import json

from runtime.sdk import Integration, Response, ui

integration = Integration()


def heard(event, context):
    context.log.info("heard %s", json.dumps(event))


for kind in KINDS:
    integration.on(kind)(heard)


@integration.component("first")
def first(element, context):
    return ui.block(ui.text("drawn " + json.dumps(element.props)))


@integration.published_script
def script(event, context):
    return "console.log('hello')"


@integration.visitor_authentication
def visitor(event, context):
    return Response("", status=302, headers={"Location": "https://example.com/sign-in"})


@integration.task
def task(task, context):
    context.log.info("task %s", task["type"])


source = integration.content_source("docs")


@source.revision
def pages(props):
    return [{"type": "document", "title": "One"}]


@source.document
def page(props):
    return "# One"


@integration.fetch("*", "/*")
def anything(request):
    echo = {"url": request.url, "headers": dict(request.headers.items()), "body": request.body.decode("latin-1")}
    return Response(json.dumps(echo), headers={"Content-Type": "application/json"})


@integration.fetch("GET", "/never")
def never(request):
    return None
"""
BACKGROUND = [kind for kind, model in EVENTS.items() if not model.waits and kind != "task"]


def listener(owner: Tenant, **more: Any) -> Installed:
    """Publish and install it on a new space and a new site."""
    script = SCRIPT.replace("KINDS", repr(BACKGROUND))
    blocks = [{"id": "first", "title": "First"}]
    sources = [{"id": "docs", "title": "Docs", "configuration": {"componentId": "first"}}]
    return installed(owner, script, blocks=blocks, scopes=SCOPES, contentSources=sources, **more)


@pytest.fixture(name="hears")
def heard_listener(alpha: Tenant) -> Installed:
    """The listener, after it heard that it is on a site."""
    listening = listener(alpha)
    wait_for(lambda: alpha.api.get(f"{listening.path}/events", type="site_installation_setup").json["count"] == 1, 60)
    return listening


def manifest(folder: Path, name: str) -> Path:
    """Make a project folder that stands for an integration of this name."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = (f"name: {name}", "title: Listener", "description: Hears.", "runtime: python", "script: integration.py")
    (folder / "integration.yaml").write_text("\n".join([*lines, "scopes: []", ""]), encoding="utf-8")
    return folder
