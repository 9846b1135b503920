"""Git's protocol with servers that do not keep to it."""

from __future__ import annotations

import base64
import io
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from runtime.engines import git_http, work_limits
from runtime.engines.egress import EgressRefused, EgressRules, FetchFailed, fetch
from runtime.engines.git_http import GitFailed, GitRemote, GitTooLarge, PushRefused, without_credentials

OID = "1" * 40


class Server:
    """Answers every request with what the test says, and notes what was asked."""

    def __init__(self) -> None:
        self.answers: list[tuple[int, dict[str, str], bytes]] = []
        self.asked: list[tuple[str, str, str | None]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                outer.asked.append((self.command, self.path, self.headers.get("Authorization")))
                status, headers, body = outer.answers.pop(0)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                with suppress(ConnectionError):  # whoever asked has heard enough
                    self.wfile.write(body)

            do_POST = do_GET

            def log_message(self, *arguments: Any) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def says(self, body: bytes, status: int = 200, **headers: str) -> None:
        self.answers.append((status, headers, body))

    def remote(self, credentials: str = "", **rules: Any) -> GitRemote:
        opened = {"allow": (f"127.0.0.1:{self.port}",), **rules}
        return GitRemote(EgressRules(**opened), f"http://{credentials}127.0.0.1:{self.port}/a.git", 20.0)


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.server.shutdown()
    made.server.server_close()


def packet(line: bytes) -> bytes:
    return f"{len(line) + 4:04x}".encode() + line


HEAD = packet(b"# service=git-upload-pack\n") + b"0000"
REFS = HEAD + packet(f"{OID} refs/heads/main\0side-band-64k shallow\n".encode()) + b"0000"


def test_references_are_read_and_credentials_sent(server: Server) -> None:
    server.says(REFS)
    found = server.remote("some%20one:wo%40rd@").references("git-upload-pack")
    assert found.oids == {"refs/heads/main": OID} and found.capabilities == {"side-band-64k", "shallow"}
    wanted = "Basic " + base64.b64encode(b"some one:wo@rd").decode()
    assert server.asked == [("GET", "/a.git/info/refs?service=git-upload-pack", wanted)]


def test_a_server_may_have_a_part_of_the_past_alone(server: Server) -> None:
    server.says(REFS.removesuffix(b"0000") + packet(f"shallow {OID}\n".encode()) + b"0000")
    assert server.remote().references("git-upload-pack").oids == {"refs/heads/main": OID}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"0003",
        b"zzzz",
        b"-001",
        packet(b"# service=git-receive-pack\n"),
        HEAD + packet(b"ERR no \x1b[31msuch thing"),
        HEAD + b"ffff" + b"x" * 10,
        HEAD + packet(f"{OID} refs/heads/a\0object-format=sha256".encode()) + b"0000",
        HEAD
        + packet(f"{OID} refs/heads/a\0report-status".encode())
        + packet(b"a" * 65_000 + b" refs/heads/b")
        + b"0000",
        HEAD + packet(f"{OID[:-1]}\n refs/heads/a\0report-status".encode()) + b"0000",
    ],
)
def test_what_is_no_list_of_references_is_told(server: Server, body: bytes) -> None:
    server.says(body)
    with pytest.raises(GitFailed) as told:
        server.remote().references("git-upload-pack")
    assert "\x1b" not in str(told.value)


@pytest.mark.parametrize("body", [b"<html>", OID.encode() + b"\trefs/heads/main\n", b"face the facts", b"A page."])
def test_an_address_of_something_else_is_called_so(server: Server, body: bytes) -> None:
    server.says(body)  # as the dumb protocol does, which begins with digits
    with pytest.raises(GitFailed, match="No Git server answers at this address"):
        server.remote().references("git-upload-pack")


@pytest.mark.parametrize(("status", "passes"), [(401, False), (403, False), (404, False), (418, False), (503, True)])
def test_other_statuses(server: Server, status: int, passes: bool) -> None:
    server.says(b"", status)
    with pytest.raises(GitFailed) as told:
        server.remote("a:secret@").references("git-upload-pack")
    assert told.value.passes == passes and "secret" not in str(told.value)


def test_another_server_does_not_get_the_password(server: Server) -> None:
    other = Server()
    place = f"http://localhost:{other.port}/b.git/info/refs?service=git-upload-pack"
    server.says(b"", 301, Location=place)
    other.says(REFS)
    remote = server.remote("a:b@", allow=(f"127.0.0.1:{server.port}", f"localhost:{other.port}"))
    assert remote.references("git-upload-pack").oids
    assert server.asked[0][2] is not None and other.asked[0][2] is None
    other.server.shutdown()
    other.server.server_close()


@pytest.mark.parametrize(
    "place",
    ["file:///etc/info/refs", "http://127.0.0.1:1/x/info/refs", "//[", "/elsewhere", "http://[::1]/info/refs", ""],
)
def test_redirects_to_what_is_closed(server: Server, place: str) -> None:
    server.says(b"", 302, Location=place)
    with pytest.raises((GitFailed, EgressRefused)):
        server.remote().references("git-upload-pack")
    assert len(server.asked) == 1


