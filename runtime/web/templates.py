"""The templates of all pages; what is filled in is escaped."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader

from runtime.contract.event_words import word
from runtime.contract.measures import bytes_text, duration_text
from runtime.contract.organizations import ROLES

TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "pages"), autoescape=True, trim_blocks=True, lstrip_blocks=True
)
TEMPLATES.globals["ROLES"] = ROLES
TEMPLATES.filters |= {"duration": duration_text, "size": bytes_text, "ending": word}
TEMPLATES.filters["srcset"] = lambda url: url.replace(",", "%2C")  # which separates several
