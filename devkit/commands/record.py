"""`devkit record`."""

from __future__ import annotations

import json
import math
import signal
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from devkit.events import history, scenarios, sending
from devkit.events.scenarios import Step, Unwritable
from devkit.events.types import EventType
from devkit.hosts import choosing
from devkit.hosts.budgets import Budget
from devkit.hosts.choosing import Choice
from devkit.hosts.client import Client, RequestRefused, TooMuch
from devkit.projects import completion, names
from devkit.projects.environments import env_option
from devkit.terminal.ending import InterruptEvent
from devkit.terminal.integers import BoundedInteger
from devkit.terminal.output import Problem, json_option, print_result, say, warn

EVERY = 0.5
ENOUGH = 400
"""Known events in a row, after which older ones are known, too."""
EXAMPLES = """\b
Examples: devkit record visit.yaml
          devkit record visit.yaml --count 3 --type site_view
          devkit record morning.yaml --since 2h"""


@click.command("record", epilog=EXAMPLES)
@click.argument("file", type=click.Path(dir_okay=False))
@click.option("--since", metavar="WHEN", help="Record the events of the last 30s, 10m, 2h or 1d instead of waiting.")
@click.option("--count", type=BoundedInteger(1, 10_000), help="Stop after this many events; default: until Ctrl-C.")
@click.option(
    "--type",
    "kinds",
    multiple=True,
    type=EventType(),
    metavar="TYPE",
    help="Only this type; may be given several times. Default: all that need no answer, such as changes of content.",
)
@click.option(
    "--integration",
    "name",
    shell_complete=completion.integration,
    help="The integration; default: the one in this folder.",
)
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@env_option
@choosing.options
@json_option
def command(
    file: str,
    since: str | None,
    count: int | None,
    kinds: tuple[str, ...],
    name: str | None,
    force: bool,
    env: str | None,
    chosen: Choice,
    as_json: bool,
) -> None:
    """Write the events of an integration into FILE as they happen, with the pauses between them.

    The file is YAML that you can edit, and `devkit play FILE` sends it. It is complete after every event.
    """
    path = Path(file)
    if path.exists() and not force:
        raise Problem(f"{file} already exists", hint="--force overwrites it")
    if not path.resolve().parent.is_dir():
        raise Problem(f"there is no folder {path.resolve().parent}")
    begin = history.moment(since) if since else None
    name = name or names.name_here(env)
    recording = Recording(chosen.client(local_first=True), name, path, kinds, count)
    if begin is not None:
        recording.look(begin)
    else:
        recording.follow(as_json)
    if recording.withheld:
        warn(f"{recording.withheld} events of other organizations were left out: you may not see their payloads")
    if not recording.events:
        raise Problem(f"nothing was recorded: {name} had no such event")
    report = {"file": file, "integration": name, "events": len(recording.events)}
    count = len(recording.events)
    said = "1 event" if count == 1 else f"{count} events"
    print_result(as_json, report, f"{said} in {file}; `devkit play {file}` sends {'it' if count == 1 else 'them'}.")


class Recording:
    """Events of one integration on their way into a file."""

    def __init__(self, client: Client, name: str, path: Path, kinds: tuple[str, ...], count: int | None) -> None:
        self._client, self._name, self._path = client, name, path
        self._kinds, self._count = kinds, count
        self._stopping = InterruptEvent()
        self._seen: set[str] = set()
        self._budget = Budget(seconds=math.inf)  # for all that is kept: whoever records may take days
        self.events: dict[str, dict[str, Any]] = {}
        self.withheld = 0

    def look(self, begin: str | None) -> None:
        """Write all new events since a given time; raises Problem."""
        unseen = list(self._new(begin))  # whole, before any of them counts as seen: the host may go away in between
        self._seen.update(event["id"] for event in unseen)
        fresh = [event for event in unseen if self._wanted(event)]
        size = sum(len(json.dumps(event)) for event in fresh)
        self._client.spend(self._budget, history.path(self._name), size, len(unseen))
        for event in fresh[::-1][: None if self._count is None else self._count - len(self.events)]:
            carries = event["payload"]["type"] == "fetch"
            whole = history.whole(self._client, self._name, event["id"], self._budget) if carries else event
            self.events[event["id"]] = whole
        if fresh:
            scenarios.write(self._path, self._name, self._steps())

    def _new(self, begin: str | None) -> Iterator[dict[str, Any]]:
        """Yield unseen events, newest first; events that end late are found behind some that were seen."""
        known = 0
        for event in history.walk(self._client, self._name, since=begin):
            known = known + 1 if event["id"] in self._seen else 0
            if not known:
                yield event
            elif known >= ENOUGH:
                return

    def follow(self, as_json: bool) -> None:
        """Record events as they happen, until there are enough or a signal arrives; raises Problem."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda *_: self._stopping.set())
        begin = self._now()
        if not as_json:
            say(f"Recording the events of {self._name} at {self._client.host}; Ctrl-C ends it.")
        away = False
        while not self._stopping.is_set() and (self._count is None or len(self.events) < self._count):
            try:
                self.look(begin)
                away = False
            except (RequestRefused, TooMuch, Unwritable):
                raise
            except Problem as problem:
                if not away:
                    warn(f"{problem.sentence} Trying again.")
                away = True
            self._stopping.wait(EVERY)

    def _now(self) -> str | None:
        """Return the time from which on events count, by the host's clock: that of the newest one it has."""
        newest = history.latest(self._client, self._name, 1)
        if not newest:
            return None
        begin = str(newest[0]["createdAt"])
        self._seen.update(event["id"] for event in history.walk(self._client, self._name, since=begin))
        return begin

    def _wanted(self, event: dict[str, Any]) -> bool:
        if event.get("withheld"):
            self.withheld += 1
            return False
        kind = event["payload"]["type"]
        return kind in self._kinds if self._kinds else history.by_itself(event)

    def _steps(self) -> list[Step]:
        steps: list[Step] = []
        before: datetime | None = None
        for event in sorted(self.events.values(), key=lambda item: str(item["createdAt"])):
            moment = datetime.fromisoformat(event["createdAt"])
            after = max(0.0, (moment - before).total_seconds()) if before else 0.0
            steps.append(Step(round(after, 3), sending.as_new(event["payload"], elsewhere=True), event.get("body")))
            before = moment
        return steps
