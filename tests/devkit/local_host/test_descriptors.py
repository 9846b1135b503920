"""How many connections a host takes of the descriptors that it has."""

from __future__ import annotations

import resource

import pytest

from devkit.local_host import descriptors


@pytest.mark.parametrize(("limit", "accepted"), [(100, 18), (1024, 256), (65_536, 256), (2, 1), (-1, 256)])
def test_few_descriptors_mean_few_connections(monkeypatch: pytest.MonkeyPatch, limit: int, accepted: int) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda name: (limit, limit))
    assert descriptors.connections(256) == accepted
