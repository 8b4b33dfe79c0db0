"""The navigator and the planner of PacMan, made from its map when the tree is set up: a tree is drawn without a map."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import numpy as np
from py_trees.blackboard import Blackboard

from arena_trees.behaviours.bumps import BUMPED, BumpedObstacles
from arena_trees.behaviours.pacman.parameters import PacmanParameters
from arena_trees.control.navigation.costmap import Costmap
from arena_trees.control.navigation.embedded_navigator import EmbeddedNavigator
from arena_trees.control.navigation.free_space import FreeSpace
from arena_trees.control.navigation.path_follower import PathFollower
from arena_trees.games.pacman.blackboard import GHOST_DISCS, MAP_POSE
from arena_trees.games.pacman.planning.arena_planner import ArenaPlanner
from arena_trees.games.pacman.planning.pellet_plans import PelletPlans
from arena_trees.games.pacman.planning.source_planner import SourcePlanner
from arena_trees.robot import keys
from arena_trees.robot.background import Background, BackgroundRunner, InlineRunner
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.geometry import Disc, Pose2D
from arena_trees.robot.ports import Navigator
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.world.maps.map_files import find_map
from arena_trees.world.maps.occupancy_map import OccupancyMap, load_map

__all__ = ["make_services"]


def make_services(
    robot: str,
    live: Live[PacmanParameters],
    streams: RandomStreams,
    navigator: Navigator | None,
    background: BackgroundRunner | None,
    *,
    source: bool,
) -> tuple[Callable[[], Navigator], Callable[[], Background]]:
    """Return what gives the navigator, and the line to the planner, each made once, at the first call.

    Navigator and plans, and the pellets of the game, know one clearance, so that a way for one is a way for all.

    Each raises a :class:`~arena_trees.robot.errors.ConfigError` where there is no such map, or it cannot be used.

    Args:
        robot: name of the robot, from whose blackboard the embedded navigator takes pose, time, ghosts and bumps
        live: parameters
        streams: random numbers of the robot
        navigator: drives to goals; the embedded one where None
        background: has the planner's calls made in the background; in the tick where None, as always for the
            report's planner, whose plans take no time
        source: whether the planner is that of the PacMan report, and the embedded navigator drives round ghosts instead
            of what the bumper has met
    """

    @cache
    def area() -> OccupancyMap:
        return load_map(find_map(live.value.map))

    @cache
    def find_navigator() -> Navigator:
        return _embedded_navigator(robot, live.value, area(), source) if navigator is None else navigator

    @cache
    def find_plans() -> Background:
        runner = InlineRunner() if background is None or source else background
        return runner.start(partial(_make_plans, live.value, streams.generator("forecast"), source=source))

    return find_navigator, find_plans


def _make_plans(parameters: PacmanParameters, rng: np.random.Generator, *, source: bool) -> PelletPlans:
    """Return the planner, in whichever process it plans.

    Raises:
        ConfigError: there is no such map, or it cannot be used
    """
    area = load_map(find_map(parameters.map))
    space = FreeSpace(area, parameters.wall_clearance, parameters.plan_cell, parameters.plan_clearance)
    planner = SourcePlanner(parameters.source) if source else ArenaPlanner(space, parameters.planner, rng)
    return PelletPlans(planner, space)


def _embedded_navigator(robot: str, parameters: PacmanParameters, area: OccupancyMap, source: bool) -> Navigator:
    prefix = f"{keys.namespace(robot)}/"

    def ghosts() -> tuple[Disc, ...]:
        discs: tuple[Disc, ...] = Blackboard.get(prefix + GHOST_DISCS)
        return discs

    def bumped() -> tuple[Disc, ...]:
        pose: Pose2D | None = Blackboard.get(prefix + MAP_POSE)
        known: BumpedObstacles = Blackboard.get(prefix + BUMPED)
        discs = () if pose is None else tuple(map(pose.compose_disc, known.obstacles))
        # The hull keeps off them as off walls.
        return tuple((x, y, radius + parameters.wall_clearance) for x, y, radius in discs)

    return EmbeddedNavigator(
        Costmap(
            FreeSpace(area, parameters.wall_clearance),
            parameters.wall_inflation,
            parameters.wall_weight,
        ),
        PathFollower(parameters.follower),
        lambda: Blackboard.get(prefix + MAP_POSE),
        lambda: Blackboard.get(prefix + keys.NOW),
        ghosts if source else bumped,
        lambda: Blackboard.get(prefix + keys.SCAN),
        period_s=parameters.source_route_period,
    )
