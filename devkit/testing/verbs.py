"""The verbs of tests for those in another language: what they ask for comes in, what came of it goes out, as JSON."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import asdict
from datetime import datetime
from functools import partial
from typing import Any

from devkit.terminal.output import Problem
from devkit.testing.clock import Clock, standing
from devkit.testing.fake_api import FakeApi, Reply, ScriptRequest
from devkit.testing.faults import Refused, ScriptFailed
from devkit.testing.golden import Golden
from devkit.testing.in_engine_caller import Engine, InEngine
from devkit.testing.in_process_caller import InProcess
from devkit.testing.installed import Place
from devkit.testing.integration import ContentSource, Integration
from devkit.testing.render import Render
from devkit.testing.results import Queued, Result

Asking = Callable[[int, dict[str, Any]], dict[str, Any]]
"""Has a function of the test answer: its number and the request in; out `body`, `status`, `headers`, or `failed`."""


class Session:
    """One test: its integration, with the answers it has ready. `close` ends it."""

    def __init__(self, engine: Callable[[], Engine], golden: Golden, asking: Asking) -> None:
        self._engine, self._golden, self._asking = engine, golden, asking
        self._api = FakeApi()
        self._integration: Integration | None = None
        self._clock: Clock | None = None
        self._handed: list[Any] = []
        self._open = ExitStack()

    def close(self) -> None:
        """End what the test began."""
        self._open.close()

    def answer(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Do what a test asks for; what fails is a part of the answer."""
        settings = message.get("settings") or {}
        answer: dict[str, Any] = {}
        try:
            for name, value in settings.items():
                self._set(name, value)
            done = self._done(message["on"], message["verb"], message["with"], message["named"])
            answer["value"] = self._shown(done)
        except Refused as refused:
            answer["error"] = {"kind": "refused", "status": refused.status, "message": refused.message}
        except ScriptFailed as failed:
            answer["error"] = {"kind": "script", "message": str(failed)}
        except AssertionError as failed:
            answer["error"] = {"kind": "assertion", "message": str(failed)}
        except (Problem, ValueError) as wrong:
            answer["error"] = {"kind": "use", "message": str(wrong)}
        except Exception as wrong:  # of a test without types, which handed over what a verb does not take
            answer["error"] = {"kind": "use", "message": f"{message['verb']}: {type(wrong).__name__}: {wrong}"}
        if settings:
            answer["settings"] = {name: self._setting(name) for name in settings}
        return answer

    @property
    def integration(self) -> Integration:
        """The integration under test, with a process of its own; raises Problem or ScriptFailed if there is none."""
        if self._integration is None:
            engine = self._engine()
            project = engine.run.project
            own = InProcess(project.script, project.folder)
            self._integration = Integration(project, InEngine(engine), own, self._api)
        return self._integration

    @property
    def clock(self) -> Clock:
        """The clock, which stands still from here on."""
        if self._clock is None:
            self._clock = self._open.enter_context(standing(self.integration))
        return self._clock

    def _done(self, on: str | int, verb: str, words: list[Any], named: dict[str, Any]) -> Any:
        """Do one verb; those that travel in another form than in Python come first."""
        translated: dict[tuple[str | int, str], Callable[..., Any]] = {
            ("integration", "setting"): self._setting,
            ("integration", "place_id"): lambda place: self._place(place).id,
            ("integration", "manifest"): self._manifest,
            ("integration", "fetch"): self._fetch,
            ("api", "answers"): self._prepare,
            ("clock", "set"): lambda moment: self.clock.set(datetime.fromisoformat(moment)),
            ("golden", "compare"): self._golden,
        }
        found = translated.get((on, verb))
        if found is None:
            found = getattr(self._target(on), verb)
        return found(*words, **named) if callable(found) else found

    def _target(self, on: str | int) -> Any:
        if isinstance(on, int):
            return self._handed[on]
        return self.integration if on == "integration" else self.clock if on == "clock" else self._api

    def _setting(self, name: str) -> dict[str, Any]:
        if name in ("space", "site"):
            return self._place(name).configuration
        return self.integration.configuration if name == "configuration" else self.integration.secrets

    def _set(self, name: str, value: dict[str, Any]) -> None:
        if name in ("space", "site"):
            self._place(name).configuration = value
        elif name == "configuration":
            self.integration.configuration = value
        else:
            self.integration.secrets = value

    def _place(self, name: str) -> Place:
        return self.integration.space if name == "space" else self.integration.site

    def _manifest(self) -> dict[str, Any]:
        return self.integration.project.manifest.model_dump(mode="json", by_alias=True)

    def _fetch(self, path: str, body: dict[str, Any] | None = None, **options: Any) -> Result:
        return self.integration.fetch(path, body=None if body is None else _unpacked(body), **options)

    def _prepare(
        self, method: str, route: str, body: dict[str, Any], status: int = 200, headers: Mapping[str, str] | None = None
    ) -> None:
        content = partial(self._asked, body["call"]) if "call" in body else _unpacked(body)
        self._api.answers(method, route, content, status=status, headers=headers)

    def _asked(self, function: int, request: ScriptRequest) -> Reply:
        """Have a function of the test answer, which fails the test where it fails itself."""
        answer = self._asking(function, self._shown(request))
        if "failed" in answer:
            self._api.miss(f"the function that answers {request.method} {request.url} failed: {answer['failed']}")
            return Reply(None, 501)
        return Reply(_unpacked(answer["body"]), answer["status"], answer["headers"])

    def _shown(self, value: Any) -> Any:
        """Write what a verb gave as it travels: with its kind, bytes as Base64, what can be acted on as a number."""
        if isinstance(value, list) and value and isinstance(value[0], (Result, ScriptRequest)):
            return [self._shown(entry) for entry in value]
        if isinstance(value, (Render, ContentSource)):
            self._handed.append(value)
            kind = "render" if isinstance(value, Render) else "source"
            return {"kind": kind, "number": len(self._handed) - 1}
        if isinstance(value, Result):
            logged = [{"level": line.level, "message": line.message} for line in value.logged]
            shown = {"status": value.status, "logged": logged, "tasks": [asdict(task) for task in value.tasks]}
            return {"kind": "result", **shown, "headers": value.headers, "body": _base64(value.body)}
        if isinstance(value, ScriptRequest):
            sent = {"method": value.method, "url": value.url, "headers": dict(value.headers)}
            return {"kind": "request", **sent, "parameters": dict(value.parameters), "body": _base64(value.body)}
        if isinstance(value, datetime):
            return {"kind": "moment", "milliseconds": value.timestamp() * 1000}
        tasks = isinstance(value, list) and all(isinstance(entry, Queued) for entry in value)
        return {"kind": "value", "value": [asdict(task) for task in value] if tasks else value}


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _unpacked(body: Mapping[str, Any]) -> Any:
    """Read a body as it travels: text, bytes, or anything that is sent as JSON."""
    if "bytes" in body:
        return base64.b64decode(body["bytes"])
    return body["text"] if "text" in body else body["json"]
