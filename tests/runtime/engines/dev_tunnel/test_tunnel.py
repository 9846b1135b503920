"""The dev tunnel: what a call looks like on the wire, and what happens when nobody is there."""

from __future__ import annotations

import socket
from dataclasses import replace

from runtime.contract.invocation import Invocation, Outcome, Script, Trace
from runtime.engines.dev_tunnel.tunnel import DevTunnelEngine, encode_parts
from runtime.engines.egress import EgressRules

CALL = Invocation(
    Script("v", "v2", ""), "tenant", b'{"type":"task"}', b'{"secrets":{}}', tunnel_url="http://laptop.example"
)


def call(engine: DevTunnelEngine, invocation: Invocation) -> tuple[Outcome, Trace]:
    """Make a call."""
    traces: list[Trace] = []
    outcome = engine.invoke(invocation, traces.append)
    assert len(traces) == 1
    return outcome, traces[0]


def test_parts_are_on_the_wire_as_they_are() -> None:
    content_type, body = encode_parts(replace(CALL, fetch_body=b"\x00\xff"))
    boundary = content_type.removeprefix("multipart/form-data; boundary=").encode()

    assert body.split(b"--" + boundary) == [
        b"",
        b'\r\nContent-Disposition: form-data; name="event"\r\n\r\n{"type":"task"}\r\n',
        b'\r\nContent-Disposition: form-data; name="environment"\r\n\r\n{"secrets":{}}\r\n',
        b'\r\nContent-Disposition: form-data; name="fetch-body"; filename="fetch-body"\r\n'
        b"Content-Type: application/octet-stream\r\n\r\n\x00\xff\r\n",
        b"--\r\n",
    ]


def test_no_body_no_part() -> None:
    assert b"fetch-body" not in encode_parts(CALL)[1]


def test_nobody_there_is_unreachable() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        engine = DevTunnelEngine(EgressRules(own={"laptop.example:80": unused.getsockname()}))
        outcome, trace = call(engine, CALL)

    assert outcome.status == 502
    assert outcome.failure is not None and outcome.failure.kind == "unreachable"
    assert trace.failure == outcome.failure
    assert trace.logs[0].level == "error"


def test_tunnel_into_the_private_network_is_refused() -> None:
    outcome, trace = call(DevTunnelEngine(EgressRules()), replace(CALL, tunnel_url="http://127.0.0.1:22"))

    assert outcome.failure is not None
    assert outcome.failure.message == "The address of the integration's development tunnel is not allowed."
    assert "private network" in trace.logs[0].message


def test_closed_engine_takes_no_calls() -> None:
    engine = DevTunnelEngine(EgressRules())
    engine.close()
    outcome, _ = call(engine, CALL)

    assert not engine.ready()
    assert outcome.failure is not None and outcome.failure.kind == "overload"
