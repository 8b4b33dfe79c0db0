"""The bumper: five zones around the front half of the hull."""

from __future__ import annotations

import math
from collections.abc import Iterable

from arena_trees.robot.clock import from_seconds
from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.robot.percepts import BUMPER_ZONES, Bumpers
from arena_trees.robot.timing import MAXIMUM_RATE_HZ, Delivery, Schedule

__all__ = ["BumperParameters", "BumperSensor", "pressed_zones"]

_NONE: frozenset[str] = frozenset()


class BumperParameters(Parameters):
    """Rate of the bumper's messages."""

    rate_hz: float = parameter(10.0, "messages a second; a change is sent at once", "Hz", gt=0, le=MAXIMUM_RATE_HZ)
    latency_s: float = parameter(0.0, "from the contact to the message's arrival", "s", ge=0, le=5)


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


class BumperSensor:
    """Sends the pressed zones when they change, and now and then."""

    def __init__(self, parameters: BumperParameters) -> None:
        self.delivery: Delivery[Bumpers] = Delivery()
        self._schedule = Schedule(parameters.rate_hz)
        self._latency = from_seconds(parameters.latency_s)
        self._pressed = _NONE
        self._sequence = 0

    def update(self, now: int, pressed: frozenset[str]) -> None:
        """Send the zones that are pressed now (ns) if they changed or it is time."""
        due = self._schedule.due(now)
        if not due and pressed == self._pressed:
            return
        self._pressed = pressed
        self._sequence += 1
        self.delivery.send(Bumpers(now, now + self._latency, self._sequence, pressed))
