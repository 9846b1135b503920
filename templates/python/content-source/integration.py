"""A content source: pages of a space that are computed from data which lives elsewhere."""

from typing import Any

from runtime.sdk import Context, Element, ExposableError, Integration, ui
from runtime.sdk.events import ContentCompute

integration = Integration()
glossary = integration.content_source("glossary")

# In a real integration this comes from the service where the data lives, with `context.fetch`.
TERMS = {
    "block": ("Block", "A part of a page that an integration draws.", ["space"]),
    "event": ("Event", "Something that happened, and that integrations are notified of.", ["space"]),
    "space": ("Space", "A tree of pages that people write together.", ["block"]),
}


# Lists the pages. Each names the source and the properties with which its document is computed later, when it is read.
@glossary.revision
def pages(event: ContentCompute, context: Context):
    kind = f"integration:{context.environment['integration']['name']}:{event['sourceId']}"
    title = event["props"].get("title", "Glossary")
    inner = [
        {"type": "document", "id": term, "title": name, "computed": {"type": kind, "props": {"term": term}}}
        for term, (name, _, _) in sorted(TERMS.items())
    ]
    return [{"type": "group", "id": "glossary", "title": title, "pages": inner}]


# Writes one page, as Markdown.
@glossary.document
def document(props: dict[str, Any]):
    term = TERMS.get(props.get("term", ""))
    if term is None:
        raise ExposableError("There is no such term any more", 404)
    _, meaning, related = term
    others = "\n".join(f"- **{TERMS[other][0]}**: {TERMS[other][1]}" for other in related)
    return f"{meaning}\n\n## See also\n\n{others}\n"


# Asks the person who adds the source; what the screen returns becomes the properties of `pages`.
@integration.component("setup", state=lambda props: {"title": title_of(props)})
def setup(element: Element):
    return ui.configuration(
        ui.input("Title of the group", ui.textinput("title", initial_value=element.state["title"])),
        ui.button(
            element.props.get("submitLabel", "Add"), style="primary", on_press=ui.action("add", title=ui.state("title"))
        ),
    )


def title_of(props: dict[str, Any]) -> str:
    return ((props.get("contentSource") or {}).get("props") or {}).get("title", "Glossary")


@setup.action("add")
def add(action: dict[str, Any]):
    title = (action.get("title") or "").strip()
    if not title:
        raise ExposableError("Give the group a title")
    return ui.complete({"props": {"title": title}, "dependencies": {}})
