"""Tunnels."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.contract.tunnels import Tunnel
from runtime.serializers.view import View
from runtime.store.tables.tunnels import TunnelRow


def tunnels(view: View, rows: Sequence[TunnelRow]) -> list[Tunnel]:
    """Show tunnels, with where a developer's machine listens and answers."""
    return [
        Tunnel(
            id=row.id,
            name=row.name,
            url=row.url,
            stream=view.at.api("tunnels", row.id, "stream"),
            answers=view.at.api("tunnels", row.id, "answers"),
            leased_until=row.leased_until,
            lease_seconds=row.lease_seconds,
        )
        for row in rows
    ]
