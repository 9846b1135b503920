"""The relay: calls find the developer's line, answers find whoever waits, and nobody waits for ever."""

from __future__ import annotations

import base64
import io
import json
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Queue

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.contract.identifiers import new_id
from runtime.contract.invocation import Invocation, Limits, Outcome, Script
from runtime.engines.dev_tunnel import line as lines
from runtime.engines.dev_tunnel.line import Line, Sent
from runtime.engines.dev_tunnel.messages import (
    BODY,
    END,
    PIECE,
    TunnelAnswer,
    TunnelCall,
    answer_head,
    pieces,
    read_frames,
)
from runtime.engines.dev_tunnel.relay import DeveloperAway, LineBroken, LineBusy, NoMeetingPlace, Relay
from runtime.engines.dev_tunnel.tunnel import DevTunnelEngine
from runtime.engines.egress import EgressRules
from runtime.engines.frames import FrameError, pack
from tests.conftest import wait_for

NOBODY = "0" * 20
CALL = TunnelCall("GET", "/a?b=c", [("X-A", "1")])


@pytest.fixture
def relay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Relay:
    monkeypatch.setenv("DEVKIT_RELAY", str(tmp_path))
    return Relay("http://host.example/tunnels/{}".format)


class Developer:
    """Listens at a line; its events come one by one."""

    def __init__(self, relay: Relay, tunnel: str) -> None:
        self.relay, self.tunnel = relay, tunnel
        self.line: Line = relay.line(tunnel)
        self.heard: Queue[Sent | None] = Queue()
        self.ended = threading.Event()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        for sent in self.line.events(0.05):
            if sent is not None:
                self.heard.put(sent)
        self.ended.set()

    def hears(self, kind: str) -> Sent:
        sent = self.heard.get(timeout=10)
        assert sent is not None and sent.kind == kind, sent
        return sent

    def answers(self, call: str, body: bytes, status: int = 200) -> bool:
        head = json.dumps({"status": status, "headers": [["X-B", "2"]], "call": call}).encode()
        frames = [*((BODY, piece) for piece in pieces(iter([body]))), (END, b"")]
        return self.relay.bring(self.tunnel, call, iter(frames), head)


@pytest.fixture
def tunnel() -> str:
    return new_id()


@pytest.fixture
def developer(relay: Relay, tunnel: str) -> Iterator[Developer]:
    developer_ = Developer(relay, tunnel)
    yield developer_
    developer_.line.close()


class Caller(threading.Thread):
    """Makes a call in a thread of its own; `result` is the answer with its body, or what was raised."""

    def __init__(self, relay: Relay, tunnel: str, call: TunnelCall = CALL, seconds: float = 10) -> None:
        super().__init__(daemon=True)
        self.relay, self.tunnel, self.call, self.seconds = relay, tunnel, call, seconds
        self.answer: TunnelAnswer | None = None
        self.body = b""
        self.error: Exception | None = None
        self.start()

    def run(self) -> None:
        try:
            self.answer = self.relay.call(self.tunnel, self.call, self.seconds)
            self.body = b"".join(self.answer.body)
        except Exception as error:
            self.error = error

    def done(self) -> Caller:
        self.join(20)
        assert not self.is_alive()
        return self


def test_a_call_and_its_answer(relay: Relay, tunnel: str, developer: Developer) -> None:
    caller = Caller(relay, tunnel)
    message = developer.hears("call")
    assert json.loads(message.data) == {"method": "GET", "path": "/a?b=c", "headers": [["X-A", "1"]]}
    developer.hears("end")
    assert developer.answers(message.call, b"hello", 201)
    done = caller.done()
    assert done.answer is not None and (done.answer.status, done.answer.headers) == (201, [("X-B", "2")])
    assert done.body == b"hello"


