"""A robot's round: along a lane, through the crossing, and out on another arm to its end: it turns round there.

On a link it does not: its round ends half way, where that to the next crossing begins.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache

from arena_trees.games.crossroads.layout.path import LanePath, Piece
from arena_trees.games.crossroads.layout.plan import CrossingParameters, Movement, plan_of
from arena_trees.games.crossroads.layout.words import Key, LaneKey
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D

__all__ = ["Round", "check_links", "check_round_trips", "rounds_of", "turning_distance"]

_END = 0.05
"""Left between a robot that turns round and the end of the arm, m."""


def turning_distance(parameters: CrossingParameters) -> float:
    """Return how far from the centre (m) robots begin to turn round: half a circle from the one lane to the other."""
    return parameters.size - parameters.lane_width / 2 - parameters.robot_radius - _END


def check_round_trips(parameters: CrossingParameters, robots: int) -> None:
    """Refuse a crossing on which robots that turn round at the end of each arm could lock each other.

    An arm has room for all robots but one, so that whoever is inside can always leave.

    Args:
        parameters: of the crossing
        robots: how many there are

    Raises:
        ConfigError: the arms are too short
    """
    step = parameters.follow_gap
    far = turning_distance(parameters)
    near, left = parameters.hold_distance, parameters.left_distance
    if far < max(near, left):
        least = parameters.size + max(near, left) - far
        raise ConfigError(f"must be at least {least:.2f} m to turn round", key="size", value=parameters.size)
    places = math.floor((far - near) / step) + math.floor((far - left) / step) + 2
    if places < robots - 1:
        least = parameters.size + (robots - 1 - places) * step / 2.0 + step / 2.0
        raise ConfigError(
            f"must be about {least:.1f} m, so that an arm has room for all but one of {robots} robots",
            key="size",
            value=parameters.size,
        )


def check_links(parameters: CrossingParameters, robots: int) -> None:
    """Refuse crossings in a row between which robots could lock each other.

    Each lane of a link has room for all robots but one, so that whoever is inside can always leave.

    Args:
        parameters: of the crossings
        robots: how many there are

    Raises:
        ConfigError: they are too near to each other
    """
    if parameters.crossings == 1:
        return
    step = parameters.follow_gap
    room = 2.0 * parameters.size - parameters.hold_distance - parameters.left_distance
    missing = robots - 2 - math.floor(room / step)
    if missing > 0:
        raise ConfigError(
            f"must be about {parameters.size + missing * step / 2.0:.1f} m, so that each lane between two crossings "
            f"has room for all but one of {robots} robots",
            key="size",
            value=parameters.size,
        )


class Round:
    """One round. Progress is that of its movement: 0 where robots wait before the line.

    Args:
        movement: through the crossing
        parameters: of the crossing

    Attributes:
        movement: through the crossing
        begin: progress where the round begins: where the one before it ended, m
        turning: progress from which on it turns round, m; where that is the end, it does not
        end: progress where it has turned round and the next round begins, m
        next_lane: in which the next round begins
    """

    def __init__(self, movement: Movement, parameters: CrossingParameters) -> None:
        far, radius = turning_distance(parameters), parameters.lane_width / 2
        beyond = parameters.beyond(movement.exit_lane)
        lead = (parameters.size if parameters.is_link(movement.lane) else far) - parameters.hold_distance
        rest = (far if beyond is None else parameters.size) - parameters.left_distance
        turn = Piece(math.pi * radius if beyond is None else 0.0, 1.0 / radius)
        self.movement = movement
        self.next_lane: LaneKey = movement.exit_lane if beyond is None else beyond
        self.begin = -lead
        self.turning = movement.length + rest
        self.end = self.turning + turn.length
        self._path = LanePath(movement.path.pose(-lead), (Piece(lead), *movement.path.pieces, Piece(rest), turn))

    def __str__(self) -> str:
        return str(self.movement)

    @property
    def turns_round(self) -> bool:
        """Whether it ends in turning round, and not at another crossing."""
        return self.end > self.turning

    def pose(self, progress: float) -> Pose2D:
        """Return the pose at a progress (m), map frame; outside the round the way goes on straight."""
        return self._path.pose(progress - self.begin)

    def curvature(self, progress: float) -> float:
        """Return the curvature (1/m, positive to the left) at a progress (m)."""
        return self._path.curvature(progress - self.begin)

    def project(self, near: float, x: float, y: float) -> float:
        """Return the progress (m) at which the way comes nearest to a point (map frame), looked for near another."""
        return self._path.project(near - self.begin, x, y) + self.begin


@lru_cache(maxsize=16)
def rounds_of(parameters: CrossingParameters) -> Mapping[Key, Round]:
    """Return the rounds of a crossing by side and turn; they never change.

    Raises:
        ConfigError: there is no such crossing
    """
    return {key: Round(movement, parameters) for key, movement in plan_of(parameters).movements.items()}
