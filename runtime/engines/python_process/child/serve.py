"""A worker: load one script, then answer calls until the host closes the connection."""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from socket import socket
from types import FrameType
from typing import Any

from runtime.engines import frames
from runtime.engines.python_process.child import confine
from runtime.engines.python_process.child.load import Loader
from runtime.engines.python_process.child.output import LineWriter, Wire, redirect
from runtime.sdk.answering import RawAnswer, RawCall, answer, describe, find_integration
from runtime.sdk.integration import Integration

_ANY = 1 << 31
_BOUNDS = {frames.LOAD: _ANY, frames.CALL: _ANY}
_SPENT = frames.pack(frames.SPENT, b"")
_END = frames.pack(frames.END, b"")
_PIECE = 65_536
_STACK = 1 << 20  # of each thread; the usual 8 MB would count fully against the memory limit
_MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024  # bytes
_ERROR_HEADERS = [("content-type", "application/json")]
_ERROR_BODY = b'{"error":"Internal server error"}'


class _Spent(Exception):
    """The script has used up its memory."""


class Worker:
    """Serves one script over one connection."""

    def __init__(self, connection: socket, folder: str, listener: socket, *, confined: bool) -> None:
        """Take the connection, the script's folder, and its way out, which the host has been handed as well."""
        self._connection = connection
        self._folder = folder
        self._listener = listener
        self._confined = confined
        self._wire = Wire(connection)
        self._reader = frames.FrameReader(connection, _BOUNDS)
        self._loader = Loader("integration.py", folder)
        self._base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    def run(self) -> None:
        """Serve until the end; never returns normally to code that would clean up for the zygote."""
        try:
            kind, payload = self._reader.next()
            if kind != frames.LOAD:
                return
            self._listener.close()  # not before: now the host has it for certain
            integration = self._load(payload)
            while integration is not None:
                kind, payload = self._reader.next()
                if kind != frames.CALL:
                    return
                self._call(integration, payload)
        except (_Spent, MemoryError):
            self._wire.send(_SPENT)
        except (EOFError, OSError):
            return

    def _load(self, payload: bytes) -> Integration | None:
        memory, bundle, length = frames.LOAD_HEAD.unpack_from(payload)
        start = frames.LOAD_HEAD.size + length
        self._loader = Loader(payload[frames.LOAD_HEAD.size : start].decode(), self._folder)
        self._out: tuple[LineWriter, LineWriter] = redirect(self._wire)
        threading.stack_size(_STACK)
        threading.excepthook = self._tell_thread
        os.register_at_fork(after_in_child=self._wire.detach)
        signal.signal(signal.SIGURG, self._tell_place)
        confine.limit_memory(memory, confined=self._confined)
        try:
            namespace = self._loader.load(payload[start:], bundle=bool(bundle))
        except BaseException as error:
            if isinstance(error, MemoryError):
                raise _Spent from error
            self._refuse(self._loader.describe(error), self._loader.render(error))
            return None
        try:
            integration = find_integration(namespace)
        except LookupError as error:
            message = str(error.args[0])
            self._refuse({"message": message, "file": self._loader.entry}, message)
            return None
        self._finish_lines()
        gc.freeze()
        self._wire.send(frames.pack(frames.READY, json.dumps(describe(integration)).encode()))
        return integration

    def _tell_place(self, number: int, frame: FrameType | None) -> None:
        """Tell the host, which is about to stop the script, which line runs; nothing here may reach the script."""
        with suppress(Exception):
            place = self._loader.place(frame)
            if place is not None:
                self._wire.send_at_once(frames.pack(frames.PLACE, json.dumps(place).encode()))

    def _tell_thread(self, given: threading.ExceptHookArgs) -> None:
        """Log what ended a thread of the script as one record: its call may be over before a second one is sent."""
        if given.exc_value is not None and not isinstance(given.exc_value, SystemExit):
            name = given.thread.name if given.thread is not None else "a thread"
            self._wire.log("error", f"In {name}:\n{self._loader.render(given.exc_value)}")

    def _refuse(self, fault: dict[str, Any], text: str) -> None:
        """Report why the script cannot be loaded."""
        self._finish_lines()
        self._wire.log("error", text)
        self._wire.send(frames.pack(frames.FAULT, json.dumps(fault).encode()))

    def _call(self, integration: Integration, payload: bytes) -> None:
        number, event_size, environment_size, body_size = frames.CALL_HEAD.unpack_from(payload)
        event_at = frames.CALL_HEAD.size
        environment_at = event_at + event_size
        body_at = environment_at + environment_size
        call = RawCall(
            payload[event_at:environment_at],
            payload[environment_at:body_at],
            payload[body_at:] if body_size >= 0 else None,
            self._wire.log,
        )
        try:
            raw = answer(integration, call)
        except BaseException as error:
            raw = RawAnswer(500, _ERROR_HEADERS, _ERROR_BODY, [], error)
        if raw.error is not None:
            self._report(raw.error)
        self._finish_lines()
        body, deferred = raw.body, raw.deferred
        flags = frames.DEFERRED if deferred else 0
        if isinstance(body, bytes):
            self._wire.send(frames.pack(frames.ANSWER, self._head(number, raw, flags) + body))
        else:
            self._wire.send(frames.pack(frames.ANSWER, self._head(number, raw, flags | frames.STREAMED)))
            self._stream(body)
        if deferred:
            self._run_deferred(deferred)
        if deferred or not isinstance(body, bytes):
            self._finish_lines()
            self._wire.send(frames.pack(frames.IDLE, frames.IDLE_HEAD.pack(number, self._peak())))

    def _head(self, number: int, raw: RawAnswer, flags: int) -> bytes:
        headers = "\0".join([part for pair in raw.headers for part in pair]).encode("utf-8", "replace")
        return frames.ANSWER_HEAD.pack(number, raw.status & 0xFFFF, flags, len(headers), self._peak()) + headers

    def _peak(self) -> int:
        """Return the bytes this process has held more than the zygote."""
        return max(0, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - self._base) * _MAXRSS_UNIT

    def _stream(self, body: Iterator[bytes]) -> None:
        try:
            for part in body:
                for start in range(0, len(part), _PIECE):
                    self._wire.send(frames.pack(frames.CHUNK, bytes(part[start : start + _PIECE])))
        except (EOFError, OSError, _Spent):
            raise
        except BaseException as error:
            # No END: the host must not take half an answer for a whole one.
            self._report(error)
            self._finish_lines()
            return
        self._wire.send(_END)

    def _run_deferred(self, deferred: list[Callable[[], object]]) -> None:
        for work in deferred:
            try:
                work()
            except BaseException as error:
                self._report(error)

    def _report(self, error: BaseException) -> None:
        """Log an exception of the script, and tell the host where it happened."""
        if isinstance(error, MemoryError):
            raise _Spent from error
        self._wire.send(frames.pack(frames.FAULT, json.dumps(self._loader.describe(error)).encode()))
        self._wire.log("error", self._loader.render(error))

    def _finish_lines(self) -> None:
        self._out[0].finish()
        self._out[1].finish()
