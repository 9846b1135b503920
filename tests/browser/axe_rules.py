"""axe-core, as `make npm` installs it, and the question the tests ask it."""

from __future__ import annotations

from pathlib import Path

AXE = Path(__file__).parent / "axe" / "node_modules" / "axe-core" / "axe.min.js"
VIOLATIONS = """async (part) => {
  // Frames hold pages of integrations, which are their authors' own.
  const { violations } = await axe.run({ include: [[part]], exclude: [["iframe"]] }, { iframes: false });
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target} ${node.failureSummary}`));
}"""
"""Gives one line for each violation in the part of the page that a selector names."""
