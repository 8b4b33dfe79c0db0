"""The stop lines of a crossing, as a robot's velocity gate holds them."""

from __future__ import annotations

from arena_trees.safety.stop_line import StopLine, StopLines
from arena_trees.world.crossing.plan import CrossingParameters, plan_of

__all__ = ["stop_lines"]


def stop_lines(robot: str, parameters: CrossingParameters) -> StopLines:
    """Return the line of each side from which robots come, as wide as its lane, named as the side is.

    Args:
        robot: whom they hold, as the scheduler names it
        parameters: of the crossing

    Raises:
        ConfigError: there is no such crossing
    """
    plan = plan_of(parameters)
    before = parameters.hold_distance - parameters.line_distance
    lines = []
    for approach in plan.approaches:
        at = plan.from_side(approach).path.pose(before)
        lines.append(StopLine(approach.value, at.x, at.y, at.yaw, parameters.lane_width / 2))
    return StopLines(robot, tuple(lines))
