"""The templates of all pages; what is filled in is escaped."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader

from runtime.contract.event_descriptions import word
from runtime.contract.organizations import ROLES
from runtime.contract.units import bytes_text, duration_text

TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "pages"), autoescape=True, trim_blocks=True, lstrip_blocks=True
)
TEMPLATES.globals["ROLES"] = ROLES
TEMPLATES.filters |= {"duration": duration_text, "size": bytes_text, "ending": word}
TEMPLATES.filters["srcset"] = lambda url: url.replace(",", "%2C")  # which separates several