def test_bodies_of_many_pieces_arrive_whole(relay: Relay, tunnel: str, developer: Developer) -> None:
    sent = bytes(range(256)) * 1000
    caller = Caller(relay, tunnel, TunnelCall("POST", "/", [], iter([sent[:10], sent[10:]])))
    message = developer.hears("call")

    got = b""
    while (piece := developer.heard.get(timeout=10)) is not None and piece.kind == "body":
        got += base64.b64decode(json.loads(piece.data)["data"])
    assert got == sent
    assert developer.answers(message.call, sent + sent)
    assert caller.done().body == sent + sent


@pytest.mark.parametrize("what", ["folder", "*.line", "*.of", "*.sock"])
def test_a_line_that_was_tidied_away_ends_so_that_the_developer_comes_back(
    what: str, relay: Relay, tunnel: str, tmp_path: Path, developer: Developer
) -> None:
    if what == "folder":
        shutil.rmtree(tmp_path)
        assert developer.ended.wait(5)
        with pytest.raises(NoMeetingPlace):
            relay.line(tunnel)
        tmp_path.mkdir()
    else:
        (gone,) = tmp_path.glob(what)
        gone.unlink()
        assert developer.ended.wait(5)
    again = Developer(relay, tunnel)
    caller = Caller(relay, tunnel)
    assert again.answers(again.hears("call").call, b"back")
    assert caller.done().body == b"back"
    again.line.close()


