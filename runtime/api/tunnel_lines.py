"""The raw side of tunnels: a developer's machine receives calls as a stream, and posts its answers (extension)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import IO

from flask import Flask, Response, request

from runtime.api.content_origin import on_own_origin
from runtime.api.counting import counted_as
from runtime.api.entrance import admit_alone, look_up
from runtime.api.families.tunnels import TUNNEL, TUNNELLER
from runtime.api.host import Host
from runtime.api.permission import Gate, member
from runtime.api.raw_path import raw_path, raw_query
from runtime.api.script_headers import HOP_BY_HOP, cookies_for_scripts, fits, kept
from runtime.api.server_sent_events import CONNECTED, STILL_HERE, stream, written
from runtime.api.stream_access import StreamAccess
from runtime.contract import errors
from runtime.contract.url_parts import split_url
from runtime.engines.dev_tunnel.line import Line
from runtime.engines.dev_tunnel.messages import ANSWER, TunnelAnswer, TunnelCall, answer_head, read_frames
from runtime.engines.dev_tunnel.relay import DeveloperAway, LineBroken, LineBusy, NoMeetingPlace
from runtime.engines.frames import FrameError
from runtime.store import tunnels

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
MAX_BODY = 10 * 1024 * 1024
BLOCK = 48 * 1024
BEAT = 2.0
"""Seconds of silence after which the stream says that it is still there; also how long a host that stops waits."""
GATE = Gate("holdTunnel", (replace(TUNNEL, within=None, parent_column=None),), member(TUNNELLER))
"""The holder of a tunnel addresses it only by its id."""
ANSWERS = "answers of"
"""Prefix of the part that a tunnel's answers are counted in, apart from the calls that wait for them."""
IDENTIFIER = re.compile(r"[0-9A-Za-z]{20}")


def mount_tunnels(app: Flask, host: Host) -> None:
    """Add the addresses of tunnels, and the two a developer's machine uses."""
    for tail in ("", "/", "/<tail:rest>"):
        rule = f"/tunnels/<tunnel>{tail}"
        app.add_url_rule(rule, f"tunnel {tail}", partial(_call, host), methods=METHODS, provide_automatic_options=False)
    app.add_url_rule("/v1/tunnels/<tunnel>/stream", "tunnel stream", partial(_stream, host), methods=("GET",))
    app.add_url_rule("/v1/tunnels/<tunnel>/answers/<call>", "tunnel answer", partial(_answer, host), methods=("POST",))


def _call(host: Host, tunnel: str, rest: str = "") -> Response:
    """Pass a request to the developer's machine, and stream its answer back."""
    own = on_own_origin(host, host.addresses.tunnel_origin(tunnel))
    find = partial(tunnels.holder, tunnel_id=tunnel)
    is_one = IDENTIFIER.fullmatch(tunnel) is not None
    owner = look_up(host, find, lambda holder: (holder, tunnel), "tunnel", tunnel) if is_one else None
    if owner is None:
        raise errors.NotFound("Nothing is served here: the tunnel that had this address is closed.")
    if (request.content_length or 0) > MAX_BODY:
        raise errors.TooLarge
    call = TunnelCall(request.method, _path(tunnel), _headers(host, tunnel), _body())
    if not host.capacity.calls.enter(owner, tunnel):
        raise errors.Unavailable("Too many requests to this tunnel are in progress; try again in a moment.")
    try:
        with host.capacity.holding_place():
            answer = _relayed(host, tunnel, call)
    except BaseException:
        host.capacity.calls.leave(owner, tunnel)
        raise
    passed = Response(host.capacity.calls.held_by(owner, tunnel, answer.body), answer.status)
    passed.headers.clear()
    carried = [(name, value) for name, value in answer.headers if fits(name, value)]
    for name, value in kept(carried, own=own, place=f"/tunnels/{tunnel}", asked=request.path):
        passed.headers.add(name, value)
    return passed


