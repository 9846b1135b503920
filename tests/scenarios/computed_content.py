"""A space whose content names a source of an integration."""

from __future__ import annotations

from typing import Any

from tests.conftest import Installed
from tests.scenarios.answers import ok
from tests.scenarios.content import Space, page

SCRIPT = """
import json
import time

from runtime.sdk import ExposableError, Integration

integration = Integration()
source = integration.content_source("tickets")


def kind(context):
    return f"integration:{context.environment['integration']['name']}:tickets"


@source.revision
def pages(props, dependencies, context):
    if props.get("refuse"):
        raise ExposableError("No tickets today.", 422)
    if props.get("fail"):
        raise RuntimeError("broken")
    if props.get("slow"):
        time.sleep(60)
    if "answer" in props:
        return props["answer"]
    if props.get("many"):
        return {"pages": [{"type": "document", "title": f"Page {n}"} for n in range(props["many"])]}
    if props.get("twins"):
        return {"pages": [{"type": "document", "title": "Twin", "id": "a"}] * props["twins"]}
    if props.get("count"):
        return {"pages": [{"type": "document", "title": f"Asked at {time.time_ns()}"}]}
    if props.get("whose"):
        return {"pages": [{"type": "document", "title": context.environment["installation"]["id"]}]}
    if props.get("seen"):
        return {"pages": [{"type": "document", "title": json.dumps(dependencies, sort_keys=True)}]}
    if props.get("within"):
        inner = {"type": "computed", "title": "Inner", "computed": {"type": kind(context), "props": {"within": True}}}
        return {"pages": [{"type": "document", "title": "Level", "pages": [inner]}]}
    leaf = {"type": "document", "id": "one", "title": "Ticket 1", "description": "First."}
    leaf["computed"] = {"type": kind(context), "props": {"ticket": "1"}}
    again = {**leaf, "id": "two", "emoji": "1f600"}
    silent = {"type": "document", "title": "Silent"}
    broken = {"type": "document", "title": "Broken", "computed": {"type": kind(context), "props": {"fail": True}}}
    group = {"type": "group", "title": "Open", "pages": [leaf, again, silent, broken]}
    return {"pages": [group, {"type": "link", "title": "Tracker", "target": {"kind": "url", "url": "https://a.example"}}]}


@source.document
def document(props):
    if props.get("fail"):
        raise RuntimeError("broken")
    if "answer" in props:
        return props["answer"]
    return f'Ticket **{props["ticket"]}** of <code class="expression">space.vars.team</code>.'
"""


class Sourced(Space):
    """A space with an integration on it, whose content names its source."""

    def __init__(self, one: Installed) -> None:
        self.one, self.api = one, one.owner.api
        self.id, self.path = one.space, f"/v1/spaces/{one.space}"

    def source(self, **props: Any) -> dict[str, Any]:
        return {"type": f"integration:{self.one.name}:tickets", "props": props}

    def named(self, id_: str, *, parent: str | None = None, **props: Any) -> dict[str, Any]:
        """Make the change that puts a computed page in."""
        return page(
            f"Source {id_}", page="computed", id=id_, computed=self.source(**props), position={"parent": parent}
        )

    def pages(self, at: str = "", **query: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = ok(self.api.get(f"{at or self.path}/content/pages", **query))["pages"]
        return found

    def alone(self, **props: Any) -> list[dict[str, Any]]:
        """Read a change request with one computed page in it."""
        return self.pages(self.change_request(self.named("alone", **props)))


def titles(pages: list[dict[str, Any]]) -> list[Any]:
    return [[one["title"], *titles(one.get("pages", []))] for one in pages]
