"""The integration under test: what the fixture `integration` gives."""

from __future__ import annotations

import json as json_text
import types
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast
from urllib.parse import urlencode

from devkit.events import signing
from devkit.offline import simulated_host
from devkit.offline.simulated_host import INSTALLATION, Level, Screen
from devkit.projects.project import Project
from devkit.rendering.view import View
from devkit.terminal.output import Problem
from devkit.testing.caller import Caller
from devkit.testing.fake_api import FakeApi, Reply, ScriptRequest
from devkit.testing.faults import Refused, ScriptFailed
from devkit.testing.in_process_caller import InProcess
from devkit.testing.installed import Installed, Place, Where
from devkit.testing.render import Render
from devkit.testing.results import Queued, Result
from devkit.testing.schedule import Schedule
from runtime.contract import contentkit
from runtime.contract.identifiers import new_id

__tracebackhide__ = True  # a failed test shows its own lines, and the script's

ANY = "*"
"""In a scenario, instead of an id: any that is there."""
SCREENS: tuple[Level, ...] = ("account", "space", "site")


class Integration:
    """Calls the script as the platform does, with the answers of `api` for what it asks outside.

    `configuration`, `secrets`, `space` and `site` are what the platform passes to it; tests may change them.
    An error nobody expected fails the test with the author's line, and so does a request nobody answers.
    """

    def __init__(self, project: Project, caller: Caller, own: InProcess, api: FakeApi) -> None:
        self.project, self.api = project, api
        self.schedule = Schedule()
        self._caller, self._own = caller, own
        self._installed = Installed(project)
        self._installed.answer_for(api)
        api.knows("POST", f"/v1/integrations/{self._installed.name}/tasks", self._queue)
        self._queued: list[Queued] = []

    @property
    def configuration(self) -> dict[str, Any]:
        """The configuration of the installation in the organization."""
        return self._installed.configuration

    @configuration.setter
    def configuration(self, value: Mapping[str, Any]) -> None:
        self._installed.configuration = dict(value)

    @property
    def secrets(self) -> dict[str, str]:
        """The secrets of the manifest."""
        return self._installed.secrets

    @secrets.setter
    def secrets(self, value: Mapping[str, str]) -> None:
        self._installed.secrets = dict(value)

    @property
    def space(self) -> Place:
        """The space it is installed on: its id and its configuration."""
        return self._installed.space

    @property
    def site(self) -> Place:
        """The site it is installed on: its id and its configuration."""
        return self._installed.site

    @property
    def endpoints(self) -> dict[str, str]:
        """The public endpoints, by level: integration, installation, space, site."""
        return self._installed.endpoints()

    @property
    def script(self) -> types.ModuleType:
        """The script as a module, for tests of its functions; runs in this process always."""
        return self._own.module

    @property
    def tasks(self) -> list[Queued]:
        """The tasks that are queued and not worked off; `clock.advance` and `run_tasks` do."""
        return [task for _, task in self.schedule.waiting]

    def environment(self, where: Where = "installation") -> dict[str, Any]:
        """Return what the script sees besides an event of a level."""
        return self._installed.environment(self._ids(where))

    def render(
        self,
        component: str,
        props: Mapping[str, Any] | None = None,
        state: Mapping[str, Any] | None = None,
        *,
        context: str | Mapping[str, Any] = "document",
        action: Mapping[str, Any] | None = None,
        editable: bool = False,
        check: bool = True,
    ) -> Render:
        """Draw a component; raises Refused where the script refuses.

        `context` is a whole one, or the type of one: document, configuration_account, configuration_space,
        configuration_site or configuration_contentsource. `check=False` takes output that breaks ContentKit's rules.
        """
        screen = self._screen(context, editable)
        view = View(
            lambda request: self._drawn(request, check), component, {**screen.props, **(props or {})}, screen.context
        )
        view.start(state, action)
        return Render(view)

    def event(self, kind: str, *, check: bool = True, **fields: Any) -> Result:
        """Send an event: a realistic payload of its type with these fields over it; raises ValueError for a wrong one.

        A field that is None is left out. With `check=False` an error of the script is a Result with its status.
        """
        from devkit.testing import events

        return self._tell(events.payload(kind, fields), check)

    def task(self, task: Mapping[str, Any], *, check: bool = True) -> Result:
        """Have a task worked off."""
        return self.event("task", task=dict(task), check=check)

    def run_tasks(self) -> list[Result]:
        """Work off the tasks that are due now, and those they queue."""
        return self.advance(0)

    def advance(self, seconds: float) -> list[Result]:
        """Let time pass for queued tasks, and work off those that come due."""
        return [self.task(queued.task) for queued in self.schedule.pass_by(seconds)]

    def fetch(
        self,
        path: str = "/",
        method: str | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | str | None = None,
        json: Any = None,
        form: Mapping[str, str] | None = None,
        query: Mapping[str, str] | None = None,
        sign: str | None = None,
        secret: str | None = None,
        at: Where = "installation",
        user: str | None = None,
        check: bool = True,
    ) -> Result:
        """Send an HTTP request to a public endpoint; `path` is below it, or a whole address that begins with one.

        The method is GET without a body and POST with one. `sign` names a sender (github, slack, stripe,
        standard-webhooks) whose signature, made with `secret`, is added. `at` is the level of the endpoint.
        """
        content, kind = _content(body, json, form)
        sent = {name.lower(): value for name, value in (headers or {}).items()}
        if kind is not None:
            sent.setdefault("content-type", kind)
        if sign is not None:
            sent |= {name.lower(): value for name, value in _signed(sign, secret, content or b"").items()}
        url, at = self._address(path, at)
        url += f"{'&' if '?' in url else '?'}{urlencode(query)}" if query else ""
        verb = (method or ("GET" if content is None else "POST")).lower()
        event: dict[str, Any] = {"type": "fetch", **self._ids(at)}
        event["request"] = {"method": verb, "url": url, "headers": sent}
        if user is not None:
            event["auth"] = {"userId": user}
        return self._send(event, check, content)

    def published_script(self, *, check: bool = True) -> Result:
        """Ask for the script that a published site loads; `site.configuration` is what it is configured with."""
        return self.event("fetch_published_script", check=check)

    def visitor_authentication(self, location: str = "", *, check: bool = True, **fields: Any) -> Result:
        """Come as a visitor without a session, to a page of the site."""
        return self.event("fetch_visitor_authentication", location=location, check=check, **fields)

    def content_source(self, source: str) -> ContentSource:
        """Return a content source, to compute its pages and documents."""
        return ContentSource(self, source)

    def play(self, file: str) -> list[Result]:
        """Send the events of a scenario file, which lies beside the project's manifest; pauses pass at once."""
        from devkit.events import scenarios
        from devkit.testing import events

        own = {"installationId": INSTALLATION, "spaceId": self.space.id, "siteId": self.site.id}
        results = []
        for step in scenarios.read(str(self.project.folder / file)).steps:
            self.advance(step.after)
            event = {name: own.get(name) if value == ANY else value for name, value in step.event.items()}
            if event["type"] == "fetch":
                request = step.event["request"]
                event["request"] = {**request, "url": self._address(request["url"], events.level(event))[0]}
            results.append(self._tell(event, True, None if step.body is None else step.body.encode()))
        return results

    @contextmanager
    def refused(self, message: str = "", status: int | None = None) -> Iterator[None]:
        """Expect that the script refuses, with these words among its message and this status."""
        try:
            yield
        except Refused as refused:
            if message not in refused.message or status not in (None, refused.status):
                raise
        else:
            raise AssertionError("the script did not refuse")

    def _screen(self, context: str | Mapping[str, Any], editable: bool) -> Screen:
        configurations = self._installed.configurations
        if isinstance(context, Mapping):
            kind = str(context.get("type", "document"))
            base = self._screen(kind, editable)
            return Screen({**base.context, **context}, base.props)
        if context == "document":
            return simulated_host.page(editable=editable)
        if context == "configuration_contentsource":
            return simulated_host.content_source_screen()
        for level in SCREENS:
            if context == f"configuration_{level}":
                return simulated_host.configuration_screen(level, configurations)
        known = ", ".join(
            ("document", *(f"configuration_{screen}" for screen in SCREENS), "configuration_contentsource")
        )
        raise ValueError(f"there is no context {context!r}; contexts are {known}")

    def _ids(self, where: Where) -> dict[str, str]:
        ids = {} if where == "integration" else {"installationId": INSTALLATION}
        if where in ("space", "site"):
            ids[f"{where}Id"] = self.space.id if where == "space" else self.site.id
        return ids

    def _address(self, path: str, at: Where) -> tuple[str, Where]:
        endpoints = self.endpoints
        if not path.startswith(("http://", "https://")):
            return endpoints[at] + ("" if path.startswith(("/", "?")) or not path else "/") + path, at
        for level, endpoint in endpoints.items():
            if path == endpoint or path.startswith((f"{endpoint}/", f"{endpoint}?")):
                return path, cast("Where", level)
        raise ValueError(f"{path} is at none of the integration's endpoints: {', '.join(endpoints.values())}")

    def _drawn(self, request: dict[str, Any], check: bool) -> dict[str, Any]:
        context = request["context"]
        ids = {"installationId": INSTALLATION}
        ids |= {key: context[key] for key in ("spaceId", "siteId") if key in context}
        result = self._send({"type": "ui_render", **request, **ids}, True)
        if result.status >= 400:
            raise Refused(result.status, result.error or result.text)
        output: dict[str, Any] = result.json
        broken = contentkit.violations(output) if check else []
        if broken:
            listed = "\n".join(f"    {line}" for line in broken)
            raise AssertionError(
                f"{request['componentId']} renders something that ContentKit does not allow (check=False "
                f"accepts it):\n{listed}"
            )
        return output

    def _tell(self, event: dict[str, Any], check: bool, body: bytes | None = None) -> Result:
        """Send an event a test or a person wrote, after it was held against its type."""
        from devkit.testing import events

        whole = {"eventId": new_id(), **self._ids(events.level(event)), **event}
        events.check(whole)
        return self._send(whole, check, body)

    def _send(self, event: dict[str, Any], check: bool, body: bytes | None = None) -> Result:
        sent = {"eventId": new_id(), **event}
        before = len(self._queued)
        ended = self._caller.call(sent, self._installed.environment(sent), body, self.api)
        missed = self.api.missed()
        if missed is not None:
            raise AssertionError(missed)
        if ended.fault is not None and check:
            what = str(sent["componentId"]) if sent["type"] == "ui_render" else str(sent["type"])
            raise ScriptFailed(what, ended.fault) from ended.error
        headers = {name.lower(): value for name, value in ended.headers}
        return Result(ended.status, headers, ended.body, ended.logs, self._queued[before:])

    def _queue(self, request: ScriptRequest) -> Any:
        body = request.json
        queued = Queued(body["task"], body.get("schedule", 0))
        self._queued.append(queued)
        self.schedule.add(queued, queued.schedule)
        return Reply(None, 204)


