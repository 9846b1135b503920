"""The templates of all pages; what is filled in is escaped."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader

from runtime.contract.organizations import ROLES

TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "pages"), autoescape=True, trim_blocks=True, lstrip_blocks=True
)
TEMPLATES.globals["ROLES"] = ROLES
