"""The locked versions install with every pip: what a locked package asks for with an extra is locked with it.

Before 24.1 pip in hash mode takes `name[extra]` for another requirement than a pinned `name`, finds a newer release of
it than the pinned one and refuses that for having no hash. The lock would work until the day of that release.
"""

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]


def locked(lock: str) -> dict[str, Requirement]:
    """Each requirement of a lock file of the project, by name."""
    lines = (ROOT / lock).read_text().splitlines()
    found = [Requirement(line.rstrip("\\ ")) for line in lines if line[:1].isalnum()]
    return {canonicalize_name(each.name): each for each in found}


def asked_by(requirement: Requirement) -> list[Requirement]:
    """What the installed release of a requirement asks for, its extras included; nothing where it is not installed."""
    try:
        lines = distribution(requirement.name).requires or []
    except PackageNotFoundError:  # only for another system
        return []
    asked = [Requirement(line) for line in lines]
    extras = ["", *requirement.extras]
    return [
        each for each in asked if each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in extras)
    ]


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-test.lock"])
def test_extras_that_locked_packages_ask_for_are_locked(lock: str) -> None:
    known = locked(lock)
    assert len(known) > 50
    missing = {
        f"{each.name}[{extra}] for {asking.name}"
        for asking in known.values()
        for each in asked_by(asking)
        for extra in each.extras
        if extra not in known[canonicalize_name(each.name)].extras
    }
    assert not missing
