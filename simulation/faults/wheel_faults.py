"""Faults between a simulated base and the floor: weak and slipping wheels, and a robot that is carried away."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from arena_trees.robot.geometry import Pose2D, Twist2D, wrap
from arena_trees.simulation.faults.fault import Fault
from arena_trees.simulation.physics.create3 import Create3

__all__ = ["WheelFaults", "Wheels"]


class Wheels(NamedTuple):
    """What a tick brings: how fast the robot moves, and how fast its wheels turn on the floor without moving it."""

    speed: float
    rate: float
    slipping: Twist2D


class WheelFaults:
    """What faults make of a base's motion.

    Args:
        faults: of this robot; those of other parts are left alone
        base: of the robot
    """

    def __init__(self, faults: Sequence[Fault], base: Create3) -> None:
        self._faults = [one for one in faults if one.part == "base" and one.kind in ("weak", "slip", "sag")]
        self._carries = [one for one in faults if one.part == "base" and one.kind == "carried"]
        self._carried: list[int | None] = [None] * len(self._carries)
        self._half = base.wheel_separation / 2.0
        self._fastest = base.max_linear

    def turn(self, now: int, speed: float, rate: float) -> Wheels:
        """Return what becomes of the motion that the base gives its wheels in the tick that begins.

        Args:
            now: instant of the tick's beginning, ns
            speed: of the base, m/s
            rate: of the base, rad/s
        """
        left, right = speed - rate * self._half, speed + rate * self._half
        moved = 1.0
        for fault in self._faults:
            if not fault.acts(now):
                continue
            if fault.kind == "weak":
                left *= 1.0 - fault.share
            elif fault.kind == "sag":
                most = (1.0 - fault.share) * self._fastest
                left, right = max(-most, min(most, left)), max(-most, min(most, right))
            else:
                moved *= 1.0 - fault.share
        speed, rate = (left + right) / 2.0, (right - left) / (2.0 * self._half)
        return Wheels(speed * moved, rate * moved, Twist2D(speed * (1.0 - moved), rate * (1.0 - moved)))

    def place(self, now: int, pose: Pose2D) -> Pose2D | None:
        """Return where somebody puts the robot now (ns), map frame; None where nobody does."""
        carried = None
        for index, fault in enumerate(self._carries):
            elapsed = fault.elapsed(now)
            begun = None if elapsed is None else now - elapsed
            if begun is not None and begun != self._carried[index]:
                before = carried or pose
                yaw = wrap(before.yaw + math.radians(fault.yaw_deg))
                carried = Pose2D(before.x + fault.x_m, before.y + fault.y_m, yaw)
            self._carried[index] = begun
        return carried
