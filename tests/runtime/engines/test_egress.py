"""Which destinations are open, and what a host-side request gets back."""

from __future__ import annotations

import ipaddress
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.contract.public_addresses import is_public
from runtime.engines.egress import MAX_ADDRESSES, EgressRefused, EgressRules, FetchFailed, fetch

CLOSED = [
    "10.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "0.0.0.0/8",
    "224.0.0.0/4", "240.0.0.0/4", "198.18.0.0/15", "::/128", "::1/128", "fc00::/7", "fe80::/10", "ff00::/8",
    "2001:db8::/32", "2002::/16", "2001::/32",
]  # fmt: skip


def _addresses(text: str) -> st.SearchStrategy[Any]:
    network = ipaddress.ip_network(text)
    return st.integers(int(network[0]), int(network[-1])).map(lambda number: type(network[0])(number))


closed_addresses = st.sampled_from(CLOSED).flatmap(_addresses)
closed_4 = st.sampled_from([text for text in CLOSED if ":" not in text]).flatmap(_addresses)


def _rules(*addresses: str, **options: Any) -> EgressRules:
    """Rules whose names all resolve to these addresses."""
    return EgressRules(resolver=lambda host, port, **_: [(0, 0, 0, "", (text, port)) for text in addresses], **options)


@given(closed_addresses)
def test_no_private_address_passes(address: Any) -> None:
    assert not is_public(str(address))
    with pytest.raises(EgressRefused, match="private network"):
        _rules(str(address)).resolve("name.example", 443)


@given(closed_4)
def test_no_private_address_passes_inside_another(address: ipaddress.IPv4Address) -> None:
    number = int(address)
    for wrapped in (f"::ffff:{address}", f"64:ff9b::{number >> 16:x}:{number & 0xFFFF:x}"):
        assert not is_public(wrapped)
    for wrapper in ("::", "2002::", "64:ff9b:1::"):
        base = int(ipaddress.IPv6Address(wrapper))
        assert not is_public(str(ipaddress.IPv6Address(base | number)))
        assert not is_public(str(ipaddress.IPv6Address(base | number << 80)))


@given(st.ip_addresses())
def test_public_means_at_least_what_the_standard_library_means(address: Any) -> None:
    wraps_another = address in ipaddress.ip_network("64:ff9b::/96") or getattr(address, "ipv4_mapped", None) is not None
    if is_public(str(address)) and not wraps_another:
        assert address.is_global
        assert not (address.is_multicast or address.is_loopback or address.is_link_local or address.is_reserved)


@pytest.mark.parametrize("text", ["93.184.215.14", "1.1.1.1", "2606:4700::1111", "::ffff:1.1.1.1"])
def test_public_address_passes(text: str) -> None:
    assert is_public(text)
    assert _rules(text).resolve("name.example", 443) == [(text, 443)]


@pytest.mark.parametrize("text", ["", "name", "1.1.1", "0x7f.1", "fe80::1%eth0", "168.63.129.16"])
def test_other_text_does_not_pass(text: str) -> None:
    assert not is_public(text)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f000001", "127.1", "0"])
def test_spellings_of_this_machine_are_refused(host: str) -> None:
    with pytest.raises(EgressRefused):
        EgressRules().resolve(host, 80)


def test_public_one_of_several_addresses_is_taken() -> None:
    assert _rules("10.0.0.1", "1.1.1.1").resolve("name.example", 80) == [("1.1.1.1", 80)]


@pytest.mark.parametrize("port", [0, 25, -1, 65536])
def test_port_is_refused(port: int) -> None:
    with pytest.raises(EgressRefused, match="cannot be requested"):
        _rules("1.1.1.1").resolve("name.example", port)


def test_unknown_name_is_refused() -> None:
    def resolver(*_: object, **__: object) -> Any:
        raise socket.gaierror

    with pytest.raises(EgressRefused, match="could not be resolved"):
        EgressRules(resolver=resolver).resolve("name.example", 80)


def test_allowed_host_passes_on_every_port_and_authority_on_one() -> None:
    rules = _rules("10.0.0.1", allow=("INSIDE.example", "other.example:8080"))

    assert rules.resolve("Inside.example.", 9) == [("10.0.0.1", 9)]
    assert rules.resolve("other.example", 8080) == [("10.0.0.1", 8080)]
    with pytest.raises(EgressRefused, match=r"--allow-egress other\.example:80"):
        rules.resolve("other.example", 80)


def test_own_authority_leads_to_where_the_platform_listens() -> None:
    rules = EgressRules(own={"platform.example:443": ("127.0.0.1", 8080)})

    assert rules.resolve("platform.example", 443) == [("127.0.0.1", 8080)]


