"""What a robot is told of the crossing that it drives on: its floor, its stop lines, about where it stands."""

from __future__ import annotations

import math
from dataclasses import dataclass

from arena_trees.perception.crossing.localiser import CrossingLocaliser, LocaliserParameters
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.safety.motion_limit import Limits
from arena_trees.world.crossing.floor import CrossingFloor

__all__ = ["KnownRoad"]

_ASIDE = 0.05
_TURNED = math.radians(3.0)
"""Standard deviations, in each direction, of where people put a robot."""


@dataclass(frozen=True, slots=True)
class KnownRoad:
    """A crossing, as one robot knows it.

    Attributes:
        floor: lines, walls and markers
        limits: of its gate: the stop lines
        parameters: of its localiser
    """

    floor: CrossingFloor
    limits: Limits
    parameters: LocaliserParameters

    def told(self, start: Pose2D, streams: RandomStreams) -> Pose2D:
        """Return where the robot is told that it starts, map frame; it is off by what people are off.

        Args:
            start: true pose, map frame
            streams: of how this robot was placed
        """
        along, aside, turned = streams.generator("error").standard_normal(3).tolist()
        return start.compose(Pose2D(_ASIDE * along, _ASIDE * aside, _TURNED * turned))

    def localiser(self, start: Pose2D, streams: RandomStreams) -> CrossingLocaliser:
        """Return what tells the robot where it is; it begins where the robot is told that it starts.

        Args:
            start: true pose, map frame
            streams: of how this robot was placed
        """
        return CrossingLocaliser(self.floor, self.told(start, streams), self.parameters)
