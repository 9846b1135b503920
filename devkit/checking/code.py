"""Results of static analysis of a script."""

from __future__ import annotations

from dataclasses import dataclass, field

from devkit.manifests.findings import Finding, Level, line_of


@dataclass(frozen=True, slots=True)
class Source:
    """One file of a script, by the name its author knows it by."""

    file: str
    text: str

    def at(self, line: int, column: int) -> Spot:
        """Name a place in the file; both count from 1."""
        return Spot(self, line, column)

    def at_offset(self, offset: int) -> Spot:
        """Name the place of a character."""
        before = self.text[:offset]
        return Spot(self, before.count("\n") + 1, offset - before.rfind("\n"))


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in a script."""

    source: Source
    line: int
    column: int

    def finding(self, message: str, rule: str, level: Level = "error") -> Finding:
        """Say that something is wrong here."""
        source_line = line_of(self.source.text, self.line)
        return Finding(self.source.file, self.line, self.column, message, source_line, rule, level)


@dataclass(frozen=True, slots=True)
class Use:
    """A name that the script uses, and where; one that is not `needed` may be missing."""

    name: str
    spot: Spot
    needed: bool = True


@dataclass(frozen=True, slots=True)
class ApiCall:
    """A call of the platform's API; in `path` a `*` stands for what is known at run time only."""

    method: str
    path: str
    spot: Spot


@dataclass(frozen=True, slots=True)
class Text:
    """Text in the script that may reach a browser, with the place where it begins."""

    value: str
    spot: Spot


@dataclass(slots=True)
class Code:
    """All that was seen; flags say where something is decided at run time, `partial` that files were not seen."""

    calls: list[ApiCall] = field(default_factory=list)
    secrets: list[Use] = field(default_factory=list)
    events: list[Use] = field(default_factory=list)
    components: list[Use] = field(default_factory=list)
    routes: list[tuple[str, str]] = field(default_factory=list)
    texts: list[Text] = field(default_factory=list)
    other_calls: bool = False
    other_secrets: bool = False
    other_routes: bool = False
    other_components: bool = False
    partial: bool = False

    def component(self, name: str) -> Spot | None:
        """Find where a component is registered."""
        return next((component.spot for component in self.components if component.name == name), None)
