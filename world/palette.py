"""The colours that every drawer shares, and by what else than colour robots are told apart."""

from __future__ import annotations

import colorsys
import re

__all__ = [
    "GLASS",
    "INK",
    "MUTED",
    "PAPER",
    "WALL",
    "alike",
    "leaf_colour",
    "pale",
    "robot_colour",
    "robot_dash",
    "robot_letter",
    "shares",
]

INK = "#22303c"
MUTED = "#566470"
PAPER = "#fbfaf7"
WALL = "#b9b3a6"
GLASS = "#dcecf2"
_ROBOTS = ("#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8a8a8a")
"""M. Okabe and K. Ito, "Color Universal Design" (2008), with grey for their bright yellow, which paper drowns."""
_DASHES = (0.0, 0.08, 0.035, 0.16)
_LEAVES = (
    "#66c2a5", "#fc8d62", "#8da0cb", "#e78ac3", "#a6d854", "#ffd92f",
    "#e5c494", "#b3b3b3", "#80b1d3", "#bebada", "#fdb462", "#ccebc5",
)  # fmt: skip
"""Of Cynthia Brewer's pastel sets. Who cannot tell them apart reads the names in the bars."""
_NUMBERED = re.compile(r"(\d{1,2})\Z")


def robot_colour(number: int) -> str:
    """Return the colour of a robot, ``#rrggbb``: of the first one where the number is 0."""
    return _ROBOTS[number % len(_ROBOTS)]


def robot_dash(number: int) -> float:
    """Return how long the dashes of a robot's trail are, m, 0 for a whole line; robots of like colours differ in it."""
    return _DASHES[number % len(_DASHES)]


def robot_letter(name: str) -> str:
    """Return what stands in a robot's disc: the number at its name's end, or the name's first letter."""
    numbered = _NUMBERED.search(name)
    return numbered[1] if numbered else name[:1].upper()


def leaf_colour(number: int) -> str:
    """Return the colour in which bars show a leaf, ``#rrggbb``: the first leaf that was active where it is 0."""
    return _LEAVES[number % len(_LEAVES)]


def pale(colour: str, share: float) -> str:
    """Return a colour ``#rrggbb`` mixed with white; a share of 0 is the colour itself."""
    parts = (int(colour[begin : begin + 2], 16) for begin in (1, 3, 5))
    return "#" + "".join(f"{round(part + (255 - part) * share):02x}" for part in parts)


def shares(colour: str) -> tuple[float, float, float]:
    """Return the red, green and blue of a colour ``#rrggbb``, each 0 to 1."""
    red, green, blue = (int(colour[begin : begin + 2], 16) / 255.0 for begin in (1, 3, 5))
    return red, green, blue


def alike(one: str, other: str) -> bool:
    """Return whether two colours ``#rrggbb`` are of about one hue, and neither is nearly grey or nearly black."""
    (hue, pure, bright), (other_hue, other_pure, other_bright) = (
        colorsys.rgb_to_hsv(*shares(colour)) for colour in (one, other)
    )
    apart = abs(hue - other_hue)
    return min(pure, other_pure, bright, other_bright) > 0.25 and min(apart, 1.0 - apart) < 1.0 / 15.0
