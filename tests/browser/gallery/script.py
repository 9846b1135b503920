"""Draws every element of the contract, with what happens when somebody uses it."""

from urllib.parse import urlsplit

from runtime.sdk import ExposableError, FetchError, Integration, Response, ui

integration = Integration()

TEAL = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 60 10'%3E"
    "%3Crect width='60' height='10' fill='teal'/%3E%3C/svg%3E"
)
MARKDOWN = """# Heading

Some **bold**, *italic*, `code` and a [link](https://example.com).

1. first
2. second

> quoted

| a | b |
|---|---|
| 1 | 2 |

```python
print("fenced")
```

<script>window.broken = true</script>
"""
FRUIT = ["apple", "banana", "cherry", "damson", "elderberry", "fig", "grape"]


def endpoint(context):
    return context.environment["installation"]["urls"]["publicEndpoint"]


@integration.component("everything", state={"presses": 0})
def everything(element):
    press = ui.action("press")
    return ui.block(
        ui.text("plain ", ui.text("bold", style="bold"), " ", ui.text("slanted", style="italic"), " ", 7),
        ui.text(ui.text("struck", style="strikethrough"), " ", ui.text("mono", style="code")),
        ui.link("A link", url="https://example.com/page"),
        ui.link("A link in parts", url=ui.url("example.com", "/found", {"q": ui.state("note")})),
        ui.hint(ui.text("A hint with "), ui.link("a way out", url="https://example.com/")),
        ui.divider(size="small"),
        ui.divider(),
        ui.divider(size="large"),
        ui.hstack(ui.text("left"), ui.text("right"), align="center"),
        ui.vstack(ui.text("upper"), ui.text("lower"), align="end"),
        ui.hstack(ui.box(ui.text("two thirds"), grow=2), ui.box(ui.text("one third"), grow=1)),
        ui.card(
            ui.text("In the card"),
            title="A card",
            hint="Its hint",
            icon="star",
            on_press=press,
            buttons=[ui.button(icon="edit", tooltip="Edit it", on_press=press)],
        ),
        ui.image(TEAL, aspect_ratio=6),
        ui.markdown(MARKDOWN),
        ui.codeblock(
            "def shown():\n    return 1\n",
            syntax="python",
            line_numbers=10,
            header=[ui.text("Header")],
            footer=[ui.text("Footer")],
            buttons=[ui.button("Copy", on_press=press)],
        ),
        ui.textinput("note", placeholder="A note"),
        ui.markdown(ui.state("note")),
        ui.button("Press", on_press=press, style="primary", icon="check", trailing_icon="link-external"),
        ui.text(f"Pressed {element.state['presses']} times"),
        {"type": "from-the-future", "children": []},
        controls=[
            ui.control("Press from the menu", on_press=press, icon="edit"),
            [
                ui.control(
                    "Delete",
                    icon="delete",
                    on_press=press,
                    confirm=ui.confirm("Delete it?", "It is gone then.", "Delete", style="danger"),
                )
            ],
        ],
    )


@everything.action("press")
def pressed(element):
    element.state["presses"] += 1


@integration.component("controls", state={"told": 0})
def controls(element, context):
    site = urlsplit(endpoint(context))
    fruit = ui.url(site.netloc, f"{site.path}/fruit", {"kind": ui.state("kind")})
    action = ui.action("tell", kind=ui.state("kind"), inner={"deep": [ui.state("name")]})
    return ui.block(
        ui.input("Name", ui.textinput("name", initial_value="Ada"), hint="Who you are"),
        ui.input("Secret", ui.textinput("secret", input_type="password")),
        ui.input("Mail", ui.textinput("mail", input_type="email", disabled=True)),
        ui.input("Story", ui.textinput("story", multiline=True)),
        ui.input("Kind", ui.select("kind", [ui.option("r", "Red"), ui.option("g", "Green")], on_value_change=action)),
        ui.input("Several", ui.select("several", ["one", "two", "three"], multiple=True, initial_value=["two"])),
        ui.input("Free", ui.select("free", ["known"], accept_input=True)),
        ui.input("Tags", ui.select("tags", ["urgent", "later"], multiple=True, accept_input=True)),
        ui.input("Fruit", ui.select("fruit", fruit, placeholder="Pick a fruit")),
        ui.input("Basket", ui.select("basket", f"{endpoint(context)}/fruit", multiple=True, accept_input=True)),
        ui.input("Specification", ui.select("spec", ui.openapi_options(), on_value_change=action)),
        ui.input("Notify", ui.switch("notify", initial_value=True)),
        ui.input("Dangerous", ui.switch("danger", confirm=ui.confirm("Really?", "It cannot be undone.", "Yes"))),
        ui.input("Apples", ui.checkbox("picked", "apples")),
        ui.input("Pears", ui.checkbox("picked", "pears")),
        ui.input("Small", ui.radio("size", "s")),
        ui.input("Large", ui.radio("size", "l")),
        ui.input("Act", ui.button("Tell", on_press=action)),
        ui.input("Program", ui.codeblock("x = 1", state="program", syntax="python", on_content_change=action)),
        ui.text(f"Told {element.state['told']} times: {element.state.get('last')}"),
    )


@controls.action("tell")
def tell(element, action):
    element.state["told"] += 1
    element.state["last"] = f"{action.get('kind')} {action['inner']['deep']}"


