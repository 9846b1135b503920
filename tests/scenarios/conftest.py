"""What scenarios start from; a file that needs another one has a fixture of its own with the same name."""

from __future__ import annotations

import pytest

from tests.conftest import Tenant
from tests.scenarios.content import Space
from tests.scenarios.published_site import Published
from tests.scenarios.site_structure import Site


@pytest.fixture
def space(alpha: Tenant) -> Space:
    """A space with nothing in it."""
    return Space(alpha)


@pytest.fixture
def site(alpha: Tenant) -> Site:
    """A site of one space."""
    return Site(alpha)


@pytest.fixture(scope="module")
def published(alpha: Tenant) -> Published:
    """A site with two sections, one of them for who pays."""
    return Published(alpha)
