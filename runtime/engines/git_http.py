"""Git's protocol over HTTP (gitprotocol-http(5), gitprotocol-pack(5)), with servers that the egress rules allow.

Packs are read from and written to files; of a server's data, only references and reports are parsed here.
"""

from __future__ import annotations

import base64
import http.client
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO
from urllib.parse import SplitResult, quote, unquote

from runtime.contract.url_parts import join_url, split_url
from runtime.engines.buffered_responses import FragmentedResponse
from runtime.engines.egress import CheckedConnection, EgressRefused, EgressRules, open_connection, target_of
from runtime.engines.work_limits import TooMuchWork, WorkLimit

MAX_PACK = 500 * 1024 * 1024
MAX_REFERENCES = 32 * 1024 * 1024
"""Longest list of references, in bytes."""
MAX_REPORT = 1024 * 1024
WAIT_SECONDS = 60.0
MAX_REDIRECTS = 5
ZERO = "0" * 40
OID = re.compile(r"[0-9a-f]{40}")
_AGENT = "agent=docs-integration-runtime"
_PIECE = 1 << 16


NO_REPOSITORY = "No Git server answers at this address; it must support the smart HTTP protocol, as all common ones do."


class GitFailed(Exception):
    """A server did not do what was requested; the message is for people, and contains no credentials.

    It may succeed the next time if the failure `passes`.
    """

    def __init__(self, message: str, *, passes: bool = False) -> None:
        super().__init__(message)
        self.passes = passes


class GitTooLarge(GitFailed):
    """A server sent too much."""


class PushRefused(GitFailed):
    """A server did not accept a commit."""


@dataclass(frozen=True, slots=True)
class References:
    """The references of a repository (name -> oid), and the capabilities of its server."""

    oids: dict[str, str]
    capabilities: frozenset[str]


