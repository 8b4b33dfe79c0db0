"""Suggests a robot's calibration from its own pictures of a road."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from arena_trees.perception.lanes.birds_eye import BirdsEye
from arena_trees.perception.lanes.calibration import BlackInk, ColouredInk, LaneCalibration

__all__ = ["Suggestion", "suggest"]

_FEWEST = 200
"""Cells of an ink below which nothing is suggested for it."""

_WIDE_DEG = 55.0
_COLOURFUL = 0.2
_DARK = 0.8


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A calibration, and on how many cells of the floor each of its inks rests; none: left as it was."""

    calibration: LaneCalibration
    cells: dict[str, int]


def suggest(views: Sequence[BirdsEye], calibration: LaneCalibration) -> Suggestion:
    """Return a calibration for what the views show.

    A coloured ink's hue becomes the mean over cells whose hue is within 55 degrees of the old one, its tolerance three
    standard deviations (15 to 45 degrees), its saturations a quarter and three quarters of the median. Black counts in
    full up to the darker cells' upper quartile, and no more half-way from there to white.

    Args:
        views: the floor from above, its light evened out
        calibration: to begin with; where the camera is stays as it is
    """
    hsv = np.concatenate([_seen(view) for view in views]) if views else np.empty((0, 3))
    red, reds = _coloured(hsv, calibration.red)
    green, greens = _coloured(hsv, calibration.green)
    black, blacks = _dark(hsv, calibration.black)
    found = calibration.model_copy(update={"red": red, "green": green, "black": black})
    return Suggestion(found, {"red": reds, "green": greens, "black": blacks})


def _seen(view: BirdsEye) -> NDArray[np.float64]:
    """Return hue (deg), saturation and value (0 to 1) of each cell that is seen, shape (n, 3)."""
    hsv = np.asarray(cv2.cvtColor(view.colours, cv2.COLOR_RGB2HSV), np.float64)[view.seen]
    found: NDArray[np.float64] = hsv * np.array([2.0, 1.0 / 255.0, 1.0 / 255.0])
    return found


def _coloured(hsv: NDArray[np.float64], ink: ColouredInk) -> tuple[ColouredInk, int]:
    off = (hsv[:, 0] - ink.hue_deg + 180.0) % 360.0 - 180.0
    chosen = (np.abs(off) <= _WIDE_DEG) & (hsv[:, 1] >= _COLOURFUL) & (hsv[:, 2] > 0.25)
    if chosen.sum() < _FEWEST:
        return ink, 0
    # The strongest half is the line's inside; the rest is its blurred rim.
    middle = float(np.median(hsv[chosen, 1]))
    inside = chosen & (hsv[:, 1] >= middle)
    hue = (ink.hue_deg + float(off[inside].mean())) % 360.0
    tolerance = float(np.clip(3.0 * off[inside].std(), 15.0, 45.0))
    values = {"hue_deg": round(hue, 1) % 360.0, "tolerance_deg": round(tolerance, 1)}
    limits = {"saturation_from": round(0.25 * middle, 2), "saturation_full": round(0.75 * middle, 2)}
    return ColouredInk(**values, **limits), int(chosen.sum())


def _dark(hsv: NDArray[np.float64], ink: BlackInk) -> tuple[BlackInk, int]:
    chosen = (hsv[:, 2] < _DARK) & ((hsv[:, 1] <= ink.saturation_to) | (hsv[:, 2] < 0.3))
    if chosen.sum() < _FEWEST:
        return ink, 0
    inside = chosen & (hsv[:, 2] <= np.median(hsv[chosen, 2]))
    full = float(np.clip(np.percentile(hsv[inside, 2], 75) + 0.1, 0.2, 0.7))
    values = {"value_full": round(full, 2), "value_to": round((full + 1.0) / 2.0, 2)}
    return BlackInk(**values, saturation_to=ink.saturation_to), int(chosen.sum())
