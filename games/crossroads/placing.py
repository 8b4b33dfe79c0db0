"""How a robot that drives on a crossing knows where it is: from where people put it on."""

from __future__ import annotations

import math

from arena_trees.games.crossroads.layout.section import crossing_of
from arena_trees.games.crossroads.localisation.localiser import CrossingLocaliser
from arena_trees.games.crossroads.parameters import CrossroadsRules
from arena_trees.games.game import RobotContext
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D

__all__ = ["initial_pose", "make_localiser"]

_POSITION_SIGMA = 0.05
_HEADING_SIGMA = math.radians(3.0)
"""Standard deviations, in each direction, of a placement by hand: m, rad."""


def initial_pose(context: RobotContext) -> Pose2D:
    """Return the start pose given to a robot, map frame; simulated robots get the error of a placement by hand.

    Raises:
        ConfigError: nobody knows where it starts
    """
    if context.start is None:
        raise ConfigError("is required: a robot is told where it starts", key=f"starts.{context.name}")
    if context.streams is None:
        return context.start
    along, across, turned = context.streams.generator("error").standard_normal(3).tolist()
    return context.start.compose(Pose2D(_POSITION_SIGMA * along, _POSITION_SIGMA * across, _HEADING_SIGMA * turned))


def make_localiser(context: RobotContext) -> CrossingLocaliser:
    """Return the localiser of a robot, which begins at the start pose given.

    Raises:
        ConfigError: the arena has no crossing, or nobody knows where the robot starts
    """
    road = None if context.arena is None else crossing_of(context.arena)
    if road is None:
        raise ConfigError("the arena has no crossing", key="crossing")
    assert isinstance(context.rules, CrossroadsRules)
    return CrossingLocaliser(road.geometry(), initial_pose(context), context.rules.localiser)