class GitRemote:
    """A repository at an http(s) address, which may have a user name and a password in it."""

    def __init__(self, rules: EgressRules, url: str, seconds: float, check: Callable[[], None] = lambda: None) -> None:
        """Take the address, and how long everything together may take; `check` stops it by raising.

        Raises EgressRefused for an address that is none of http or https.
        """
        self._rules, self._check = rules, check
        self._until = time.monotonic() + seconds
        try:
            parts = split_url(url)
            known = parts.hostname and (parts.port is None or parts.port > 0)
        except ValueError:
            known = False
        if not known or parts.scheme not in ("http", "https"):
            raise EgressRefused("The address of a repository must begin with https:// or http://.")
        self._authorization = _authorization(parts)
        netloc = parts.netloc.rpartition("@")[2]
        self._base = SplitResult(parts.scheme, netloc, parts.path.rstrip("/"), parts.query, "")

    def references(self, service: str) -> References:
        """Read the references to fetch (`git-upload-pack`) or to push to (`git-receive-pack`).

        Raises GitFailed, EgressRefused.
        """
        with self._asked("GET", "/info/refs", service=service) as answer:
            lines = _Packets(answer, MAX_REFERENCES)
            first = lines.next(len(_packet(f"# service={service}\n")))
            if first is None or first.rstrip(b"\n") != f"# service={service}".encode():
                raise GitFailed(NO_REPOSITORY)
            if lines.next() is not None:
                raise GitFailed("The server's answer does not follow the Git protocol.")
            return _references(lines)

    def fetch(self, oid: str, capabilities: frozenset[str], into: BinaryIO, larger: int) -> None:
        """Fetch a commit and what it is of, without its past, as a pack; files beyond `larger` bytes where they must.

        Raises GitFailed, EgressRefused.
        """
        # Some servers insist on `thin-pack`; they have nothing to leave out for who has nothing.
        known = ("ofs-delta", "no-progress", "thin-pack", "shallow", "filter")
        wanted = [name for name in known if name in capabilities]
        side = next((name for name in ("side-band-64k", "side-band") if name in capabilities), None)
        lines = [f"want {oid} {' '.join([*wanted, *([side] if side else []), _AGENT])}\n"]
        if "filter" in wanted:
            lines.append(f"filter blob:limit={larger}\n")
        if "shallow" in wanted:
            lines.append("deepen 1\n")
        body = b"".join(map(_packet, lines)) + b"0000" + _packet("done\n")
        with self._asked("POST", "/git-upload-pack", body=body) as answer:
            packets = _Packets(answer, MAX_PACK)
            if "shallow" in wanted:
                while (line := packets.next()) is not None:
                    _not_an_error(line)
            line = packets.next()
            while line is not None and line.startswith(b"ACK"):
                line = packets.next()
            if line is None or not line.startswith(b"NAK"):
                _not_an_error(line or b"")
                raise GitFailed("The server's answer does not follow the Git protocol.")
            if side is None:
                _copy(answer, into, self._check)
                return
            while (line := packets.next()) is not None:
                self._check()
                if line[:1] == b"\x03":
                    raise GitFailed(f"The server says: {_shown(line[1:])}")
                if line[:1] == b"\x01":
                    into.write(line[1:])

    def push(self, reference: str, old: str, new: str, capabilities: frozenset[str], pack: BinaryIO, size: int) -> None:
        """Move a reference from one commit to another, with the objects that this needs.

        Raises PushRefused, GitFailed, EgressRefused.
        """
        if "report-status" not in capabilities:
            raise GitFailed("The server cannot report whether it accepted a commit; it is too old.")
        head = _packet(f"{old} {new} {reference}\0 report-status {_AGENT}\n") + b"0000"
        with self._asked("POST", "/git-receive-pack", body=head, file=pack, size=size) as answer:
            packets = _Packets(answer, MAX_REPORT)
            said: list[bytes] = []
            while (line := packets.next()) is not None:
                _not_an_error(line)
                said.append(line.rstrip(b"\n"))
        wrong = [
            line for line in said if line.startswith(b"ng ") or (line.startswith(b"unpack ") and line != b"unpack ok")
        ]
        if wrong or not any(line == f"ok {reference}".encode() for line in said):
            raise PushRefused(
                f"The server did not accept the commit: {_shown(wrong[-1] if wrong else b'it gave no answer')}"
            )

    @contextmanager
    def _asked(
        self,
        method: str,
        path: str,
        *,
        service: str | None = None,
        body: bytes = b"",
        file: BinaryIO | None = None,
        size: int = 0,
    ) -> Iterator[http.client.HTTPResponse]:
        """Ask, follow redirects of a GET as far as the rules let it, and give the answer to read."""
        for _ in range(MAX_REDIRECTS + 1):
            self._check()
            query = f"service={service}" if service else ""
            base = self._base
            query = "&".join(part for part in (base.query, query) if part)
            parts = SplitResult(base.scheme, base.netloc, base.path + path, query, "")
            connection = self._connection(parts)
            alarm = threading.Timer(max(0.1, self._until - time.monotonic()), connection.cut)
            alarm.daemon = True
            alarm.start()
            answer = None
            try:
                answer = self._sent(connection, method, parts, body, file, size)
                if method == "GET" and answer.status in (301, 302, 303, 307, 308):
                    self._redirected(parts, answer.getheader("Location") or "", path)
                    continue
                _check_status(answer)
                yield answer
                return
            except (FragmentedResponse, TooMuchWork):
                raise GitFailed("The connection was closed because the server sent too many small chunks.") from None
            except (OSError, http.client.HTTPException) as error:
                if connection.was_cut or isinstance(error, TimeoutError):
                    raise GitFailed("The server of the repository did not answer in time.", passes=True) from None
                said = f"The server of the repository could not be reached: {type(error).__name__}."
                raise GitFailed(said, passes=True) from None
            finally:
                alarm.cancel()
                if answer is not None:
                    answer.close()
                connection.close()
        raise GitFailed(f"The server of the repository redirected more than {MAX_REDIRECTS} times.")

    def _connection(self, parts: SplitResult) -> CheckedConnection:
        port = parts.port or (443 if parts.scheme == "https" else 80)
        if self._rules.own_address(parts.hostname or "", port) is not None:
            raise EgressRefused("The platform itself has no repositories.")
        return open_connection(self._rules, parts, WAIT_SECONDS)

    def _sent(
        self,
        connection: CheckedConnection,
        method: str,
        parts: SplitResult,
        body: bytes,
        file: BinaryIO | None,
        size: int,
    ) -> http.client.HTTPResponse:
        service = parts.path.rpartition("/")[2]
        connection.putrequest(method, target_of(parts), skip_accept_encoding=True)
        connection.putheader("User-Agent", "git/docs-integration-runtime")
        connection.putheader("Connection", "close")
        if self._authorization is not None:
            connection.putheader("Authorization", self._authorization)
        if method == "POST":
            connection.putheader("Content-Type", f"application/x-{service}-request")
            connection.putheader("Accept", f"application/x-{service}-result")
            connection.putheader("Content-Length", str(len(body) + size))
        connection.endheaders()
        if body:
            connection.send(body)
        while file is not None and (piece := file.read(_PIECE)):
            self._check()
            connection.send(piece)
        return connection.getresponse()

    def _redirected(self, parts: SplitResult, location: str, path: str) -> None:
        """Go where a server says the repository is; another server does not get the password."""
        try:
            there = split_url(join_url(parts.geturl(), location))
            known = there.hostname is not None and (there.port is None or there.port > 0)
        except ValueError:
            known = False
        if not location or not known or there.scheme not in ("http", "https") or not there.path.endswith(path):
            raise GitFailed("The server of the repository redirected to an invalid address.")
        if (there.scheme, there.netloc) != (self._base.scheme, self._base.netloc):
            self._authorization = None
        netloc = there.netloc.rpartition("@")[2]
        self._base = SplitResult(there.scheme, netloc, there.path.removesuffix(path), self._base.query, "")


