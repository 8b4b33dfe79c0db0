"""Plans of PacMan with the ways by which they are judged: what is computed in the background."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from arena_trees.control.navigation.free_space import FreeSpace
from arena_trees.games.pacman.messages import PacmanGame
from arena_trees.games.pacman.planning.pellet_planner import Intent, PelletPlanner, Plan
from arena_trees.robot.geometry import Pose2D

__all__ = ["PelletPlans", "Planned"]


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan, and how far away what it is for was.

    Attributes:
        plan: where to go
        ways: lengths of the shortest ways (m) to the pellet that is gone for, or to all where none is in view, by
            their numbers; empty unless the plan is to collect
    """

    plan: Plan
    ways: Mapping[int, float] = field(default_factory=dict)


class PelletPlans:
    """Has a planner plan, and measures ways.

    Args:
        planner: decides
        space: where the robot can be
    """

    def __init__(self, planner: PelletPlanner, space: FreeSpace) -> None:
        self._planner = planner
        self._space = space

    def reset(self) -> None:
        """Begin anew with a new game."""
        self._planner.reset()

    def prepare(self, game: PacmanGame) -> None:
        """Take in a game that will begin."""
        self._planner.prepare(game)

    def watch(self, game: PacmanGame) -> None:
        """Take in the state of the game between two plans."""
        self._planner.watch(game)

    def plan(self, pose: Pose2D, game: PacmanGame, now: int) -> Planned:
        """Return where to go now.

        Args:
            pose: of the robot, map frame
            game: its state
            now: when that was received, ns
        """
        plan = self._planner.decide(pose, game, now)
        if plan.intent is not Intent.COLLECT:
            return Planned(plan)
        known = {pellet.id: (pellet.x, pellet.y) for pellet in game.pellets}
        chosen = {plan.pellet: known[plan.pellet]} if plan.pellet in known else known
        here = (pose.x, pose.y)
        return Planned(plan, {number: self._space.distance(here, place) for number, place in chosen.items()})
