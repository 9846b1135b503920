"""The preview's pages: templates that are filled once, and name all modules they need in advance, to load at once."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path, PurePosixPath

from jinja2 import Environment, FileSystemLoader

from runtime.web.assets import STATIC, Asset

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
    folder = FileSystemLoader(Path(__file__).parent / "pages")
    environment = Environment(loader=folder, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.globals["imports"] = imports
    return Asset.of(environment.get_template(f"preview/{template}").render().encode(), "text/html")


def imports(entry: str) -> list[str]:
    """Give the addresses of all modules that an entry module of the preview imports, in the order of their imports."""
    first = OWN / entry
    found: dict[PurePosixPath, None] = {first: None}
    waiting = [first]
    for module in waiting:
        for place in IMPORT.findall(_file(module).read_text(encoding="utf-8")):
            wanted = module.parent / place
            if wanted not in found:
                found[wanted] = None
                waiting.append(wanted)
    return [str(one) for one in found if one != first]


def _file(address: PurePosixPath) -> Path:
    return STATIC / (address.relative_to(OWN) if address.is_relative_to(OWN) else address.relative_to("/"))