def test_own_names_one_level_below_a_domain_lead_there_too() -> None:
    rules = EgressRules(own={"*.content.example:443": ("127.0.0.1", 8080)}, resolver=_rules("10.0.0.1").resolver)

    assert rules.resolve("Hello-abc.content.example.", 443) == [("127.0.0.1", 8080)]
    for host, port in (("content.example", 443), ("a.b.content.example", 443), ("hello.content.example", 80)):
        with pytest.raises(EgressRefused):
            rules.resolve(host, port)


class _Server(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/slow":
            self.server.hold.wait(10)  # type: ignore[attr-defined]
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/elsewhere")
        else:
            self.send_response(200)
        answer = f"{self.headers['Host']} {self.path} ".encode() + body
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    """A server on this machine that answers what it was sent."""
    server_ = ThreadingHTTPServer(("127.0.0.1", 0), _Server)
    server_.hold = threading.Event()  # type: ignore[attr-defined]
    thread = threading.Thread(target=server_.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server_
    server_.hold.set()  # type: ignore[attr-defined]
    server_.shutdown()
    thread.join()
    server_.server_close()


@pytest.fixture
def rules(server: ThreadingHTTPServer) -> EgressRules:
    """Rules by which the server is `platform.example`."""
    return EgressRules(own={"platform.example:80": ("127.0.0.1", server.server_port)})


def test_fetch_returns_the_answer(rules: EgressRules) -> None:
    got = fetch(rules, "POST", "http://platform.example/a?b=c", {}, b"hello")

    assert (got.status, got.body) == (200, b"platform.example /a?b=c hello")


def test_fetch_does_not_follow_redirects(rules: EgressRules) -> None:
    got = fetch(rules, "POST", "http://platform.example/moved", {}, b"")

    assert got.status == 302
    assert ("Location", "/elsewhere") in got.headers


def test_fetch_bounds_the_answer(rules: EgressRules) -> None:
    with pytest.raises(FetchFailed) as caught:
        fetch(rules, "POST", "http://platform.example/", {}, b"x" * 1000, max_bytes=500)
    assert caught.value.too_large


def test_fetch_bounds_the_time(rules: EgressRules) -> None:
    with pytest.raises(FetchFailed) as caught:
        fetch(rules, "POST", "http://platform.example/slow", {}, b"", timeout=0.2)
    assert caught.value.timed_out


def test_fetch_without_an_answer_fails(rules: EgressRules) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        closed = EgressRules(own={"platform.example:80": unused.getsockname()})
        with pytest.raises(FetchFailed) as caught:
            fetch(closed, "GET", "http://platform.example/")
    assert not caught.value.timed_out


@pytest.mark.parametrize(
    "url", ["ftp://host.example/", "file:///etc/passwd", "http://", "http://host:99999/", "http://[::1/", "x"]
)
def test_fetch_refuses_other_addresses(url: str) -> None:
    with pytest.raises(EgressRefused):
        fetch(EgressRules(), "GET", url)


def test_an_address_that_does_not_answer_is_followed_by_the_next() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        rules = _rules("127.0.0.2", "127.0.0.1", allow=("name.example",))
        watched: list[socket.socket] = []
        with rules.connect("name.example", port, 5.0, watched.append) as connection:
            assert connection.getpeername() == ("127.0.0.1", port)
        assert len(watched) == 1 or watched[0].fileno() == -1
        with pytest.raises(ConnectionRefusedError):
            _rules("127.0.0.2", "127.0.0.3", allow=("name.example",)).connect("name.example", port, 5.0, watched.append)


def test_addresses_of_a_private_network_are_left_out() -> None:
    assert _rules("10.0.0.1", "1.1.1.1", "1.1.1.1", "8.8.8.8").resolve("name.example", 80) == [
        ("1.1.1.1", 80),
        ("8.8.8.8", 80),
    ]


def test_of_very_many_addresses_a_few_are_tried() -> None:
    rules = _rules(*(f"1.1.{number}.1" for number in range(200)))
    assert rules.resolve("name.example", 80) == [(f"1.1.{number}.1", 80) for number in range(MAX_ADDRESSES)]


def test_who_is_gone_has_no_further_address_tried() -> None:
    watched: list[socket.socket] = []

    def gone(connection: socket.socket) -> None:
        watched.append(connection)
        raise ConnectionAbortedError

    with socket.create_server(("127.0.0.1", 0)) as server:
        rules = _rules("127.0.0.1", "127.0.0.1", "127.0.0.2", allow=("name.example",))
        with pytest.raises(ConnectionAbortedError):
            rules.connect("name.example", server.getsockname()[1], 5.0, gone)
    assert len(watched) == 1


def test_without_time_nothing_is_tried() -> None:
    with pytest.raises(TimeoutError):
        _rules("127.0.0.1", "127.0.0.2", allow=("name.example",)).connect("name.example", 9, 0.0, lambda _: None)
