"""How a robot follows its route: pure functions from what it knows to where it is, how far it may go, and its twist."""

from __future__ import annotations

from arena_trees.behaviours.crossroads.parameters import CrosserParameters
from arena_trees.control.lane_law import PathError, along_path
from arena_trees.games.crossroads.blackboard import CrossingEntry, Route, RouteProgress
from arena_trees.games.crossroads.layout.round import Round
from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D
from arena_trees.safety.stopping import allowed_speed, stopping_distance

__all__ = [
    "braking_distance",
    "follow",
    "free_distance",
    "is_first",
    "is_inside",
    "near_line",
    "progress_at",
    "speed_for",
]

_STEP = 0.05
"""Places that differ by less than this count as one where a robot must stop or is first, m."""


def progress_at(path: Round, near: float, pose: Pose2D | None, speed: float, p: CrosserParameters) -> RouteProgress:
    """Return how far a robot has come on its round.

    Args:
        path: its round
        near: progress near which it is looked for, m
        pose: of the robot, map frame; None where it is not known
        speed: of the robot, m/s
        p: parameters
    """
    if pose is None:
        return RouteProgress(near, speed)
    along = path.project(near, pose.x, pose.y)
    place = path.pose(along).relative(pose)
    return RouteProgress(along, speed, pose, PathError(place.y, place.yaw), abs(place.y) <= p.off_way)


def braking_distance(speed: float, p: CrosserParameters) -> float:
    """Return how far (m) a robot of a speed (m/s) goes until it stands."""
    return stopping_distance(speed, p.reaction, p.braking)


def free_distance(along: float, lead: float | None, p: CrosserParameters) -> float:
    """Return how far (m) a robot may drive until it must stand behind what is ahead of it; infinity without.

    Args:
        along: its progress, m
        lead: progress of the nearest thing on its path, m, or None
        p: parameters
    """
    if lead is None:
        return float("inf")
    return lead + p.plan.robot_radius - p.plan.follow_gap - along


def speed_for(path: Round, progress: RouteProgress, distance: float, p: CrosserParameters) -> float:
    """Return the speed (m/s) from which a robot can stop within a distance (m), and turn as its path does."""
    braking = braking_distance(progress.speed, p)
    bend = max(abs(path.curvature(progress.along + share * braking)) for share in (0.0, 0.5, 1.0))
    return min(p.speed_at(bend), allowed_speed(distance, p.reaction, p.braking))


def follow(
    path: Round, progress: RouteProgress, lead: float | None, p: CrosserParameters, distance: float = float("inf")
) -> Twist2D:
    """Return the twist along a path, behind what is on it and no farther than a distance (m); zero without a pose.

    Args:
        path: the robot's round
        progress: on it
        lead: progress of the nearest thing on it, m, or None
        p: parameters
        distance: that the robot may drive at most, m
    """
    speed = speed_for(path, progress, min(distance, free_distance(progress.along, lead, p)), p)
    if progress.error is None or speed <= 0.0:
        return ZERO
    curvature = path.curvature(progress.along + p.look_ahead_s * speed)
    return along_path(progress.error, curvature, speed, p.aside_gain, p.turned_gain)


def is_first(along: float, lead: float | None, p: CrosserParameters) -> bool:
    """Return whether nobody is between a robot that has not left and its line, and it is near."""
    return -p.request_distance <= along and (lead is None or lead > -_STEP)


def near_line(progress: RouteProgress, p: CrosserParameters) -> bool:
    """Return whether this is the last chance to stop at the place of waiting."""
    return progress.along >= -braking_distance(progress.speed, p) - _STEP


def is_inside(route: Route | None, entered: CrossingEntry | None, left: int | None) -> bool:
    """Return whether a robot has entered the crossing of its route's lap and not left it.

    Args:
        route: that it drives, or None
        entered: its last entry, or None
        left: number of the last lap whose crossing it left, or None
    """
    return route is not None and entered is not None and entered.lap == route.lap and entered.lap != left
