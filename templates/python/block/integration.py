"""A block: a question whose answer readers uncover."""

from typing import Any

from runtime.sdk import Element, Integration, ui

integration = Integration()


# The id is the one in the manifest. Properties (`props`) are stored in the page, and the same for everybody; the state
# belongs to one reader, and starts over with the page.
@integration.component("question", state=lambda props: {"open": False, **texts(props)})
def question(element: Element):
    # Whoever writes the page sees the fields above what readers see.
    return ui.block(editor() if element.context.get("editable") else None, reader(element))


def texts(props: dict[str, Any]) -> dict[str, str]:
    return {"question": props.get("question", "What is 6 × 7?"), "answer": props.get("answer", "42")}


def reader(element: Element):
    state = element.state
    return [
        ui.text(state["question"], style="bold"),
        ui.markdown(state["answer"]) if state["open"] else None,
        ui.button("Hide" if state["open"] else "Show the answer", on_press="toggle"),
    ]


def editor():
    # `ui.state` is read where the page is shown, when the button is pressed: typing needs no round trip.
    typed = {"question": ui.state("question"), "answer": ui.state("answer")}
    return [
        ui.input("Question", ui.textinput("question")),
        ui.input("Answer", ui.textinput("answer", multiline=True), hint="Markdown works here."),
        ui.button("Save", style="primary", on_press=ui.update_node_props(typed)),
        ui.divider(),
    ]


@question.action("toggle")
def toggle(element: Element):
    return ui.update(state={**element.state, "open": not element.state["open"]})
