"""Colors of sites: read strictly, mixed, and moved until text in them can be read."""

from __future__ import annotations

import re
from dataclasses import dataclass

READABLE = 4.5
"""How far text stands out at least: contrast as WCAG 2.2 computes it, success criterion 1.4.3."""
_HEX = re.compile(r"#(?:[0-9a-fA-F]{3}){1,2}")
_STEPS = 20


@dataclass(frozen=True, slots=True)
class Color:
    """An opaque color; each part is 0 to 255. As text it is `#rrggbb`, and nothing else."""

    red: int
    green: int
    blue: int

    @classmethod
    def read(cls, text: str) -> Color:
        """Read `#rgb` or `#rrggbb`; raises ValueError for anything else."""
        if not _HEX.fullmatch(text):
            raise ValueError("is not a color")
        digits = text[1:] if len(text) == 7 else "".join(digit * 2 for digit in text[1:])
        return cls(*(int(digits[at : at + 2], 16) for at in (0, 2, 4)))

    def __str__(self) -> str:
        """Write the color for a stylesheet."""
        return f"#{self.red:02x}{self.green:02x}{self.blue:02x}"

    @property
    def luminance(self) -> float:
        """Give the relative luminance: 0 is black, 1 is white."""
        shares = (part / 255 for part in (self.red, self.green, self.blue))
        red, green, blue = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in shares)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    def contrast(self, other: Color) -> float:
        """Give the contrast with another color: 1 is none, 21 is black on white."""
        dark, light = sorted((self.luminance, other.luminance))
        return (light + 0.05) / (dark + 0.05)

    def mixed(self, other: Color, share: float) -> Color:
        """Mix in a share of another color."""
        return Color(
            round(self.red + (other.red - self.red) * share),
            round(self.green + (other.green - self.green) * share),
            round(self.blue + (other.blue - self.blue) * share),
        )

    def readable_on(self, *grounds: Color) -> Color:
        """Give this color, or the nearest one toward black or white that text can have on all of these grounds.

        On one ground there always is one. On several that differ much it is black or white, whichever is better.
        """
        for step in range(_STEPS + 1):
            for end in (BLACK, WHITE):
                color = self.mixed(end, step / _STEPS)
                if _least(color, grounds) >= READABLE:
                    return color
        return max(BLACK, WHITE, key=lambda color: _least(color, grounds))


def _least(color: Color, grounds: tuple[Color, ...]) -> float:
    return min(color.contrast(ground) for ground in grounds)


BLACK, WHITE = Color(0, 0, 0), Color(255, 255, 255)
