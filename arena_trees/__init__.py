"""Behaviour trees for small robots that play together, in an embedded arena and on TurtleBot 4.

The rooms of the house stand at the root of the repository and are imported from here:
``arena_trees.robot``, ``arena_trees.control`` and so on. What one needs to write a behaviour, put it
into a tree and play it is offered here directly. Each name is imported when it is first used, so
that importing this package costs nothing and a robot needs no arena.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from py_trees.common import Status

    from arena_trees.behaviours.base import Mover, Reader
    from arena_trees.behaviours.conditions import FenceIs, ObstacleAhead, RoundOver, SignInSight, TargetInSight
    from arena_trees.behaviours.sense import Sense
    from arena_trees.behaviours.stand import StandStill
    from arena_trees.behaviours.wolf_rabbit.parameters import RabbitParameters, WolfParameters
    from arena_trees.control.heading import drive_towards
    from arena_trees.control.steering import clear_heading
    from arena_trees.perception.sectors import free_ahead, more_open_side, sector_min
    from arena_trees.robot.clock import SECOND, from_seconds, to_seconds
    from arena_trees.robot.errors import ArenaTreesError, ConfigError
    from arena_trees.robot.geometry import Pose2D, Twist2D
    from arena_trees.robot.parameters import Live, Parameters, parameter
    from arena_trees.robot.percepts import FenceStatus, GamePhase, Odometry, Percepts, Sighting, Sightings
    from arena_trees.robot.random_streams import RandomStreams
    from arena_trees.robot.scan import LaserScan, Scan
    from arena_trees.simulation.play import play
    from arena_trees.simulation.plot import plot_run
    from arena_trees.simulation.results import RunResult, TrialResult
    from arena_trees.trees.idioms import back_inside, once, roam, robot_root, when

__version__ = "0.1.0"

_HOMES = {
    "py_trees.common": ("Status",),
    "arena_trees.behaviours.base": ("Mover", "Reader"),
    "arena_trees.behaviours.conditions": ("FenceIs", "ObstacleAhead", "RoundOver", "SignInSight", "TargetInSight"),
    "arena_trees.behaviours.wolf_rabbit.parameters": ("RabbitParameters", "WolfParameters"),
    "arena_trees.behaviours.sense": ("Sense",),
    "arena_trees.behaviours.stand": ("StandStill",),
    "arena_trees.control.heading": ("drive_towards",),
    "arena_trees.control.steering": ("clear_heading",),
    "arena_trees.perception.sectors": ("free_ahead", "more_open_side", "sector_min"),
    "arena_trees.robot.clock": ("SECOND", "from_seconds", "to_seconds"),
    "arena_trees.robot.errors": ("ArenaTreesError", "ConfigError"),
    "arena_trees.robot.geometry": ("Pose2D", "Twist2D"),
    "arena_trees.robot.parameters": ("Live", "Parameters", "parameter"),
    "arena_trees.robot.percepts": ("FenceStatus", "GamePhase", "Odometry", "Percepts", "Sighting", "Sightings"),
    "arena_trees.robot.random_streams": ("RandomStreams",),
    "arena_trees.robot.scan": ("LaserScan", "Scan"),
    "arena_trees.simulation.play": ("play",),
    "arena_trees.simulation.plot": ("plot_run",),
    "arena_trees.simulation.results": ("RunResult", "TrialResult"),
    "arena_trees.trees.idioms": ("back_inside", "once", "roam", "robot_root", "when"),
}
"""Module to the names that are offered of it."""

_MODULE_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "SECOND",
    "ArenaTreesError",
    "ConfigError",
    "FenceIs",
    "FenceStatus",
    "GamePhase",
    "LaserScan",
    "Live",
    "Mover",
    "ObstacleAhead",
    "Odometry",
    "Parameters",
    "Percepts",
    "Pose2D",
    "RabbitParameters",
    "RandomStreams",
    "Reader",
    "RoundOver",
    "RunResult",
    "Scan",
    "Sense",
    "Sighting",
    "Sightings",
    "SignInSight",
    "StandStill",
    "Status",
    "TargetInSight",
    "TrialResult",
    "Twist2D",
    "WolfParameters",
    "__version__",
    "back_inside",
    "clear_heading",
    "drive_towards",
    "free_ahead",
    "from_seconds",
    "more_open_side",
    "once",
    "parameter",
    "play",
    "plot_run",
    "roam",
    "robot_root",
    "sector_min",
    "to_seconds",
    "when",
]


def __getattr__(name: str) -> Any:
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(module), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
