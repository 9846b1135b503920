"""A model's server that answers nonsense has failed, whatever the nonsense is."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from runtime.services.answer_model import AnswerModel, ModelFailed

NONSENSE = [
    "[1]",
    "1",
    "null",
    '{"choices": ["x"]}',
    '{"choices": 3}',
    '{"choices": [{"delta": [1]}]}',
    "[" * 5000,
    "{",
]


@contextmanager
def serving(kind: str, body: bytes) -> Iterator[AnswerModel]:
    """Serve one answer to everything, and give a model that asks for it."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None: ...

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield AnswerModel(f"http://127.0.0.1:{server.server_address[1]}/v1", "key", "model", 30)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _answer(kind: str, body: str) -> list[str]:
    with serving(kind, body.encode()) as model:
        return list(model.answer("?", [], []))


@pytest.mark.parametrize("text", [*NONSENSE, '{"choices": []}', '{"choices": [{"message": {"content": 3}}]}'])
def test_nonsense_at_once(text: str) -> None:
    with pytest.raises(ModelFailed):
        _answer("application/json", text)


@pytest.mark.parametrize("text", NONSENSE)
def test_nonsense_in_a_stream(text: str) -> None:
    with pytest.raises(ModelFailed):
        _answer("text/event-stream", f"data: {text}\n\ndata: [DONE]\n\n")


def test_what_servers_say() -> None:
    whole = {"id": "x", "choices": [{"index": 0, "message": {"role": "assistant", "content": "Yes."}}]}
    assert _answer("application/json", json.dumps(whole)) == ["Yes."]
    parts = [
        {"choices": [{"delta": {"role": "assistant", "content": None}}]},
        {"choices": [{"delta": {"content": "Y"}}]},
        {"choices": []},
        {"choices": None},
        {"choices": [{"message": {}, "delta": {"content": ""}}, "odd", None]},
        {"choices": [{"message": "", "delta": {"content": "es."}, "finish_reason": "stop"}], "usage": None},
    ]
    stream = "".join(f"data: {json.dumps(part)}\n\n" for part in parts) + "data: [DONE]\n\n"
    assert _answer("text/event-stream", stream) == ["Y", "Yes."]
