"""The arena file that a node is given: the fence of one robot in it, or where it starts."""

from __future__ import annotations

import os
from pathlib import Path

from arena_trees.robot.configuration.hints import did_you_mean
from arena_trees.robot.configuration.resources import ResourceNotFoundError, config_files, config_path
from arena_trees.robot.configuration.yaml_files import parse_yaml
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D
from arena_trees.world.arena_file import load_arena
from arena_trees.world.body import TURTLEBOT4, Body
from arena_trees.world.geofence import Geofence

__all__ = ["find_arena", "load_body", "load_fence", "load_start", "require_fence"]


def find_arena(arena: str) -> Path:
    """Return the file of an arena.

    Args:
        arena: path of a file, or name of a shipped arena, such as ``arena_4x4``

    Raises:
        ConfigError: there is neither
    """
    path = Path(arena)
    if os.path.isfile(path):
        return path
    try:
        return config_path("arenas", arena if path.suffix == ".yaml" else f"{arena}.yaml")
    except ResourceNotFoundError as error:
        reason = f"there is no such file and no such arena{did_you_mean(arena, config_files('arenas'))}"
        raise ConfigError(reason, key="arena", value=arena) from error


def load_body(arena: str, robot: str, role: str = "", overrides: str = "") -> Body:
    """Return a robot's body: its overrides over the arena's file over the default.

    Args:
        arena: path of an arena file, or name of a shipped arena; empty for none
        robot: its name
        role: of the robot; empty for none
        overrides: a map as YAML, such as ``{radius: 0.2}``; empty for nothing

    Raises:
        ConfigError: the file or the text cannot be used
    """
    body = load_arena(find_arena(arena)).body(robot, role) if arena else TURTLEBOT4
    changes = parse_yaml(overrides, "body") if overrides else {}
    if not isinstance(changes, dict):
        raise ConfigError("must be a map of keys to values", key="body", value=overrides)
    try:
        changed: Body = body.with_changes(changes, "parameter")
    except ConfigError as error:
        raise error.within("parameter", "body") from error
    return changed


def load_fence(arena: str, zone: str, body: Body | None = None) -> Geofence | None:
    """Return a robot's polygon in the map frame, or None: no arena is given, or it has no fences.

    Args:
        arena: path of an arena file, or name of a shipped arena; empty for no fence
        zone: name of the fence in it
        body: of the robot that must fit inside; as the arena's file has it for the zone's name where None

    Raises:
        ConfigError: the file cannot be used, or has no such fence
    """
    if not arena:
        return None
    path = find_arena(arena)
    found = load_arena(path)
    fences = found.fences
    if not found.fenced or (not fences and found.sections):
        return None
    if zone not in fences:
        raise ConfigError(f"no such fence; there are {', '.join(fences)}", file=path, key="fences", value=zone)
    return Geofence(zone, fences[zone], (body or found.body(zone)).radius)


def require_fence(arena: str, zone: str) -> Geofence:
    """Return a robot's polygon, for a node that is nothing without one.

    Raises:
        ConfigError: as :func:`load_fence`, or no arena is given
    """
    fence = load_fence(arena, zone)
    if fence is None:
        if arena:
            raise ConfigError("has no fence", key="arena", value=arena)
        raise ConfigError("is required", key="arena")
    return fence


def load_start(arena: str, robot: str) -> Pose2D | None:
    """Return where an arena has a robot start, map frame; None where it does not say so exactly.

    Args:
        arena: path of an arena file, or name of a shipped arena
        robot: its name

    Raises:
        ConfigError: the file cannot be used
    """
    start = load_arena(find_arena(arena)).starts.get(robot)
    if start is None or start.position is None or not start.fixed or isinstance(start.yaw, str):
        return None
    return Pose2D(*start.position, start.yaw)
