"""Two projects that have nothing wrong with them, one in Python and one in TypeScript, to be broken in one place."""

from __future__ import annotations

from pathlib import Path

from tests.clients.packages import MODULES

PNG = b"\x89PNG\r\n\x1a\n"

MANIFEST = """\
name: sample
title: Sample
description: A sample.
icon: icon.png
script: integration.py
target: all
scopes:
  - space:content:read
  - space:metadata:read
  - site:script:inject
  - site:script:cookies
secrets:
  TOKEN: ${{ env.SAMPLE_TOKEN }}
blocks:
  - id: card
    title: Card
contentSources:
  - id: pages
    title: Pages
    configuration:
      componentId: setup
configurations:
  account:
    componentId: settings
  space:
    properties:
      go:
        type: button
        button_text: Go
        callback_url: /connect
contentSecurityPolicy:
  script-src: https://cdn.example.com 'self'
  connect-src: https://*.example.com
"""
SCRIPT = '''\
"""A sample."""

from runtime.sdk import Integration, ui

integration = Integration()
source = integration.content_source("pages")

SCRIPT = """\\
var loader = document.createElement("script");
loader.src = "https://cdn.example.com/tag.js";
document.head.appendChild(loader);
fetch("https://api.example.com/seen");
"""


@integration.component("card")
def card(element, context):
    return ui.block(
        ui.image("https://example.com/a.png", aspect_ratio=1, alt="A picture"),
        ui.input("Name", ui.textinput("name")),
        ui.text(context.secrets["TOKEN"]),
    )


@integration.component("settings")
def settings(element):
    return ui.configuration(ui.text("Nothing to set"))


@integration.component("setup")
def setup(element):
    return ui.configuration(ui.text("Nothing to choose"))


@source.revision
def pages(event):
    return []


@integration.on("space_content_updated")
def updated(event, context):
    context.log.info(context.api.get(f"/spaces/{event['spaceId']}")["title"])


@integration.published_script
def published():
    return SCRIPT


@integration.fetch("GET", "/connect")
def connect(request):
    return "connected"
'''

JAVASCRIPT_MANIFEST = """\
name: sample
title: Sample
description: A sample.
script: ./src/index.tsx
target: all
scopes:
  - space:metadata:read
  - space:content:read
  - site:script:inject
secrets:
  TOKEN: ${{ env.SAMPLE_TOKEN }}
blocks:
  - id: card
    title: Card
configurations:
  account:
    properties:
      go:
        type: button
        button_text: Go
        callback_url: /connect
contentSecurityPolicy: connect-src https://api.example.com
"""
JAVASCRIPT = """\
import { createComponent, createIntegration } from '@gitbook/runtime';
import published from './published.raw.js';

// Comments are no code: environment.secrets.NOBODY, site_view: 1
const card = createComponent({
    componentId: 'card',
    render: async (element, { environment }) => (
        <block>
            <text>{environment.secrets.TOKEN}</text>
        </block>
    ),
});

export default createIntegration({
    components: [card],
    fetch: async (request) => new Response(request.url.endsWith('/connect') ? 'yes' : 'no'),
    fetch_published_script: async () => new Response(published),
    events: {
        space_content_updated: async (event, { api }) => {
            const { data } = await api.spaces.getSpaceById(event.spaceId);
            console.log(data.title);
        },
    },
});
"""
PUBLISHED = "fetch('https://api.example.com/seen', { body: document.title });\n"


def write_python(folder: Path) -> Path:
    """Write the project in Python."""
    (folder / "integration.yaml").write_text(MANIFEST)
    (folder / "integration.py").write_text(SCRIPT)
    (folder / "icon.png").write_bytes(PNG)
    (folder / ".env").write_text("SAMPLE_TOKEN=a-token\n")
    return folder


def write_javascript(folder: Path) -> Path:
    """Write the project in TypeScript, with the packages of the tests."""
    (folder / "gitbook-manifest.yaml").write_text(JAVASCRIPT_MANIFEST)
    (folder / "src").mkdir()
    (folder / "src" / "index.tsx").write_text(JAVASCRIPT)
    (folder / "src" / "published.raw.js").write_text(PUBLISHED)
    (folder / ".env").write_text("SAMPLE_TOKEN=a-token\n")
    (folder / "package.json").write_text("{}")
    (folder / "node_modules").symlink_to(MODULES)
    return folder


def edit(file: Path, old: str, new: str) -> None:
    """Change a text of a file that is there exactly once."""
    text = file.read_text()
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {file.name}"
    file.write_text(text.replace(old, new))