class _Packets:
    """Reads pkt-lines: None is a flush packet, or the end."""

    def __init__(self, answer: http.client.HTTPResponse, most: int) -> None:
        self._answer, self._left = answer, most
        self._work = WorkLimit()

    def next(self, longest: int = 65_535) -> bytes | None:
        """Read one; what is longer, as text that happens to begin with digits, is not an answer of Git's."""
        head = _exactly(self._answer, 4)
        if len(head) < 4:
            return None
        try:
            length = int(head, 16)
        except ValueError:
            raise GitFailed(NO_REPOSITORY) from None
        if length > longest:
            raise GitFailed(NO_REPOSITORY)
        if length in (0, 1, 2):
            return None
        self._left -= length
        if length < 4:
            raise GitFailed("The server's answer does not follow the Git protocol.")
        if self._left < 0:
            raise GitTooLarge("The repository is too large: its server sends more than is allowed for one commit.")
        line = _exactly(self._answer, length - 4)
        if len(line) != length - 4:
            raise GitFailed("The server closed the connection in the middle of its answer.")
        self._work.took(length)
        return line


def _exactly(answer: http.client.HTTPResponse, size: int) -> bytes:
    parts: list[bytes] = []
    while size > 0 and (piece := answer.read(size)):
        parts.append(piece)
        size -= len(piece)
    return b"".join(parts)


def _references(lines: _Packets) -> References:
    oids: dict[str, str] = {}
    capabilities: frozenset[str] = frozenset()
    while (line := lines.next()) is not None:
        _not_an_error(line)
        named, _, said = line.rstrip(b"\n").partition(b"\0")
        if said:
            capabilities = frozenset(said.decode("utf-8", "replace").split())
        oid, _, name = named.decode("utf-8", "replace").partition(" ")
        if (
            name != "capabilities^{}" and oid != "shallow"
        ):  # a shallow repository also lists where its history was cut off
            oids[name] = oid
    if "object-format=sha256" in capabilities:
        raise GitFailed("The repository names its objects with SHA-256, which is not supported.")
    if not all(map(OID.fullmatch, oids.values())):  # they are stored, and told to integrations
        raise GitFailed("The server's answer does not follow the Git protocol: it has an invalid object id.")
    return References(oids, capabilities)


def _copy(answer: http.client.HTTPResponse, into: BinaryIO, check: Callable[[], None]) -> None:
    left = MAX_PACK
    while piece := answer.read(_PIECE):
        check()
        left -= len(piece)
        if left < 0:
            raise GitTooLarge("The repository is too large: its server sends more than is allowed for one commit.")
        into.write(piece)


def _check_status(answer: http.client.HTTPResponse) -> None:
    if answer.status in (401, 403):
        raise GitFailed("The server of the repository wants other credentials: the token is wrong, or may not do this.")
    if answer.status == 404:
        raise GitFailed("There is no repository at this address, or the token does not show it.")
    if answer.status != 200:
        said = f"The server of the repository answered with status {answer.status}."
        raise GitFailed(said, passes=answer.status >= 500)


def _not_an_error(line: bytes) -> None:
    if line.startswith(b"ERR "):
        raise GitFailed(f"The server says: {_shown(line[4:])}")


def _shown(said: bytes) -> str:
    text = said.decode("utf-8", "replace").strip()
    return "".join(sign if sign.isprintable() else " " for sign in text)[:300]


def _packet(line: str) -> bytes:
    content = line.encode()
    return f"{len(content) + 4:04x}".encode() + content


def _authorization(parts: SplitResult) -> str | None:
    if parts.username is None and parts.password is None:
        return None
    pair = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    return "Basic " + base64.b64encode(pair.encode()).decode()


def without_credentials(url: str) -> str:
    """Return an address without user name and password; raises ValueError if it is invalid."""
    parts = split_url(url)
    netloc = parts.netloc.rpartition("@")[2]
    return SplitResult(parts.scheme, netloc, quote(parts.path, safe="/%:@!$&'()*+,;=~-._"), "", "").geturl()
