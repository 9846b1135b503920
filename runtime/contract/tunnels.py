"""Tunnels: a public address of the host for a developer's machine (extension)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import StringConstraints

from runtime.contract.base import Body, Moment, WireModel
from runtime.contract.titles import Line


class OpenTunnel(Body):
    """A tunnel is known by its name: the same name of the same user has the same address every time."""

    name: Annotated[Line, StringConstraints(min_length=1, max_length=100)]


class Tunnel(WireModel):
    """A tunnel; when its lease ends, the development mode that uses it ends too.

    `url` is where its calls go in, `stream` where the developer's machine listens for them, `answers` where it brings
    its answers.
    """

    object: Literal["tunnel"] = "tunnel"
    id: str
    name: str
    url: str
    stream: str
    answers: str
    leased_until: Moment
    lease_seconds: float
