"""The body of a call through a tunnel: it comes in one thread, and is read, or not, in another."""

from __future__ import annotations

import threading

import pytest

from devkit.tunnel.exchange import WAITING, Cancelled, Incoming


def incoming() -> Incoming:
    return Incoming("call", "POST", "/", [])


def test_a_body_is_read_in_order() -> None:
    one = incoming()
    pieces = [bytes([number]) for number in range(200)]

    def send() -> None:
        for piece in (*pieces, None):
            one.arrive(piece)

    sender = threading.Thread(target=send)
    sender.start()
    assert list(one.body()) == pieces
    sender.join(timeout=30)
    assert not sender.is_alive()


def test_who_sends_waits_for_nobody_once_a_call_is_cancelled() -> None:
    one = incoming()
    sender = threading.Thread(target=lambda: [one.arrive(b"x") for _ in range(3 * WAITING)], daemon=True)
    sender.start()
    one.cancel()
    one.cancel()
    sender.join(timeout=30)
    assert not sender.is_alive()
    with pytest.raises(Cancelled):
        list(one.body())


def test_cancelling_and_reading_at_once() -> None:
    for _ in range(200):
        one, ended = incoming(), list[str]()

        def read(one: Incoming = one, ended: list[str] = ended) -> None:
            try:
                list(one.body())
            except Cancelled:
                ended.append("cancelled")

        reader = threading.Thread(target=read)
        reader.start()
        for _ in range(10):
            one.arrive(b"x")
        one.cancel()
        one.arrive(b"late")
        reader.join(timeout=30)
        assert ended == ["cancelled"]