def test_a_relay_of_one_process_makes_its_folder_again(tunnel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEVKIT_RELAY", raising=False)
    alone = Relay()
    shutil.rmtree(alone._folder.parent)
    developer = Developer(alone, tunnel)
    caller = Caller(alone, tunnel)
    assert developer.answers(developer.hears("call").call, b"here")
    assert caller.done().body == b"here"
    developer.line.close()
    alone.close()


def test_without_a_developer_a_call_says_so(relay: Relay, tunnel: str) -> None:
    with pytest.raises(DeveloperAway, match="connected"):
        relay.call(tunnel, CALL, 0.1)


def test_a_call_waits_for_a_developer_who_reconnects(relay: Relay, tunnel: str) -> None:
    caller = Caller(relay, tunnel)
    time.sleep(0.2)
    developer = Developer(relay, tunnel)
    message = developer.hears("call")
    assert developer.answers(message.call, b"back")
    assert caller.done().body == b"back"
    developer.line.close()


def test_an_answer_after_a_broken_line_still_arrives(relay: Relay, tunnel: str, developer: Developer) -> None:
    caller = Caller(relay, tunnel)
    message = developer.hears("call")
    developer.line.close()
    assert developer.answers(message.call, b"late")
    assert caller.done().body == b"late"


def test_a_developer_who_stays_away_breaks_the_call(
    relay: Relay, tunnel: str, developer: Developer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "GRACE", 0.1)
    caller = Caller(relay, tunnel)
    developer.hears("call")
    developer.line.close()
    assert isinstance(caller.done().error, LineBroken)


def test_a_newer_line_takes_over(relay: Relay, tunnel: str, developer: Developer) -> None:
    newer = Developer(relay, tunnel)
    developer.hears("replaced")
    assert developer.ended.wait(10)
    developer.line.close()
    caller = Caller(relay, tunnel)
    message = newer.hears("call")
    assert newer.answers(message.call, b"mine")
    assert caller.done().body == b"mine"
    newer.line.close()


def test_who_gives_up_is_reported_to_the_developer(relay: Relay, tunnel: str, developer: Developer) -> None:
    caller = Caller(relay, tunnel, seconds=0.2)
    message = developer.hears("call")
    developer.hears("end")
    assert isinstance(caller.done().error, TimeoutError)
    assert developer.hears("cancel").call == message.call
    assert not developer.answers(message.call, b"too late")


def test_half_an_answer_is_not_an_answer(relay: Relay, tunnel: str, developer: Developer) -> None:
    caller = Caller(relay, tunnel)
    message = developer.hears("call")
    head = json.dumps({"status": 200, "headers": [], "call": message.call}).encode()

    def breaks_off() -> Iterator[tuple[int, bytes]]:
        yield BODY, b"half"
        raise FrameError("the body ends in the middle of an answer")

    with pytest.raises(FrameError):
        relay.bring(tunnel, message.call, breaks_off(), head)
    assert isinstance(caller.done().error, LineBroken)


def test_a_second_answer_to_the_same_call_is_refused(relay: Relay, tunnel: str, developer: Developer) -> None:
    caller = Caller(relay, tunnel)
    message = developer.hears("call")
    assert developer.answers(message.call, b"first")
    assert not developer.answers(message.call, b"second")
    assert caller.done().body == b"first"


def test_an_answer_is_bound_to_its_tunnel(relay: Relay, tunnel: str, developer: Developer) -> None:
    other = Developer(relay, new_id())
    caller = Caller(relay, tunnel)
    message = developer.hears("call")
    head = json.dumps({"status": 200, "headers": [], "call": message.call}).encode()
    for elsewhere in (other.tunnel, NOBODY, f"../{tunnel}", "", message.call):
        assert not relay.bring(elsewhere, message.call, iter([(BODY, b"forged"), (END, b"")]), head)
    again = Developer(relay, tunnel)  # the same tunnel, leased again: what went to the first stream is still its own
    developer.hears("end")
    developer.hears("replaced")
    assert developer.answers(message.call, b"true")
    assert caller.done().body == b"true"
    for one in (other, again):
        one.line.close()


def test_twenty_calls_at_once_and_the_next_waits(relay: Relay, tunnel: str, developer: Developer) -> None:
    callers = [Caller(relay, tunnel) for _ in range(lines.MAX_CALLS + 1)]
    under_way = []
    while len(under_way) < lines.MAX_CALLS:
        sent = developer.heard.get(timeout=10)
        if sent is not None and sent.kind == "call":
            under_way.append(sent.call)
    time.sleep(0.1)
    left = [developer.heard.get_nowait() for _ in range(developer.heard.qsize())]
    assert all(one is not None and one.kind == "end" for one in left)
    assert developer.answers(under_way.pop(), b"done")
    message = developer.heard.get(timeout=10)
    while message is None or message.kind != "call":
        message = developer.heard.get(timeout=10)
    assert all(developer.answers(call, b"done") for call in [*under_way, message.call])
    assert all(caller.done().body == b"done" for caller in callers)


def test_more_calls_than_may_wait_are_refused_at_once(relay: Relay, tunnel: str, developer: Developer) -> None:
    most = lines.MAX_CALLS + lines.MAX_WAITING
    callers = [Caller(relay, tunnel, seconds=20) for _ in range(most + 5)]
    deadline = time.monotonic() + 10
    while sum(not caller.is_alive() for caller in callers) < 5 and time.monotonic() < deadline:
        time.sleep(0.02)
    refused = [caller for caller in callers if not caller.is_alive()]
    assert [type(answer.error) for answer in refused] == [LineBusy] * 5
    answered = 0
    while answered < most:
        sent = developer.heard.get(timeout=10)
        if sent is not None and sent.kind == "call":
            answered += developer.answers(sent.call, b"done")
    assert all(caller.done().body == b"done" for caller in callers if caller not in refused)


def test_a_developer_with_too_many_calls_is_busy_and_not_away(relay: Relay, tunnel: str, developer: Developer) -> None:
    callers = [Caller(relay, tunnel, seconds=20) for _ in range(lines.MAX_CALLS + lines.MAX_WAITING)]
    wait_for(lambda: developer.line._places._value == 0)
    engine = DevTunnelEngine(EgressRules(), relay)
    for size in (1, 4 << 20):  # more than fits before the answer comes
        event = b'"%s"' % (b"x" * size)
        call = Invocation(Script("v", "v2", ""), "tenant", event, b"{}", tunnel_url=relay.address(tunnel))
        outcome = engine.invoke(call, lambda _: None)
        assert outcome.status == 503
        assert outcome.failure is not None and outcome.failure.kind == "overload"
        assert "busy" in outcome.failure.message
    answered = 0
    while answered < len(callers):
        sent = developer.heard.get(timeout=10)
        if sent is not None and sent.kind == "call":
            answered += developer.answers(sent.call, b"done")
    assert all(caller.done().body == b"done" for caller in callers)


def test_an_answer_that_goes_on_and_on_ends_at_the_limit(relay: Relay, tunnel: str, developer: Developer) -> None:
    engine = DevTunnelEngine(EgressRules(), relay)
    outcomes: list[Outcome] = []
    call = Invocation(Script("v", "v2", ""), "tenant", b"{}", b"{}", None, Limits(wall=1.0), relay.address(tunnel))
    calling = threading.Thread(target=lambda: outcomes.append(engine.invoke(call, lambda _: None)), daemon=True)
    calling.start()
    message = developer.hears("call")
    head = json.dumps({"status": 200, "headers": [], "call": message.call}).encode()

    def without_end() -> Iterator[tuple[int, bytes]]:
        while calling.is_alive():
            yield BODY, b"piece"
            time.sleep(0.05)
        yield END, b""

    relay.bring(tunnel, message.call, without_end(), head)
    calling.join(20)
    assert [(outcome.status, outcome.failure and outcome.failure.kind) for outcome in outcomes] == [(504, "timeout")]


def test_one_organization_leaves_calls_to_others(relay: Relay, tunnel: str, developer: Developer) -> None:
    engine = DevTunnelEngine(EgressRules(), relay, most_calls=8)

    def begin(organization: str) -> None:
        script = Script("v", "v2", "", integration=organization)
        url, limits = relay.address(tunnel), Limits(wall=5.0)
        call = Invocation(script, "tenant", b"{}", b"{}", None, limits, url, organization)
        threading.Thread(target=engine.invoke, args=(call, lambda _: None), daemon=True).start()

    def heard() -> int:
        return sum(sent is not None and sent.kind == "call" for sent in [*developer.heard.queue])

    for _ in range(12):
        begin("greedy")
    wait_for(lambda: heard() >= 2)
    others = heard()
    begin("modest")
    wait_for(lambda: heard() > others)
    assert others < 8


@pytest.mark.parametrize("call", ["", "x", "../../etc.passwd", f"{NOBODY}.{NOBODY}", f"{NOBODY}/{NOBODY}"])
def test_answers_to_calls_that_never_were(relay: Relay, call: str) -> None:
    frames = iter([(END, b"")])
    head = json.dumps({"status": 200, "headers": [], "call": call}).encode()
    if "/" in call or call in ("", "x"):
        with pytest.raises(FrameError):
            relay.bring(NOBODY, call, frames, head)
    else:
        assert not relay.bring(NOBODY, call, frames, head)


def test_whose_address_it_is(relay: Relay) -> None:
    assert relay.tunnel_of(relay.address("abc")) == "abc"
    assert relay.tunnel_of("http://host.example.com/tunnels/abc") is None


@given(st.binary(max_size=200))
@settings(max_examples=200, deadline=None)
def test_rubbish_in_place_of_frames_is_refused_or_read(rubbish: bytes) -> None:

    try:
        frames = list(read_frames(io.BytesIO(rubbish).read))
    except FrameError:
        return
    assert frames[-1][0] == END


@given(st.lists(st.binary(max_size=PIECE * 2 + 1), max_size=5))
@settings(max_examples=50, deadline=None)
def test_pieces_put_together_are_the_body(body: list[bytes]) -> None:

    written = b"".join(pack(BODY, piece) for piece in pieces(iter(body))) + pack(END, b"")
    assert b"".join(payload for _, payload in read_frames(io.BytesIO(written).read)) == b"".join(body)


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"[]",
        b"{}",
        b'{"status":200}',
        b'{"status":99,"headers":[]}',
        b'{"status":"x","headers":[]}',
        b'{"status":200,"headers":5}',
        b'{"status":200,"headers":["a"]}',
    ],
)
def test_heads_that_say_nothing(head: bytes) -> None:
    with pytest.raises(FrameError):
        answer_head(head)