@integration.component("cached")
def cached(element, context):
    element.set_cache(max_age=60)
    return ui.block(ui.text("Kept for a minute"))


@integration.component("frames", state={"sent": "first", "heard": None, "renders": 0})
def frames(element, context):
    element.state["renders"] += 1
    return ui.block(
        ui.textinput("sent", placeholder="Sent to the frame"),
        ui.vstack(
            ui.webframe(
                f"{endpoint(context)}/frame{element.props.get('page', '')}",
                aspect_ratio=4,
                data={"word": ui.state("sent"), "fixed": "same"},
                buttons=[ui.button("Corner", on_press="hear")],
            )
        ),
        ui.text(f"Heard {element.state['heard']}"),
        ui.text(f"Note {element.props.get('note')}"),
        ui.text(f"Drawn {element.state['renders']} times"),
    )


@frames.action("hear")
def hear(element, action):
    element.state["heard"] = action.get("value", "nothing")


FRAME = """<!doctype html><title>Frame</title>
<p id="word">waiting</p><p id="born"></p><button id="say">Say</button><button id="keep">Keep</button>
<script>
const tell = (action) => parent.postMessage({ action }, "*");
document.getElementById("born").textContent = String(Math.random());
addEventListener("message", (event) => {
  document.getElementById("word").textContent = JSON.stringify(event.data.state);
});
document.getElementById("say").onclick = () => tell({ action: "hear", value: "hello" });
document.getElementById("keep").onclick = () => tell({ action: "@editor.node.updateProps", props: { note: "kept" } });
tell({ action: "@webframe.ready" });
tell({ action: "@webframe.resize", size: { height: 222 } });
</script>
"""


@integration.fetch("GET", "/frame")
def frame():
    return Response(FRAME, headers={"Content-Type": "text/html; charset=utf-8"})


@integration.fetch("GET", "/frame2")
def second_frame():
    return Response(FRAME.replace("waiting", "second page"), headers={"Content-Type": "text/html; charset=utf-8"})


@integration.fetch("GET", "/fruit")
def fruit(request):
    query = request.query
    names = [name for name in FRUIT if query.get("q", "") in name]
    start = int(query.get("from", 0))
    page = {"items": [{"id": name, "label": name.title(), "icon": "star"} for name in names[start : start + 3]]}
    if start + 3 < len(names):
        site = urlsplit(request.url)
        rest = {"from": str(start + 3), "q": query.get("q", "")}
        page["nextPage"] = {"host": site.netloc, "pathname": site.path, "query": rest}
    if query.get("kind"):
        page["items"].append({"id": query["kind"], "label": f"Kind {query['kind']}"})
    return Response.json(page)


@integration.fetch("POST", "/echo")
def echo(request):
    return Response(request.body, headers={"Content-Type": "application/json"})


@integration.fetch("GET", "/call")
def call(context):
    try:
        context.fetch("http://127.0.0.1:9/inside")
    except FetchError as error:
        return Response.json({"refused": str(error)})
    return Response.json({})


@integration.fetch("GET", "/channels")
def channels():
    return Response.json([{"label": "General", "value": "C1"}, {"label": "Random", "value": "C2"}])


@integration.component("overlays", state={"returned": "nothing"})
def overlays(element, context):
    return ui.block(
        ui.button("Open", on_press=ui.open_modal("dialog", {"start": "given"})),
        ui.button("Fail", on_press="fail"),
        ui.button("Break", on_press="break"),
        ui.button("Visit", on_press=ui.open_url("data:text/plain,visited")),
        ui.button("Endpoint", on_press=ui.open_url(f"{endpoint(context)}/channels")),
        ui.text(f"Returned {element.state['returned']}"),
    )


@overlays.action("@ui.modal.close")
def closed(element, action):
    element.state["returned"] = action.get("returnValue", {}).get("value", "none")


@overlays.action("fail")
def fail():
    raise ExposableError("This is for the reader")


@overlays.action("break")
def broken():
    return {}["missing"]


@integration.component("dialog")
def dialog(element):
    return ui.modal(
        ui.input("Value", ui.textinput("value", initial_value=element.props["start"])),
        ui.button("More", on_press="more"),
        ui.text(f"More {element.state.get('more', 0)}"),
        title="A dialog",
        subtitle=[ui.text("With a subtitle")],
        return_value={"value": "dismissed"},
        submit=ui.button("Done", on_press=ui.close_modal({"value": ui.state("value")})),
    )


@dialog.action("more")
def more(element):
    element.state["more"] = element.state.get("more", 0) + 1


@integration.component("wizard", state={"step": "who"})
def wizard(element):
    name = element.state.get("name")
    return ui.configuration(
        ui.stepper(
            ui.step("who", ui.input("Your name", ui.textinput("name")), ui.button("Check", on_press="check"),
                    title="Who", next=bool(name)),
            ui.step("sure", ui.text(f"You are {name}"), title="Sure?", next=True),
            active_step=element.state["step"],
            on_step_change=ui.action("go"),
            on_complete=ui.action("finish"),
        )
    )  # fmt: skip


@wizard.action("go")
def go(element, action):
    element.state["step"] = action["step"]


@wizard.action("finish")
def finish(element, context):
    context.log.info("finished as %s", element.state["name"])
    return ui.complete({"name": element.state["name"]})
