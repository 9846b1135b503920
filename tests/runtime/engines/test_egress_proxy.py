"""Requests of scripts: where they get to, what the trace says about them, where they end."""

from __future__ import annotations

import socketserver
import ssl
import subprocess
import textwrap
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from runtime.contract.invocation import Limits, Script
from runtime.engines import work_limits
from runtime.engines.egress import Address, EgressRules
from runtime.engines.egress_exchange import without_credentials
from runtime.engines.python_process.pool import PythonEngine
from tests.runtime.engines.conftest import Ask

_HEAD = """
from runtime.sdk import Integration, Response
integration = Integration()

@integration.fetch("GET", "/")
def run(request, context):
"""


@dataclass(frozen=True)
class Elsewhere(EgressRules):
    """Rules of a network in which some names lead to servers of the test."""

    servers: Mapping[str, Address] = field(default_factory=dict)

    def resolve(self, host: str, port: int) -> list[Address]:
        server = self.servers.get(f"{host}:{port}")
        return [server] if server else super().resolve(host, port)


class _Echo(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        answer = f"{self.command} {self.path} {self.headers['Host']} {self.headers['CDN-Loop']} ".encode() + sent
        self.send_response(418 if self.path == "/teapot" else 200)
        if self.path == "/broken":
            self.send_header("Content-Length", "1000")
            self.close_connection = True
        elif self.path == "/crumbs":
            answer = b"1\r\nx\r\n" * 1_000_000 + b"0\r\n\r\n"
            self.send_header("Transfer-Encoding", "chunked")
        elif self.path == "/open-ended":
            self.send_header("Connection", "close")
        else:
            self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        with suppress(ConnectionError):  # the proxy has heard enough
            self.wfile.write(answer)

    do_POST = do_GET

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def _serve(server: ThreadingHTTPServer) -> Iterator[ThreadingHTTPServer]:
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def server() -> Iterator[ThreadingHTTPServer]:
    """A server that answers what it was sent."""
    yield from _serve(ThreadingHTTPServer(("127.0.0.1", 0), _Echo))


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for `secure.example` with its key, in one file."""
    folder = tmp_path_factory.mktemp("certificate")
    subject = ["-subj", "/CN=secure.example", "-addext", "subjectAltName=DNS:secure.example"]
    created = [*subject, "-keyout", "key.pem", "-out", "cert.pem", "-days", "2", "-nodes"]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", *created], cwd=folder, check=True, capture_output=True
    )
    both = folder / "both.pem"
    both.write_text((folder / "key.pem").read_text() + (folder / "cert.pem").read_text())
    return both


@pytest.fixture(scope="module")
def secure_server(certificate: Path) -> Iterator[ThreadingHTTPServer]:
    """The same server behind TLS."""
    server_ = ThreadingHTTPServer(("127.0.0.1", 0), _Echo)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server_.socket = context.wrap_socket(server_.socket, server_side=True)
    yield from _serve(server_)


@pytest.fixture(scope="module")
def listening() -> Iterator[tuple[int, list[int]]]:
    """A server that reads whatever comes, and counts it."""
    read: list[int] = []

    class Sink(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with suppress(ConnectionError):
                while data := self.request.recv(65_536):
                    read.append(len(data))

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Sink) as server_:
        threading.Thread(target=server_.serve_forever, daemon=True).start()
        yield server_.server_address[1], read
        server_.shutdown()


@pytest.fixture
def sink(listening: tuple[int, list[int]]) -> list[int]:
    """What `sink.example` has read."""
    listening[1].clear()
    return listening[1]


@pytest.fixture(scope="module")
def ask(
    server: ThreadingHTTPServer,
    secure_server: ThreadingHTTPServer,
    certificate: Path,
    listening: tuple[int, list[int]],
    asking: Callable[[PythonEngine], Ask],
) -> Iterator[Ask]:
    """Call a script that may reach the two servers."""
    servers = {
        "platform.example:80": ("127.0.0.1", server.server_port),
        "secure.example:443": ("127.0.0.1", secure_server.server_port),
        "other.example:443": ("127.0.0.1", secure_server.server_port),
        "nobody.example:80": ("127.0.0.1", 1),
        "sink.example:443": ("127.0.0.1", listening[0]),
    }
    engine = PythonEngine(sandbox="required", rules=Elsewhere(servers=servers, ca_file=str(certificate)))
    yield asking(engine)
    engine.close()


def handler(code: str) -> str:
    """Return a script whose fetch handler runs these lines."""
    return _HEAD + textwrap.indent(textwrap.dedent(code).strip(), "    ") + "\n"


def fetching(url: str, options: str = "") -> str:
    """Return a script that makes one request and answers what it got, or 0 and what it was told instead."""
    return handler(f"""
        from runtime.sdk import FetchError
        try:
            got = context.fetch({url!r}{options})
        except FetchError as error:
            return Response.json([0, str(error)])
        return Response.json([got.status, got.text()])
    """)


def test_request_is_passed_on_and_traced(ask: Ask) -> None:
    got = ask(fetching("http://me:secret@platform.example/a?b=c", ", method='POST', body='hello'"))

    assert got.json() == [200, "POST /a?b=c platform.example docs-integration-runtime hello"]
    (entry,) = got.trace.subrequests
    assert (entry.method, entry.url, entry.status) == ("POST", "http://platform.example/a?b=c", 200)
    assert entry.refused is None
    assert got.trace.usage.subrequests == 1


def test_https_is_made_by_the_proxy_and_verified(ask: Ask) -> None:
    good = ask(fetching("https://secure.example/x"))
    bad = ask(fetching("https://other.example/x"))

    assert good.json() == [200, "GET /x secure.example docs-integration-runtime "]
    assert (good.trace.subrequests[0].url, good.trace.subrequests[0].status) == ("https://secure.example/x", 200)
    assert bad.json()[0] == 0
    assert "certificate" in bad.json()[1]
    assert bad.trace.subrequests[0].status is None


def test_requests_library_goes_through_the_proxy(ask: Ask) -> None:
    got = ask(
        handler("""
        import requests
        plain = requests.post("http://platform.example/p", data=iter([b"in ", b"pieces"]))
        secure = requests.get("https://secure.example/s", verify=False)
        return Response.json([plain.text, secure.text])
        """)
    )

    assert got.json() == ["POST /p platform.example docs-integration-runtime in pieces", "GET /s secure.example None "]
    assert [(entry.method, entry.url) for entry in got.trace.subrequests] == [
        ("POST", "http://platform.example/p"),
        ("CONNECT", "https://secure.example:443"),
    ]


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:{port}/", "http://169.254.169.254/latest/meta-data", "http://[::1]/", "http://10.1.2.3/"]
)
def test_private_address_is_refused(ask: Ask, server: ThreadingHTTPServer, url: str) -> None:
    got = ask(fetching(url.format(port=server.server_port)))

    assert got.json()[0] == 0
    assert "private network" in got.json()[1]
    assert "private network" in (got.trace.subrequests[0].refused or "")


def test_tunnel_to_a_private_address_is_refused(ask: Ask, server: ThreadingHTTPServer) -> None:
    got = ask(
        handler(f"""
        import requests
        try:
            requests.get("https://127.0.0.1:{server.server_port}/")
        except requests.exceptions.ProxyError as error:
            return Response.json(str(error))
        """)
    )

    assert "403" in got.json() and "is an address of a private network" in got.json()


def test_status_of_a_server_is_not_a_failure(ask: Ask) -> None:
    assert ask(fetching("http://platform.example/teapot")).json()[0] == 418


def test_unreachable_server_is_reported(ask: Ask) -> None:
    got = ask(fetching("http://nobody.example/"))

    assert got.json()[0] == 0
    assert got.trace.subrequests[0].status is None


def test_half_an_answer_is_an_error(ask: Ask) -> None:
    assert ask(fetching("http://platform.example/broken")).json()[0] == 0


def test_an_answer_in_chunks_of_a_byte_is_given_up(ask: Ask) -> None:
    assert ask(fetching("http://platform.example/crumbs")).json()[0] == 0
    assert ask(fetching("http://platform.example/open-ended")).json()[0] == 200


@pytest.mark.parametrize("way", ["a tunnel", "a body in chunks"])
def test_what_a_script_sends_byte_by_byte_is_given_up(
    way: str, ask: Ask, sink: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work_limits, "ALWAYS", 0.01)
    monkeypatch.setattr(work_limits, "A_SECOND", 1 << 40)
    tunnel = "CONNECT sink.example:443 HTTP/1.1\r\nHost: sink.example:443\r\n\r\n"
    post = "POST http://platform.example/ HTTP/1.1\r\nHost: platform.example\r\nTransfer-Encoding: chunked\r\n\r\n"
    head, piece = (tunnel, b"x") if way == "a tunnel" else (post, b"1\r\nx\r\n")
    sent = ask(
        handler(f"""
        import socket
        connection = socket.create_connection(("127.0.0.1", 3128))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sendall({head.encode()!r})
        sent = 0
        try:
            while sent < 20_000_000:
                connection.sendall({piece!r})
                sent += 1
        except OSError:
            pass
        return Response.json(sent)
        """)
    )

    assert 0 < sent.json() < 20_000_000  # more than the buffers on the way take in
    assert sum(sink) < 1_000_000


def test_answer_of_unknown_length_arrives(ask: Ask) -> None:
    assert ask(fetching("http://platform.example/open-ended")).json()[0] == 200


def test_one_request_too_many_is_refused(ask: Ask) -> None:
    got = ask(
        handler("""
        import requests
        answers = [requests.get("http://platform.example/") for _ in range(5)]
        return Response.json([[got.status_code for got in answers], answers[-1].json(), dict(answers[-1].headers)])
        """),
        limits=Limits(wall=10.0, subrequests=3),
    )
    statuses, refusal, headers = got.json()

    assert statuses == [200, 200, 200, 429, 429]
    assert "limit of 3 requests" in refusal["error"]
    assert headers["Proxy-Status"] == "egress; error=http_request_denied"
    assert [entry.refused is None for entry in got.trace.subrequests] == [True, True, True, False, False]


@pytest.mark.parametrize("junk", [b"\r\n\r\n", b"GET\r\n\r\n", b"\x00\xff" * 500, b"GET http://[ HTTP/1.1\r\n\r\n"])
def test_junk_does_not_hurt_the_proxy(ask: Ask, junk: bytes) -> None:
    sent = ask(
        handler(f"""
        import socket
        with socket.create_connection(("127.0.0.1", 3128)) as proxy:
            proxy.sendall({junk!r})
            proxy.shutdown(socket.SHUT_WR)
            try:
                return Response.json(proxy.recv(12).decode("latin-1"))
            except ConnectionResetError:
                return Response.json("")
        """)
    )

    assert sent.json() in ("", "HTTP/1.1 400", "HTTP/1.1 502", "HTTP/1.1 403")
    assert ask(fetching("http://platform.example/")).json()[0] == 200


def test_many_connections_at_once_are_bounded(ask: Ask) -> None:
    got = ask(
        handler("""
        import socket, time
        held = [socket.create_connection(("127.0.0.1", 3128)) for _ in range(28)]
        time.sleep(0.5)
        answers = []
        for connection in held:
            connection.setblocking(False)
            try:
                answers.append(connection.recv(12).decode())
            except BlockingIOError:
                answers.append("held")
        return Response.json(answers)
        """)
    )

    assert sorted(got.json()) == ["HTTP/1.1 503"] * 4 + ["held"] * 24


def test_more_requests_at_once_than_are_served_wait(ask: Ask) -> None:
    got = ask(
        handler("""
        from concurrent.futures import ThreadPoolExecutor
        with ThreadPoolExecutor(20) as threads:
            answers = threads.map(lambda _: context.fetch("http://platform.example/").status, range(20))
            return Response.json(list(answers))
        """)
    )

    assert got.json() == [200] * 20


def test_nothing_goes_out_between_calls(ask: Ask) -> None:
    source = """
import threading, time
from runtime.sdk import Integration, Response
integration = Integration()
statuses = []

def later(context):
    time.sleep(0.1)
    try:
        statuses.append(context.fetch("http://platform.example/").status)
    except Exception as error:
        statuses.append(type(error).__name__)

@integration.fetch("GET", "/")
def run(request, context):
    for thread in threads:
        thread.join()
    threads.append(threading.Thread(target=later, args=(context,)))
    threads[-1].start()
    if len(threads) == 1:
        return Response.json("started")
    return Response.json(statuses)

threads = []
"""
    between = Script("between", "python", source)
    ask(between)
    threading.Event().wait(0.4)

    assert ask(between).json() == ["FetchError"]


def test_credentials_are_not_shown() -> None:
    assert without_credentials("https://a:b@host.example/p?q=a@b") == "https://host.example/p?q=a@b"
    assert without_credentials("nonsense") == "nonsense"
