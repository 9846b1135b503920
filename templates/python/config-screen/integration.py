"""A configuration screen: what an administrator sees after installing the integration."""

from typing import Any
from urllib.parse import urlsplit

from runtime.sdk import Context, Element, ExposableError, Integration, Request, ui

integration = Integration()

# In a real integration these come from the service it connects to.
PROJECTS = {"atlas": "Atlas", "borealis": "Borealis", "cascade": "Cascade"}


def stored(props: dict[str, Any]) -> dict[str, Any]:
    """Begin with what was saved last time; the platform hands it over as a property of the screen."""
    configuration = (props.get("installation") or {}).get("configuration") or {}
    return {
        "project": configuration.get("project", ""),
        "address": configuration.get("address", ""),
        "digest": configuration.get("digest", True),
    }


@integration.component("settings", state=stored)
def settings(element: Element, context: Context):
    here = urlsplit(context.environment["integration"]["urls"]["publicEndpoint"])
    return ui.configuration(
        # The list is fetched when the select is opened, from the route below, with what was typed as `q`.
        ui.input(
            "Project",
            ui.select(
                "project",
                ui.url(here.netloc, f"{here.path}/projects"),
                initial_value=element.state["project"],
                placeholder="Choose one",
            ),
        ),
        ui.input(
            "Send reports to",
            ui.textinput("address", input_type="email", initial_value=element.state["address"]),
            hint="An e-mail address.",
        ),
        ui.input("Weekly digest", ui.switch("digest", initial_value=element.state["digest"])),
        ui.divider(),
        ui.button(
            "Save",
            style="primary",
            on_press=ui.action(
                "save", project=ui.state("project"), address=ui.state("address"), digest=ui.state("digest")
            ),
        ),
    )


@settings.action("save")
def save(action: dict[str, Any], context: Context):
    # An ExposableError is for the person at the screen: it is shown, and what they typed stays.
    if action.get("project") not in PROJECTS:
        raise ExposableError("Choose a project first")
    if "@" not in (action.get("address") or ""):
        raise ExposableError("Type the e-mail address that gets the reports")
    installation = context.installation
    if installation is None:
        raise ExposableError("Install the integration first")
    configuration = {key: action.get(key) for key in ("project", "address", "digest")}
    # The configuration is replaced as a whole, so what else is in it must be sent again.
    context.api.patch(
        f"/integrations/{context.environment['integration']['name']}/installations/{installation['id']}",
        {"configuration": {**installation["configuration"], **configuration}},
    )
    context.log.info("set up for %s", action["project"])
    return ui.complete()


@integration.fetch("GET", "/projects")
def projects(request: Request):
    typed = request.query.get("q", "").lower()
    return {"items": [{"id": key, "label": title} for key, title in PROJECTS.items() if typed in title.lower()]}
