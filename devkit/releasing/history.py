"""The versions of an integration that a host keeps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from devkit.hosts import response_shapes
from devkit.hosts.client import Client, part
from runtime.contract.json_shapes import Shape


def versions(client: Client, name: str, shape: Shape = response_shapes.VERSION) -> Iterator[dict[str, Any]]:
    """Go through the versions of an integration, newest first; raises Problem."""
    return client.every(f"/v1/integrations/{part(name)}/versions", 100, shape)
