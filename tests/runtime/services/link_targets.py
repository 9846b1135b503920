"""What references in documents lead to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runtime.services.html.coloring import Coloring
from runtime.services.html.formulas import Formulas
from runtime.services.html.targets import Ref


class Targets:
    """Leads everywhere it is asked to."""

    def href(self, ref: Ref) -> str | None:
        url = ref.get("url")
        return url if isinstance(url, str) else f"#{ref.get('page') or ref.get('anchor') or ''}"

    image = href

    def title(self, ref: Ref) -> str | None:
        return str(ref.get("page") or ref.get("file") or ref.get("url") or "")

    def icon(self, name: str) -> str:
        return ""

    def leaves(self, href: str) -> bool:
        return "elsewhere" in href

    def anchor(self, name: str) -> str:
        return f"of-{name}"

    def formula(self, tex: str, *, display: bool) -> str | None:
        return Formulas().mathml(tex, display=display)

    def colored(self, code: str, syntax: str) -> str:
        return Coloring().html(code, syntax)

    def block(self, node: Mapping[str, Any]) -> str | None:
        return None