def _relayed(host: Host, tunnel: str, call: TunnelCall) -> TunnelAnswer:
    try:
        return host.relay.call(tunnel, call, host.invoker.limits.wall)
    except TimeoutError:
        raise errors.GatewayTimeout("The developer's machine did not answer in time.") from None
    except LineBusy as error:
        raise errors.Unavailable(str(error)) from None
    except (DeveloperAway, LineBroken) as error:
        raise errors.BadGateway(str(error)) from None


def _path(tunnel: str) -> str:
    """Return path and query below the tunnel's address, escaped as they came."""
    below = raw_path(request).partition(f"/tunnels/{tunnel}")[2]
    return (below if below.startswith("/") else f"/{below}") + raw_query(request)


def _headers(host: Host, tunnel: str) -> list[tuple[str, str]]:
    sent = [(name, value) for name, value in request.headers.items() if name.lower() not in HOP_BY_HOP]
    sent = [(name, cookies_for_scripts(value) if name.lower() == "cookie" else value) for name, value in sent]
    at = split_url(host.addresses.tunnel_origin(tunnel))
    return [
        *((name, value) for name, value in sent if value or name.lower() != "cookie"),
        ("X-Forwarded-Host", at.netloc),
        ("X-Forwarded-Proto", at.scheme),
    ]


def _body() -> Iterator[bytes]:
    left = MAX_BODY
    while block := request.stream.read(min(BLOCK, left + 1)):
        left -= len(block)
        if left < 0:
            raise errors.TooLarge
        yield block


def _admit(host: Host, tunnel: str) -> StreamAccess:
    """Admit the holder of the tunnel, if they may have tunnels; raises Unauthorized, NotFound, Forbidden."""
    counted_as(request.environ, GATE.name)
    authorization = request.headers.get("Authorization")
    return StreamAccess(host, authorization, {"tunnelId": tunnel}, lambda call: admit_alone(call, GATE))


def _stream(host: Host, tunnel: str) -> Response:
    holder = _admit(host, tunnel)
    return stream(host, holder.actor.owner, lambda: _lines(_line(host, tunnel), host, holder))


def _line(host: Host, tunnel: str) -> Line:
    try:
        return host.relay.line(tunnel)
    except NoMeetingPlace as error:
        raise errors.Unavailable(str(error)) from error


def _lines(line: Line, host: Host, holder: StreamAccess) -> Iterator[bytes]:
    """Write what a line has to tell as server-sent events; a comment when it has been silent for a while.

    It ends when its holder loses the right to it: what came in meanwhile is not written any more.
    """
    with host.announcer.listen(line.name) as stopping:
        try:
            yield CONNECTED
            for sent in line.events(BEAT):
                if not holder.holds():
                    return
                yield STILL_HERE if sent is None else written(sent.kind, sent.data, sent.call)
                if not stopping.empty():
                    return  # the host is stopping, and waits for open streams
        finally:
            line.close()


def _answer(host: Host, tunnel: str, call: str) -> Response:
    """Take the answer to one call: frames with its head, its body, its end."""
    owner, part = _admit(host, tunnel).actor.owner, f"{ANSWERS} {tunnel}"
    # An answer may take as long as its call; a developer can only use part of all threads.
    if not host.capacity.calls.enter(owner, part):
        raise errors.Unavailable("Too many answers are sent through this tunnel at once; try again in a moment.")
    try:
        with host.capacity.holding_place():
            return _take_answer(host, tunnel, call)
    finally:
        host.capacity.calls.leave(owner, part)


def _take_answer(host: Host, tunnel: str, call: str) -> Response:
    stream: IO[bytes] = request.stream
    frames = read_frames(stream.read)
    try:
        kind, payload = next(frames)
        if kind != ANSWER or answer_head(payload)[2] != call:
            raise FrameError("the first frame must be the head of the answer to this call")
        taken = host.relay.bring(tunnel, call, frames, payload)
    except FrameError as error:
        raise errors.BadRequest(f"The answer cannot be read: {error}.") from None
    if not taken:
        raise errors.NotFound("Nobody is waiting for this answer any longer.")
    return Response(b"", 204)
