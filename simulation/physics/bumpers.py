"""The bumper: five zones around the front half of the hull."""

from __future__ import annotations

import math
from collections.abc import Iterable

from arena_trees.robot.configuration.parameters import parameter
from arena_trees.robot.percepts import BUMPER_ZONES, Bumpers
from arena_trees.robot.sensor import Times
from arena_trees.robot.timing import MAXIMUM_RATE_HZ
from arena_trees.simulation.physics.truth import RobotTruth
from arena_trees.simulation.sensors.simulated_sensor import PeriodicSensor, SensorTiming

__all__ = ["BumperParameters", "BumperSensor", "pressed_zones"]

_NONE: frozenset[str] = frozenset()


class BumperParameters(SensorTiming):
    """Rate of the bumper's messages."""

    rate_hz: float = parameter(10.0, "messages a second; a change is sent at once", "Hz", gt=0, le=MAXIMUM_RATE_HZ)


def pressed_zones(bearings: Iterable[float]) -> frozenset[str]:
    """Return the zones that contacts press.

    Args:
        bearings: of the contacts from the robot's centre, rad in [-pi, pi]; those behind press nothing
    """
    quarter = math.pi / 2.0
    last = len(BUMPER_ZONES) - 1
    zones = [
        BUMPER_ZONES[min(last, int((bearing + quarter) / math.pi * len(BUMPER_ZONES)))]
        for bearing in bearings
        if abs(bearing) <= quarter
    ]
    return frozenset(zones) if zones else _NONE


class BumperSensor(PeriodicSensor[Bumpers]):
    """Sends the pressed zones when they change, and now and then."""

    def __init__(self, parameters: BumperParameters) -> None:
        super().__init__(parameters.rate_hz, parameters.latency_s)
        self._pressed = _NONE

    def due(self, now: int, truth: RobotTruth) -> bool:
        """Return whether it is time, or other zones are pressed than before."""
        return super().due(now, truth) or truth.pressed != self._pressed

    def measure(self, truth: RobotTruth, times: Times) -> Bumpers:
        """Return the zones that are pressed."""
        self._pressed = truth.pressed
        return Bumpers(*times, truth.pressed)
