"""Beams of a LiDAR that do not come back: from grazed, dark or shiny surfaces, and from sectors in the sun."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from arena_trees.robot.clock import SECOND, from_seconds
from arena_trees.robot.configuration.parameters import Parameters, parameter

__all__ = ["BeamLossParameters", "BeamLosses"]


class BeamLossParameters(Parameters):
    """Why beams have no return; none is lost so by default."""

    grazing: float = parameter(
        0.0, "chance of no return where a beam runs along a surface; less the nearer it is to the normal", ge=0, le=1
    )
    dark_share: float = parameter(0.0, "share of surfaces that are dark or shiny", ge=0, le=1)
    dark: float = parameter(0.0, "chance of no return from such a surface", ge=0, le=1)
    sectors_per_minute: float = parameter(0.0, "how often a sector becomes blind, as in low sun", ge=0, le=600)
    sector_deg: float = parameter(30.0, "width of such a sector", "deg", gt=0, le=360)
    sector_s: float = parameter(1.0, "how long it is blind", "s", gt=0, le=600)


class BeamLosses:
    """Draws which beams of a revolution are lost.

    Whether a surface is dark is drawn once, when it is first hit. At most one sector is blind at a time; it keeps its
    place on the robot.

    Args:
        parameters: why beams are lost
        rng: the sensor's random numbers
        beams: of a revolution
    """

    def __init__(self, parameters: BeamLossParameters, rng: np.random.Generator, beams: int) -> None:
        self._parameters = parameters
        self._rng = rng
        self._increment = math.tau / beams
        self._dark: dict[int, bool] = {}
        self._beams = np.arange(beams)
        self._width = min(beams, max(1, round(math.radians(parameters.sector_deg) / self._increment)))
        self._blind_from = 0
        self._blind_until = -1
        self._last: int | None = None

    def lost(self, now: int, distances: NDArray[np.float64], surfaces: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return which beams are lost, shape (beams,).

        Args:
            now: instant of the revolution, ns
            distances: to what each beam hits, m; -1 where it hits nothing
            surfaces: number of what it hits, -1 where there is nothing
        """
        parameters = self._parameters
        chance = parameters.grazing * (1.0 - self._cosines(distances)) ** 2
        dark = np.array([self._is_dark(surface) for surface in surfaces.tolist()])
        chance = 1.0 - (1.0 - chance) * (1.0 - parameters.dark * dark)
        lost: NDArray[np.bool_] = self._rng.random(len(self._beams)) < chance
        return lost | self._blind(now)

    def _cosines(self, distances: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the cosine between each beam and its surface's normal, from the neighbours of what it hits.

        Of a beam at distance r the surface's slope is dr/dangle, and the tangent of the angle from the normal is that
        over r. At an edge, and beside a beam that hits nothing, the nearer neighbour decides.
        """
        before, after = np.roll(distances, 1), np.roll(distances, -1)
        # Half of the far side of an edge would count as a slope.
        slopes = np.minimum(np.abs(distances - before), np.abs(after - distances)) / self._increment
        cosines: NDArray[np.float64] = 1.0 / np.hypot(1.0, slopes / np.maximum(distances, 1e-6))
        return cosines

    def _is_dark(self, surface: int) -> bool:
        if surface < 0:
            return False
        if surface not in self._dark:
            self._dark[surface] = bool(self._rng.random() < self._parameters.dark_share)
        return self._dark[surface]

    def _blind(self, now: int) -> NDArray[np.bool_]:
        """Return the beams of the sector that is blind."""
        if now >= self._blind_until:
            passed_s = 0.0 if self._last is None else (now - self._last) / SECOND
            chance, place = self._rng.random(2).tolist()
            if chance < self._parameters.sectors_per_minute / 60.0 * passed_s:
                self._blind_from = int(place * len(self._beams))
                self._blind_until = now + from_seconds(self._parameters.sector_s)
        self._last = now
        if now >= self._blind_until:
            return np.zeros(len(self._beams), dtype=np.bool_)
        blind: NDArray[np.bool_] = (self._beams - self._blind_from) % len(self._beams) < self._width
        return blind
