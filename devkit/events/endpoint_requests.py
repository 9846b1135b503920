"""Real HTTP requests to the public endpoints of integrations, signed where the sender would sign them."""

from __future__ import annotations

import json
import re
import time
import uuid
from dataclasses import dataclass
from typing import Any

import requests

from devkit.events.signing import SIGNERS
from devkit.hosts import connections, response_shapes
from devkit.hosts.client import LONGEST, Client, part, read_whole, reason
from devkit.hosts.distances import Distance
from devkit.hosts.named_addresses import opened
from devkit.terminal.output import Mistake, Problem
from runtime import version

TIMEOUT = 60
NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""The name of a header (RFC 9110, 5.6.2)."""


@dataclass(frozen=True, slots=True)
class Place:
    """The level of an endpoint: the integration's own if no installation is named."""

    installation: str | None = None
    space: str | None = None
    site: str | None = None


@dataclass(frozen=True, slots=True)
class RequestDescription:
    """A request as the author describes it; `secret` is used for signing only, and never sent."""

    method: str
    path: str
    headers: tuple[str, ...]
    body: bytes
    sign: str | None
    secret: str | None


def endpoint(client: Client, name: str, place: Place) -> str:
    """Ask the host for the public endpoint of an integration, or of one installation, space or site; raises Problem."""
    path = f"/v1/integrations/{part(name)}"
    if place.installation:
        path += f"/installations/{part(place.installation)}"
    if place.space:
        path += f"/spaces/{part(place.space)}"
    elif place.site:
        path += f"/sites/{part(place.site)}"
    return str(client.call("GET", path, shape=response_shapes.ENDPOINT)["urls"]["publicEndpoint"])


def request(address: str, description: RequestDescription, host: Distance | None) -> dict[str, Any]:
    """Sign and send a request, without following redirects; returns the response. Raises Problem without one.

    The address is what a host named, whose own distance is `host`: nothing is sent to one that is nearer.
    """
    url = address + (description.path if description.path.startswith(("/", "?")) else f"/{description.path}")
    carries = description.method not in ("GET", "HEAD")
    body = description.body if carries else b""
    headers = {"User-Agent": f"devkit/{version.VERSION}"}
    if carries and body:
        headers["Content-Type"] = _kind(body)
    if description.sign:
        headers |= SIGNERS[description.sign](
            description.secret or "", body, int(time.time()), f"msg_{uuid.uuid4().hex}"
        )
    headers = _with(headers, description.headers)
    session = connections.session()
    try:
        with opened(
            session, description.method, url, host, LONGEST, data=body or None, headers=headers, timeout=TIMEOUT
        ) as answer:
            content = read_whole(answer)
    except requests.RequestException as error:
        raise Problem(f"{url} does not answer ({reason(error)})") from None
    except UnicodeError as error:
        raise Problem(f"the request cannot be sent: {error}") from None
    finally:
        session.close()
    return {
        "method": description.method,
        "url": url,
        "status": answer.status_code,
        "headers": list(answer.headers.items()),
        "body": content.decode(errors="replace"),
    }


def _with(headers: dict[str, str], lines: tuple[str, ...]) -> dict[str, str]:
    """Add the author's own headers, which replace those of the same name."""
    for line in lines:
        name, value = header(line)
        headers = {known: text for known, text in headers.items() if known.lower() != name.lower()}
        headers[name] = value
    return headers


def header(line: str) -> tuple[str, str]:
    """Read a header as it is typed; raises Mistake."""
    name, separator, value = (part_.strip() for part_ in line.partition(":"))
    if not separator or not NAME.fullmatch(name):
        raise Mistake(f"--header {line}: write `Name: value`")
    return name, value


def _kind(body: bytes) -> str:
    """Guess the type of a body: JSON, a form, text, or bytes."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return "application/octet-stream"
    try:
        json.loads(text)
    except ValueError:
        is_form = "=" in text and not any(char.isspace() for char in text.strip())
        return "application/x-www-form-urlencoded" if is_form else "text/plain; charset=utf-8"
    return "application/json"
