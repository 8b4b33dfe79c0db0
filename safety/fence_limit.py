"""The fence limit: the speed from which a robot still stops inside, and the way back from outside."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.percepts import Percepts
from arena_trees.safety.motion_limit import MotionLimit, Situation
from arena_trees.safety.parameters import GateParameters
from arena_trees.safety.reasons import GateReason
from arena_trees.safety.reckoning import advance
from arena_trees.safety.stopping import allowed_speed, stopping_distance
from arena_trees.world.geofence import Geofence

__all__ = ["FenceLimit", "KnownDistance", "fence_limit"]

_SHARES = (0.25, 0.5, 0.75, 1.0)
"""Where on the stopping path the distance to the fence is looked at."""

_FIRST = 1e-3
"""Metres ahead at which it is judged whether motion leads inwards."""

_INWARDS = 0.05
"""Metres of signed distance that each metre of motion must win outside: headings within 87 degrees."""

_EXACT = 1e-6
"""Metres; what rounding may do to distances."""


@dataclass(frozen=True, slots=True, eq=False)
class KnownDistance:
    """A signed distance once measured. Elsewhere it differs by at most the way between the two places."""

    fence: Geofence
    x: float
    y: float
    distance: float

    def at_least(self, fence: Geofence, x: float, y: float) -> float:
        """Return a lower bound of the signed distance (m) at a place; -inf for another fence."""
        return self.distance - math.hypot(x - self.x, y - self.y) if fence is self.fence else -math.inf


class FenceLimit(MotionLimit[KnownDistance]):
    """Keeps a robot inside its fence, and lets it come back from outside.

    Args:
        fence: the robot's polygon in the map frame
    """

    reason = GateReason.FENCE
    needs_place = True

    def __init__(self, fence: Geofence) -> None:
        self.fence = fence

    def limit(
        self, memory: KnownDistance | None, situation: Situation, wanted: Twist2D
    ) -> tuple[float, KnownDistance | None]:
        """Return the speed from which the robot stops inside; none where it does not know its place."""
        here = situation.here
        return (0.0, memory) if here is None else fence_limit(situation.parameters, self.fence, here, wanted, memory)

    def report(self, memory: KnownDistance | None, percepts: Percepts) -> Mapping[str, str]:
        """Return the name of the fence."""
        return {"zone": self.fence.name}


def fence_limit(
    parameters: GateParameters,
    fence: Geofence,
    here: Pose2D,
    command: Twist2D,
    known: KnownDistance | None,
) -> tuple[float, KnownDistance | None]:
    """Return the greatest speed (m/s, not negative) in the direction of the commanded motion.

    Inside, the path until the robot stands must keep ``fence_margin``. Within the margin, motion
    must not bring the fence nearer. Outside, it must lead inwards, at ``breach_speed`` at most.

    Args:
        parameters: of the gate
        fence: of the robot
        here: the robot's pose in the map frame
        command: wanted twist, with a linear speed that is not zero
        known: a distance measured before, which spares measuring where the fence is far

    Returns:
        the speed, and what is known of the fence now
    """
    speed = abs(command.linear)
    stop = stopping_distance(speed, parameters.reaction_time, parameters.deceleration)
    far = parameters.fence_margin + stop
    if known is not None and known.at_least(fence, here.x, here.y) >= far:
        return speed, known
    distance = fence.signed_distance(here.x, here.y)
    known = KnownDistance(fence, here.x, here.y, distance)
    if distance >= far:
        return speed, known
    if not math.isfinite(distance):
        return 0.0, known
    if distance <= 0.0:
        speed = min(speed, parameters.breach_speed)
        stop = stopping_distance(speed, parameters.reaction_time, parameters.deceleration)
    free = _free_path(parameters, fence, here, command, distance, stop)
    return min(speed, allowed_speed(free, parameters.reaction_time, parameters.deceleration)), known


def _free_path(
    parameters: GateParameters, fence: Geofence, here: Pose2D, command: Twist2D, distance: float, stop: float
) -> float:
    """Return how far (m) the commanded arc may be followed; inf if all of the stopping path is good."""
    travels = (_FIRST, *(max(_FIRST, share * stop) for share in _SHARES))
    speed = abs(command.linear)
    places = [advance(here, command, travel / speed) for travel in travels]
    distances: list[float] = fence.signed_distances([p.x for p in places], [p.y for p in places]).tolist()
    if distance <= 0.0 and distances[0] < distance + _INWARDS * _FIRST:
        return 0.0
    required = min(distance, parameters.fence_margin) - _EXACT
    travelled, before = 0.0, distance
    for travel, after in zip(travels, distances, strict=True):
        if after < required:
            return travelled + (travel - travelled) * (before - required) / (before - after)
        travelled, before = travel, after
    return math.inf