class ContentSource:
    """A content source of the integration under test."""

    def __init__(self, integration: Integration, source: str) -> None:
        self._integration, self._source = integration, source

    def revision(
        self, props: Mapping[str, Any] | None = None, dependencies: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Compute its pages and files; raises Refused."""
        revision_: dict[str, Any] = self._computed("content_compute_revision", props, dependencies)
        return revision_

    def document(
        self, props: Mapping[str, Any] | None = None, dependencies: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Compute one document: `{"markdown": ...}`, or `{"document": ...}`; raises Refused."""
        document_: dict[str, Any] = self._computed("content_compute_document", props, dependencies)
        document: dict[str, Any] = document_["document"]
        return document

    def _computed(self, kind: str, props: Mapping[str, Any] | None, dependencies: Mapping[str, Any] | None) -> Any:
        result = self._integration.event(
            kind, sourceId=self._source, props=dict(props or {}), dependencies=dict(dependencies or {})
        )
        if result.status >= 400:
            raise Refused(result.status, result.error)
        return result.json


def _content(body: bytes | str | None, json: Any, form: Mapping[str, str] | None) -> tuple[bytes | None, str | None]:
    if json is not None:
        return json_text.dumps(json).encode(), "application/json"
    if form is not None:
        return urlencode(form).encode(), "application/x-www-form-urlencoded"
    return (body.encode() if isinstance(body, str) else body), None


def _signed(sign: str, secret: str | None, content: bytes) -> dict[str, str]:
    import time

    signer = signing.SIGNERS.get(sign)
    if signer is None:
        raise ValueError(f"there is no signer {sign!r}; signers are {', '.join(signing.SIGNERS)}")
    if secret is None:
        raise ValueError("sign needs secret=..., the secret that the script verifies signatures with")
    try:
        return signer(secret, content, int(time.time()), new_id())
    except Problem as problem:
        raise ValueError(problem.sentence) from None
