"""The preview's pages: templates that are filled once, and name all modules they need in advance, to load at once."""

from __future__ import annotations

import posixpath
import re
from functools import cache
from pathlib import Path, PurePosixPath

from runtime.web.assets import STATIC, Asset
from runtime.web.templates import TEMPLATES

PAGES = {
    "/preview/<name>": "component.html",
    "/preview/<name>/events": "events.html",
    "/preview/<name>/site": "site.html",
    "/preview/<name>/installation": "installation.html",
}
"""Address -> page; what a page shows it asks for itself, with the key that the address of the first one brought."""
OWN = PurePosixPath("/preview/static")
IMPORT = re.compile(r'(?:from|^import) "([^"]+)"', re.MULTILINE)


@cache
def page(template: str) -> Asset:
    """Fill the template of a page, for as long as the process lives."""
    return Asset.of(TEMPLATES.get_template(f"preview/{template}").render(imports=imports).encode(), "text/html")


def imports(entry: str) -> list[str]:
    """Return the addresses of all modules that an entry module of the preview imports, in import order."""
    first = OWN / entry
    modules = [first]
    for module in modules:  # grows while it is walked
        for place in IMPORT.findall(_file(module).read_text(encoding="utf-8")):
            # As browsers resolve it: an address that is written differently would be loaded twice.
            imported = PurePosixPath(posixpath.normpath(module.parent / place))
            if imported not in modules:
                modules.append(imported)
    return [str(module) for module in modules if module != first]


def _file(address: PurePosixPath) -> Path:
    if address.is_relative_to(OWN):
        return STATIC / "preview" / address.relative_to(OWN)
    return STATIC / address.relative_to("/")
