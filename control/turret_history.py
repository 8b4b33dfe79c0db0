"""Short memory of where a turret pointed, so that an old image can be compared with where the camera looked then."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque

from arena_trees.control.odometry_buffer import CARRIED_S
from arena_trees.robot.clock import to_seconds
from arena_trees.robot.geometry import wrap
from arena_trees.sensors.turret.sensor import TurretState

__all__ = ["TurretHistory"]


class TurretHistory:
    """Yaw and pitch of a turret relative to its base over the last few seconds.

    Args:
        length: samples kept; 128 are 2.5 s at 50 Hz
    """

    def __init__(self, length: int = 128) -> None:
        self._stamps: deque[int] = deque(maxlen=length)
        self._angles: deque[tuple[float, float]] = deque(maxlen=length)
        self._newest: TurretState | None = None

    def add(self, state: TurretState | None) -> None:
        """Remember a sample; one that is not newer than the newest is ignored."""
        if state is None or (self._newest is not None and state.stamp <= self._newest.stamp):
            return
        yaw = state.yaw
        if self._angles:
            last = self._angles[-1][0]
            yaw = last + wrap(yaw - last)
        self._stamps.append(state.stamp)
        self._angles.append((yaw, state.pitch))
        self._newest = state

    def at(self, stamp: int) -> tuple[float, float] | None:
        """Return yaw and pitch (rad) at an instant (ns), the yaw in [-pi, pi]; None before the first sample.

        Between samples they are interpolated; after the newest they are carried on by its rates.
        """
        newest = self._newest
        if newest is None:
            return None
        if stamp >= newest.stamp:
            dt = min(to_seconds(stamp - newest.stamp), CARRIED_S)
            return wrap(newest.yaw + newest.rates.yaw * dt), newest.pitch + newest.rates.pitch * dt
        index = bisect_right(self._stamps, stamp)
        if index == 0:
            yaw, pitch = self._angles[0]
            return wrap(yaw), pitch
        (yaw, pitch), (next_yaw, next_pitch) = self._angles[index - 1], self._angles[index]
        share = (stamp - self._stamps[index - 1]) / (self._stamps[index] - self._stamps[index - 1])
        return wrap(yaw + share * (next_yaw - yaw)), pitch + share * (next_pitch - pitch)