def test_redirects_without_an_end(server: Server) -> None:
    for _ in range(10):
        server.says(b"", 302, Location="/a.git/info/refs")
    with pytest.raises(GitFailed, match="redirected more than"):
        server.remote().references("git-upload-pack")


def test_the_platform_itself_is_closed(server: Server) -> None:
    with pytest.raises(EgressRefused, match="platform itself"):
        server.remote(own={f"127.0.0.1:{server.port}": ("127.0.0.1", server.port)}).references("git-upload-pack")
    for url in ("file:///etc", "ssh://a/b", "http://", "//a", "git://a/b"):
        with pytest.raises(EgressRefused):
            GitRemote(EgressRules(), url, 1.0)
    assert server.asked == []


def test_a_pack_is_fetched_and_no_more_than_fits(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    start = packet(f"shallow {OID}".encode()) + b"0000" + packet(b"NAK\n")
    capabilities = frozenset(("side-band-64k", "shallow", "ofs-delta"))
    server.says(start + packet(b"\x02counting") + packet(b"\x01PACK") + packet(b"\x01more") + b"0000")
    into = io.BytesIO()
    server.remote().fetch(OID, capabilities, into, 10)
    assert into.getvalue() == b"PACKmore"
    server.says(start + packet(b"\x03it went wrong\n"))
    with pytest.raises(GitFailed, match="it went wrong"):
        server.remote().fetch(OID, capabilities, io.BytesIO(), 10)
    monkeypatch.setattr(git_http, "MAX_PACK", 100_000)
    server.says(start + packet(b"\x01" + b"x" * 60_000) * 10)
    with pytest.raises(GitTooLarge):
        server.remote().fetch(OID, capabilities, io.BytesIO(), 10)
    server.says(packet(b"NAK\n") + b"x" * 200_000)
    with pytest.raises(GitTooLarge):
        server.remote().fetch(OID, frozenset(), io.BytesIO(), 10)


@pytest.mark.parametrize(
    "said", [b"", packet(b"unpack ok\n"), packet(b"unpack ok\n") + packet(b"ng refs/heads/main locked\n")]
)
def test_a_push_that_was_not_taken(server: Server, said: bytes) -> None:
    server.says(said + b"0000")
    with pytest.raises(PushRefused):
        server.remote().push("refs/heads/main", OID, "2" * 40, frozenset(("report-status",)), io.BytesIO(b"abc"), 3)


def test_addresses_without_credentials() -> None:
    assert without_credentials("https://a:b@git.example:8443/x/y.git?t=1#z") == "https://git.example:8443/x/y.git"


@pytest.mark.parametrize("side", ["references", "pack"])
def test_a_server_that_sends_byte_by_byte_is_given_up(
    side: str, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work_limits, "ALWAYS", 0.2)
    remote, small = server.remote(), b"0005x" * 2_000_000
    with pytest.raises(GitFailed, match="small chunks"):
        if side == "references":
            server.says(b"001e# service=git-upload-pack\n0000" + small)
            remote.references("git-upload-pack")
        else:
            server.says(b"0008NAK\n" + small.replace(b"x", b"\x01"))
            remote.fetch(OID, frozenset(("side-band-64k",)), io.BytesIO(), 1)


CHUNKED = {"Transfer-Encoding": "chunked"}
HEAD = b"8\r\n0008NAK\n\r\n"


@pytest.mark.parametrize(
    "body", [HEAD + b"1\r\nx\r\n" * 200_000, HEAD + b"0\r\n" + b"a: b\r\n" * 200_000], ids=["chunks", "trailers"]
)
def test_a_pack_in_lines_without_content_is_given_up(body: bytes, server: Server) -> None:
    server.says(body, **CHUNKED)
    with pytest.raises(GitFailed, match="small chunks"):
        server.remote().fetch(OID, frozenset(), io.BytesIO(), 1)


def test_interim_answers_without_end_are_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"127.0.0.1:{listener.getsockname()[1]}"

        def answer() -> None:
            connection, _ = listener.accept()
            with connection, suppress(OSError):
                while True:
                    connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n" * 1000)

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(GitFailed, match="small chunks"):
            GitRemote(EgressRules(allow=(address,)), f"http://{address}/a.git", 60.0).references("git-upload-pack")
        thread.join()


def test_an_answer_in_chunks_of_a_byte_is_given_up(server: Server) -> None:
    rules, url = EgressRules(allow=(f"127.0.0.1:{server.port}",)), f"http://127.0.0.1:{server.port}/"
    server.says(b"1\r\nx\r\n" * 200_000, **CHUNKED)
    with pytest.raises(FetchFailed, match="chunks of a few bytes"):
        fetch(rules, "GET", url)
    large = b"2000\r\n" + b"x" * 0x2000 + b"\r\n"
    server.says(b"1\r\nx\r\n" * 15_000 + large * 400 + b"0\r\n\r\n", **CHUNKED)
    assert len(fetch(rules, "GET", url).body) == 15_000 + 400 * 0x2000
