"""Escape: where to run from robots that chase, by trying ways of two straight legs against pursuers that follow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["EscapeSettings", "Pursuer", "escape_heading"]

Points = NDArray[np.float64]

_TURNS = np.radians((0, 5, 10, 20, 30, 45, 60, 80, 100, 120, 140, 160))
_FIRST = np.concatenate((_TURNS, -_TURNS[1:], (math.pi,)))
_SECOND = np.linspace(-math.pi, math.pi, 16, endpoint=False)
"""Headings of the first leg, and turns to the second, that are tried, rad."""
_STEPS = 10
"""Instants at which a leg is looked at."""
_ROOM_M = 1.5
"""More free way beyond the end of a way is worth no more."""
_SIDE_M = 0.15
"""A line of sight is cut off by returns so near to it."""


@dataclass(frozen=True, slots=True)
class Pursuer:
    """A robot that chases.

    Attributes:
        x: of its centre, base_link, m
        y: the same, m
        speed: at which it would follow, m/s
    """

    x: float
    y: float
    speed: float


@dataclass(frozen=True, slots=True)
class EscapeSettings:
    """Numbers of an escape.

    Attributes:
        speed: of the robot, m/s
        turn_rate: of the robot on the spot, rad/s
        half_width: of the way that has to be free, m
        leg_s: time of each of the two legs, with the turn before it
        open: what a metre of free way beyond the end of a way is worth, m of distance
        hide: what a way is worth at the end of which no pursuer sees the robot, m of distance
        keep: what the heading chosen before is worth, m of distance
    """

    speed: float
    turn_rate: float
    half_width: float
    leg_s: float = 2.0
    open: float = 0.2
    hide: float = 0.0
    keep: float = 0.05


def escape_heading(
    points: Points, pursuers: Sequence[Pursuer], settings: EscapeSettings, before: float | None = None
) -> tuple[float, float]:
    """Return the heading (rad, base_link) of the best way out, and what that way is worth (m).

    A way turns on the spot, drives straight, turns again and drives again, each leg as far as it is free. Meanwhile all
    pursuers drive straight at the robot. It is worth the least distance to any of them from the first turn's end on, a
    third of that at its end, and what the settings add.

    Args:
        points: what stands in the way, base_link, m, shape (n, 2); no pursuer's own returns
        pursuers: one at least
        settings: numbers
        before: heading chosen before, rad, as it is in base_link now; None where there was none
    """
    first, turned = (grid.ravel() for grid in np.meshgrid(_FIRST, _SECOND, indexing="ij"))
    # The first leg is the same for all ways that begin by one heading.
    legs = _drive(np.zeros((len(_FIRST), 2)), _FIRST, np.abs(_FIRST), points, settings)
    middle, leg_one = (np.repeat(leg, len(_SECOND), axis=0) for leg in legs)
    end, leg_two = _drive(middle, first + turned, np.abs(turned), points, settings)
    track = np.concatenate((leg_one, leg_two), axis=1)
    step_s = settings.leg_s / _STEPS
    away = np.full(track.shape[:2], math.inf)
    seen = np.zeros(len(end), dtype=np.bool_)
    for pursuer in pursuers:
        place = np.tile((pursuer.x, pursuer.y), (len(end), 1))
        for step in range(track.shape[1]):
            to = track[:, step] - place
            distance = np.hypot(to[:, 0], to[:, 1])
            away[:, step] = np.minimum(away[:, step], distance)
            move = np.minimum(pursuer.speed * step_s, distance)
            place = place + to * (move / np.maximum(distance, 1e-9))[:, None]
        if settings.hide:
            seen |= ~_cut_off(end, place, points)
    worth = away.min(axis=1) + away[:, -1] / 3.0
    heading = first + turned
    way = np.stack((np.cos(heading), np.sin(heading)), axis=1)
    worth += settings.open * np.minimum(_ROOM_M, _free(end, way, points, settings.half_width))
    if settings.hide:
        worth += settings.hide * ~seen
    if before is not None:
        worth += settings.keep * np.cos(first - before)
    best = int(np.argmax(worth))
    return float(first[best]), float(worth[best])


def _drive(
    start: Points, heading: Points, turn: Points, points: Points, settings: EscapeSettings
) -> tuple[Points, Points]:
    """Return the ends of legs, shape (k, 2), and where the robot is at each of its instants, shape (k, steps, 2)."""
    way = np.stack((np.cos(heading), np.sin(heading)), axis=1)
    free = _free(start, way, points, settings.half_width)
    times = settings.leg_s / _STEPS * np.arange(1, _STEPS + 1)
    driven = settings.speed * np.maximum(0.0, times[None, :] - turn[:, None] / settings.turn_rate)
    driven = np.minimum(driven, free[:, None])
    track = start[:, None, :] + driven[:, :, None] * way[:, None, :]
    return track[:, -1], track


def _free(start: Points, way: Points, points: Points, half_width: float) -> Points:
    """Return how far each way is free, m, shape (k,)."""
    if not len(points):
        return np.full(len(start), math.inf)
    along, across = _seen_along(points, start, way)
    # Who stands too near to something already may drive away from it.
    blocked = (along > 0.0) & (across < half_width)
    # Few points block a way.
    point, number = np.nonzero(blocked)
    reach = along[point, number] - np.sqrt(np.maximum(0.0, half_width**2 - across[point, number] ** 2))
    near = np.full(len(start), math.inf)
    np.minimum.at(near, number, np.maximum(0.0, reach))
    return near


def _seen_along(points: Points, start: Points, way: Points) -> tuple[Points, Points]:
    """Return how far points lie along ways, and how far aside of them, m, shape (n, k); ways are unit vectors."""
    along: Points = points @ way.T
    along -= (start * way).sum(axis=1)
    across: Points = points[:, 1, None] * way[:, 0]
    across -= points[:, 0, None] * way[:, 1]
    across -= start[:, 1] * way[:, 0] - start[:, 0] * way[:, 1]
    return along, np.abs(across, out=across)


def _cut_off(end: Points, eye: Points, points: Points) -> NDArray[np.bool_]:
    """Return which ends are hidden from an eye: some point lies next to the line between them, and near neither."""
    if not len(points):
        return np.zeros(len(end), dtype=np.bool_)
    line = end - eye
    length = np.maximum(np.hypot(line[:, 0], line[:, 1]), 1e-9)
    way = line / length[:, None]
    along, across = _seen_along(points, eye, way)
    return np.asarray(((along > 0.2) & (along < length - 0.2) & (across < _SIDE_M)).any(axis=0), dtype=np.bool_)
