"""`devkit play`."""

from __future__ import annotations

import re
import time
from typing import Any

import click

from devkit.events import outcomes, scenarios, sending
from devkit.hosts import choosing
from devkit.hosts.choosing import Choice
from devkit.projects import completion, names
from devkit.projects.environments import env_option
from devkit.terminal.output import Problem, json_option, one_line, print_result, say
from devkit.terminal.wording import counted

EXAMPLES = """\b
Examples: devkit play visit.yaml --to local
          devkit play visit.yaml --speed 10x
          devkit play visit.yaml --no-delay --json"""
FASTEST = 1000.0


class Speed(click.ParamType[float]):
    """`2x` or `0.5`: how many times as fast as recorded."""

    name = "speed"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, float):
            return value
        match = re.fullmatch(r"(\d+(?:\.\d+)?)x?", str(value).strip())
        speed = float(match[1]) if match else 0.0
        if not 0 < speed <= FASTEST:
            self.fail(f"write 2x, 10x or 0.5x, at most {FASTEST:g}x", param, ctx)
        return speed


@click.command("play", epilog=EXAMPLES)
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--speed", type=Speed(), default=1.0, metavar="FACTOR", help="2x is twice as fast as recorded.")
@click.option("--no-delay", is_flag=True, help="Send without pauses.")
@click.option(
    "--integration",
    "name",
    shell_complete=completion.integration,
    help="The integration; default: the one in this folder, or the recorded one.",
)
@env_option
@choosing.options
@json_option
def command(
    file: str,
    speed: float,
    no_delay: bool,
    name: str | None,
    env: str | None,
    chosen: Choice,
    as_json: bool,
) -> None:
    """Send the events of the scenario FILE, one after the other, with their pauses.

    The whole file is checked before the first event is sent. Playing stops at the first event without a receiver. The
    exit code is 1 if the script refuses an event, or fails.
    """
    scenario = scenarios.read(file)
    name = name or _here(env) or scenario.integration
    if name is None:
        raise Problem(f"which integration? Name it with --integration, or write `integration:` into {file}")
    client = chosen.client(local_first=True)
    done: list[dict[str, Any]] = []
    for step in scenario.steps:
        if not no_delay and step.after:
            time.sleep(step.after / speed)
        try:
            sent = sending.send(client, name, step.event, body=step.body)
        except Problem as problem:
            raise Problem(f"{step.place}: {problem.sentence} ({len(done)} of {len(scenario.steps)} sent)") from None
        done.append({"type": step.event["type"], **sent})
        if not as_json:
            say(one_line(f"{step.event['type']}: {sending.outcome(sent)}"))
    behind, wrong = outcomes.judged(client, name, done)
    text = f"Played {counted(len(done), 'event', 'events')}{outcomes.endings(done)}."
    print_result(as_json, {"host": client.host, "integration": name, "sent": done}, text, *behind)
    if wrong is not None:
        raise wrong


def _here(env: str | None) -> str | None:
    """Return the name of this folder's integration; None outside a project, unless an environment was given."""
    try:
        return names.name_here(env)
    except Problem:
        if env is not None:
            raise
        return None
