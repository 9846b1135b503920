"""Events of a stream, however they are cut, and those that have no end."""

from __future__ import annotations

import pytest
import requests

from devkit.events import endpoint_requests
from devkit.events.endpoint_requests import RequestDescription
from devkit.hosts import client, event_stream
from devkit.hosts.client import Client, HostUnreachable
from devkit.hosts.credentials import Credentials
from devkit.hosts.distances import Distance
from devkit.hosts.event_stream import ServerSentEvent, events
from tests.devkit.hosts.dripping import HEAD, Dripping

STREAM = b": connected\n\nevent: one\nid: 1\ndata: {}\n\n: still here\n\nevent: two\ndata: x\n\nevent: cut"


def test_events_come_whole_however_they_are_cut() -> None:
    host = Dripping(HEAD + b"\r\n" + STREAM[:20], STREAM[20:])
    with Client(Credentials(host.url, "dk_x")).stream("/v1/stream") as stream:
        assert [*events(stream)] == [ServerSentEvent("one", b"{}", "1"), ServerSentEvent("two", b"x")]
    host.close()


@pytest.mark.parametrize("line", [b"", b"\n"])
def test_an_event_without_an_end_is_given_up(line: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "LONGEST", 10_000)
    host = Dripping(HEAD + b"\r\nevent: one\n" + (b"data: " + b"x" * 100 + line) * 200, b"y" * 200)
    with (
        Client(Credentials(host.url, "dk_x")).stream("/v1/stream") as stream,
        pytest.raises(requests.RequestException, match="an event has more than"),
    ):
        [*events(stream)]
    host.close()


def test_no_more_is_read_of_what_an_endpoint_answers_than_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "MOST_BYTES", 1000)
    host = Dripping(HEAD + b"\r\n" + b"x" * 5000, b"x" * 200)
    with pytest.raises(HostUnreachable, match="the answer has more than"):
        endpoint_requests.request(host.url, RequestDescription("GET", "/", (), b"", None, None), Distance.THIS_MACHINE)
    host.close()
