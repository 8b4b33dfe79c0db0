"""The stop lines of a crossing, as a robot's velocity gate holds them, and the lease that lifts them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from arena_trees.games.crossroads.layout.plan import CrossingParameters, plan_of
from arena_trees.games.crossroads.layout.section import crossing_of
from arena_trees.games.crossroads.messages import Crossing
from arena_trees.games.crossroads.scheduling.states import obeyed_state, state_texts
from arena_trees.games.game import RobotContext
from arena_trees.robot.percepts import Percepts
from arena_trees.safety.motion_limit import Limits
from arena_trees.safety.stop_line import Lease, StopLine, StopLineLimit

__all__ = ["make_limits", "received_lease", "stop_line_limit"]


def make_limits(context: RobotContext) -> Limits:
    """Return the motion limits of a robot that crosses, by its arena's crossing, or else the one that it knows itself.

    Raises:
        ConfigError: there is no such crossing
    """
    road = None if context.arena is None else crossing_of(context.arena)
    known: Any = context.parameters
    return (stop_line_limit(context.name, known.plan if road is None else road.plan),)


def stop_line_limit(robot: str, plan: CrossingParameters) -> StopLineLimit:
    """Return the limit that holds a robot at the stop lines of a crossing.

    There is a line at each side from which robots come, as wide as its lane, named as the side is. A lease for one of
    several crossings lifts the lines of that one.

    Args:
        robot: whom it holds, as the scheduler names it
        plan: parameters of the crossing

    Raises:
        ConfigError: there is no such crossing
    """
    crossing = plan_of(plan)
    before = plan.hold_distance - plan.line_distance
    lines = []
    for lane in crossing.lanes:
        at = crossing.from_lane(lane).path.pose(before)
        lines.append(StopLine(str(lane), at.x, at.y, at.yaw, plan.lane_width / 2, lane.crossing))
    return StopLineLimit(tuple(lines), partial(received_lease, robot), (Crossing.topic,), _received)


def received_lease(robot: str, percepts: Percepts) -> Lease | None:
    """Return the lease that the scheduler tells of a robot, or None.

    Without a message there is none. With one, the gate believes whoever may speak on the scheduler's topic. It obeys
    the highest (epoch, name) of those that are not STANDBY, as robots do.

    The gate counts a lease from when a state that answers this message of the robot first arrived. The robot's client
    counts from when it sent what is answered. So the gate is laxer by the way there and back, at most, once it has
    received a state before. It knows neither the number of the request nor what the client needs to leave again.

    Args:
        robot: its name
        percepts: of the robot
    """
    received = obeyed_state(percepts.inbox)
    if received is None:
        return None
    for holder in received.message.holders:
        if holder.robot == robot and holder.lease > 0.0:
            return Lease((holder.epoch, holder.answers), received.arrival, holder.lease, holder.crossing)
    return None


def _received(percepts: Percepts) -> Mapping[str, str]:
    """Return what schedulers say, for diagnostics."""
    return {"crossing": state_texts(percepts.inbox) or "silent"}
