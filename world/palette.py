"""The colours that every drawer shares, and by what else than colour robots are distinguished."""

from __future__ import annotations

import colorsys
import re
import zlib

__all__ = [
    "GLASS",
    "INK",
    "MUTED",
    "PAPER",
    "WALL",
    "alike",
    "contrast",
    "ink_on",
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
_HUES = 20
_TONES = ((0.62, 0.66), (0.76, 0.80), (0.86, 0.55))
"""Lightness and saturation of leaves' colours, 0 to 1."""
_SALT = 12246
"""With it, at most two leaves of all those of a shipped game share their colours with others."""
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


def leaf_colour(name: str) -> str:
    """Return the colour of a leaf, ``#rrggbb``: by its name alone, so that it is the same in every picture.

    Two names may share a colour; who cannot tell them apart reads the names in the bars.
    """
    number = zlib.crc32(name.encode("utf-8", "surrogatepass"), _SALT)
    lightness, saturation = _TONES[number // _HUES % len(_TONES)]
    parts = colorsys.hls_to_rgb(number % _HUES / _HUES, lightness, saturation)
    return "#" + "".join(f"{round(255 * part):02x}" for part in parts)


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours ``#rrggbb`` as WCAG 2 defines it, 1 to 21."""
    low, high = sorted(_luminance(colour) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def ink_on(ground: str) -> str:
    """Return the colour of letters, ``#rrggbb``, that is read best on a ground: ink, white or black."""
    return INK if contrast(INK, ground) >= 4.5 else max(("#ffffff", "#000000"), key=lambda ink: contrast(ink, ground))


def _luminance(colour: str) -> float:
    linear = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in shares(colour))
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


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
