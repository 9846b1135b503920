"""A block that counts presses, greets, and asks before it forgets."""

from runtime.sdk import ExposableError, Integration, ui

integration = Integration()


# What follows the "@" is what the manifest calls the block. `state` is what every reader starts with.
@integration.component("counter", state={"count": 0, "greeting": None})
def counter(element):
    state = element.state
    times = "time" if state["count"] == 1 else "times"
    step = element.props.get("step", 1)
    return ui.block(
        ui.text(f"Clicked {state['count']} {times}"),
        ui.hstack(
            ui.button("Click me", on_press=ui.action("increment", by=step), style="primary"),
            ui.button("Reset", on_press="reset", disabled=state["count"] == 0),
            ui.button("Set …", on_press=ui.open_modal("set_count", {"count": state["count"]})),
        ),
        ui.divider(),
        ui.input("Your name", ui.textinput("name", placeholder="Ada")),
        ui.button("Greet", on_press=ui.action("greet", name=ui.state("name"))),
        ui.hint(state["greeting"]) if state["greeting"] else None,
    )


@counter.action("increment")
def increment(element, action):
    return ui.update(state={**element.state, "count": element.state["count"] + action.get("by", 1)})


@counter.action("reset")
def reset(element):
    return ui.update(state={**element.state, "count": 0})


@counter.action("greet")
def greet(element, action, context):
    name = action.get("name", "").strip()
    if not name:
        # An ExposableError is for the reader: the page shows its text and keeps what it showed before.
        raise ExposableError("Type your name first")
    context.log.info("greeting %s", name)
    return ui.update(state={**element.state, "greeting": f"Hello, {name}!"})


# The modal below closed: its value arrives here, in the block that opened it.
@counter.action("@ui.modal.close")
def modal_closed(element, action):
    chosen = action.get("returnValue", {}).get("count")
    try:
        count = int(chosen)
    except (TypeError, ValueError):
        raise ExposableError(f"“{chosen}” is not a whole number") from None
    return ui.update(state={**element.state, "count": count})


@integration.component("set_count")
def set_count(element):
    return ui.modal(
        ui.input("Count", ui.textinput("count", initial_value=str(element.props.get("count", 0)))),
        title="Set the counter",
        submit=ui.button("Set", on_press=ui.close_modal({"count": ui.state("count")})),
    )
