"""What a rule is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from devkit.checking.subject import Subject
from devkit.manifests.findings import Finding, Level

Look = Callable[[Subject], Iterator[Finding]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule over a project: `about` says what is wrong where it is broken, `cure` what to do.

    `look` finds where it is broken; None where the reading, the build or the engine finds it by itself.
    """

    id: str
    level: Level
    about: str
    cure: str
    look: Look | None = None
