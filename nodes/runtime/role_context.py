"""What a node is given of its robot's role: enough to make the role's localiser, motion limits and tree."""

from __future__ import annotations

from collections.abc import Iterable

from arena_trees.games.game import RobotContext, Role
from arena_trees.games.registry import find_role, game_of_role
from arena_trees.robot.configuration.assignments import parse_assignments
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.world.arena_file import load_arena
from arena_trees.world.arenas import find_arena
from arena_trees.world.body import TURTLEBOT4, Body
from arena_trees.world.camera_optics import OAK_D, CameraOptics
from arena_trees.world.geofence import Geofence

__all__ = ["known_role"]


def known_role(
    robot: str,
    role: str,
    rules: Iterable[str] = (),
    arena: str = "",
    start: Pose2D | None = None,
    seed: int = -1,
    body: Body | None = None,
    camera: CameraOptics = OAK_D,
    fence: Geofence | None = None,
) -> tuple[Role, RobotContext]:
    """Return a robot's role, and what it makes a localiser, motion limits and a tree from.

    Args:
        robot: its name
        role: its role's name
        rules: those of its game that are not as by default, as texts ``key=value``
        arena: arena file or shipped arena; empty for none
        start: where it starts, map frame
        seed: of the trial, where start is the true one; negative where it is the one that is given
        body: what it is made of; as the arena file specifies where None
        camera: its optics
        fence: of the robot; None where it has none, or where nobody asks

    Raises:
        ConfigError: there is no such role, or a rule or the arena file cannot be used
    """
    game = game_of_role(role)
    found = find_role(role)
    played = game.rules().with_changes(parse_assignments(rules, "rules"), "rules")
    streams = None if seed < 0 else RandomStreams(seed).child(f"placed.{robot}")
    where = load_arena(find_arena(arena)) if arena else None
    if body is None:
        body = TURTLEBOT4 if where is None else where.body(robot, role)
    points = () if fence is None else fence.points
    return found, RobotContext(robot, found.parameters(), played, where, start, streams, body, camera, points)
