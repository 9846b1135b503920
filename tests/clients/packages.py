"""The programs from npm that tests run, as `package-lock.json` beside this file pins them."""

from __future__ import annotations

from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
MODULES = FOLDER / "node_modules"
MISSING = "the programs from npm are not installed: `make test` installs them where there is an npm"

needs_packages = pytest.mark.skipif(not (MODULES / ".installed").exists(), reason=MISSING)
