"""A script that does a little of everything, for the tests of the plugin."""

import logging
import socket
import urllib.request

import requests
from beside import TITLE

from runtime.sdk import ExposableError, FetchError, Integration, Response, ui

integration = Integration()
SEEN = []
COLORS = [ui.option("red", "Red"), ui.option("blue", "Blue")]


@integration.component("form", state=lambda props: {"name": "", "greeting": props.get("greeting")})
def form(element):
    code = ui.codeblock(ui.state("code"), state="code", on_content_change=ui.action("typed", code=ui.state("code")))
    return ui.block(
        ui.markdown(ui.state("name")),
        ui.card(title="Open", on_press=ui.open_modal("asks", {"of": element.props.get("of", "you")})),
        ui.input("Name", ui.textinput("name")),
        ui.input(
            "Color", ui.select("color", [ui.option("red", "Red"), ui.option("blue", "Blue")], initial_value="red")
        ),
        ui.input("Loud", ui.switch("loud", on_value_change="loudly")),
        ui.input("One", ui.checkbox("kinds", "one")),
        ui.input("Two", ui.checkbox("kinds", "two")),
        ui.input("Text", code),
        ui.button("Save", on_press=ui.update_node_props({"name": ui.state("name"), "gone": ui.state("gone")})),
        ui.button("Never", on_press="never", disabled=True),
        ui.link("Manual", url="https://example.com/manual"),
        ui.hint(str(element.state["greeting"])),
        controls=[ui.control("Forget", on_press="forget")],
    )


@form.action("loudly")
@form.action("typed")
def changed(element, action):
    label = action.get("code") or ("LOUD" if element.state.get("loud") else "quiet")
    return ui.update(state={**element.state, "greeting": label})


@form.action("forget")
def forget():
    raise ExposableError("Nothing to forget", 422)


@form.action("crash")
def crash(element):
    return ui.update(state={"greeting": element.props["missing"]})


@form.action("@ui.modal.close")
def closed(element, action):
    return ui.update(state={**element.state, "greeting": action["returnValue"].get("answer", "nothing")})


@integration.component("asks")
def asks(element):
    return ui.modal(
        ui.text(f"Of {element.props['of']}"),
        ui.input("Answer", ui.textinput("answer")),
        return_value={"answer": "dismissed"},
        submit=ui.button("OK", on_press=ui.close_modal({"answer": ui.state("answer")})),
    )


@asks.action("end")
def end():
    return ui.complete({"answer": "ended"})


@integration.component("wrong")
def wrong():
    return {"type": "block", "children": [{"type": "buton"}]}


@integration.on("space_content_updated")
def updated(event, context):
    SEEN.append(event["revisionId"])
    print("printed", len(SEEN))
    logging.getLogger("own").warning("logged")
    context.log.info(
        "%s: %s", TITLE, context.api.get(f"/spaces/{event['spaceId']}", revision=event["revisionId"])["title"]
    )
    context.wait_until(context.log.debug, "afterwards")


@integration.on("site_view")
def viewed(event, context):
    try:
        response = context.fetch("https://hooks.example.com/x?of=view", method="POST", json={"page": event["pageId"]})
        context.log.info("%s %s", response.status, response.text())
    except FetchError:
        context.log.warn("nobody there")


@integration.on("page_feedback")
def rated(context):
    response = requests.get("http://plain.example.com/a", params={"q": "1"}, timeout=5)
    with urllib.request.urlopen("http://plain.example.com/b") as second:
        context.log.info("%s %s", response.json()["n"], second.read().decode())


@integration.on("site_installation_setup")
def set_up(context):
    try:
        context.log.info(requests.get("https://secure.example.com/", timeout=5).text)
    except requests.RequestException:
        context.log.warn("no answer")


@integration.on("installation_setup")
def connect():
    with socket.create_connection(("raw.example.com", 80), timeout=5):
        pass


@integration.task
def work(task, context):
    context.log.info("task %s", task["left"])
    if task["left"]:
        context.queue_task({"left": task["left"] - 1}, schedule=60)


@integration.fetch("GET", "/who")
def who(context):
    return {"installed": context.installation is not None, "configuration": context.configuration}


@integration.fetch("POST", "/save")
def save(request, context):
    installation = context.installation
    path = f"/integrations/{context.environment['integration']['name']}/installations/{installation['id']}"
    context.api.patch(path, {"configuration": {**installation["configuration"], **request.json()}})
    return Response.redirect(f"{installation['urls']['publicEndpoint']}/who")


@integration.published_script
def script(context):
    return f"// {context.configuration['text']} {context.secrets['KEY']}"


@integration.visitor_authentication
def sign_in(event):
    return Response.redirect(f"https://login.example.com/{event['location']}")


pages = integration.content_source("pages")


@pages.revision
def listed(props):
    return [{"type": "document", "id": "a", "title": props["title"]}]


@pages.document
def written():
    raise ExposableError("Gone", 404)
