"""Notes which links and pictures of imported files lead to no file, for the problems of an import."""

from __future__ import annotations

import posixpath

MAX_NAMED, MAX_LENGTH = 5, 60
"""Targets that are named for each file, and their characters."""
MAX_FILES = 50
"""Files that are named."""


class Dangling:
    """The targets in files that look like paths of a file, and are none."""

    def __init__(self) -> None:
        """Begin without any."""
        self._of: dict[str, dict[str, None]] = {}

    def note(self, file: str, target: str) -> None:
        """Note a target that was not found: an address of a website, such as `/pricing`, is left to its readers."""
        path = target.partition("#")[0].partition("?")[0]
        if path.startswith(("./", "../")) or posixpath.splitext(path)[1]:
            self._of.setdefault(file, {})[target] = None

    def sentences(self) -> list[str]:
        """Tell of each file which of its targets were not found."""
        said = [_sentence(file, [*targets]) for file, targets in [*self._of.items()][:MAX_FILES]]
        more = len(self._of) - MAX_FILES
        return [*said, f"{more} more files have links that lead to no file."] if more > 0 else said


def _sentence(file: str, targets: list[str]) -> str:
    named = ", ".join(f"`{one[:MAX_LENGTH]}`" for one in targets[:MAX_NAMED])
    more = f" and {len(targets) - MAX_NAMED} more" if len(targets) > MAX_NAMED else ""
    kept = "the address was kept as it is" if len(targets) == 1 else "the addresses were kept as they are"
    return f"{file[:150]}: no file was found for {named}{more}; {kept}."
