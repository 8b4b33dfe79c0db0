"""When a camera exposes its frames, which of them are lost, and when the others arrive."""

from __future__ import annotations

import numpy as np

from arena_trees.robot.clock import from_seconds
from arena_trees.robot.stamped import Stamped
from arena_trees.robot.timing import Schedule
from arena_trees.simulation.sensors.optics import Optics

__all__ = ["FrameClock"]


class FrameClock:
    """Numbers the frames of one camera.

    Args:
        optics: rate, latency and share of lost frames
        rng: a random stream that nobody else uses
    """

    def __init__(self, optics: Optics, rng: np.random.Generator) -> None:
        self._rng = rng
        self._dropout = optics.frame_dropout
        self._schedule = Schedule(optics.rate_hz, 1.0 - float(rng.random()))
        self._latency = from_seconds(optics.latency_s)
        self._jitter_s = optics.jitter_s
        self._arrival = 0
        self._sequence = 0

    def due(self, now: int) -> bool:
        """Return whether a frame is exposed now (ns), and move on to the next if so."""
        return self._schedule.due(now)

    def expose(self, now: int) -> Stamped | None:
        """Return stamp, arrival and sequence number of a frame that is exposed now (ns), None where it is lost."""
        if self._rng.random() < self._dropout:
            return None
        self._sequence += 1
        late = from_seconds(self._jitter_s * float(self._rng.random())) if self._jitter_s else 0
        # No frame overtakes another.
        self._arrival = max(self._arrival, now + self._latency + late)
        return Stamped(now, self._arrival, self._sequence)
