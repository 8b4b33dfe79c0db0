"""The PacMan report's scoring, number by number."""

from typing import Any

import pytest
from helpers.pacman_state import pacman_state

from arena_trees.games.pacman.messages import GhostView, PacmanGame, Pellet
from arena_trees.games.pacman.planning.pellet_planner import Intent
from arena_trees.games.pacman.planning.source_planner import SourcePlanner
from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import Pose2D

ORIGIN = Pose2D()


def game(pellets: list[tuple[float, float]], *ghosts: tuple[float, float], **more: Any) -> PacmanGame:
    return pacman_state(
        spawned=len(pellets),
        pellets=tuple(Pellet(k, x, y) for k, (x, y) in enumerate(pellets)),
        ghosts=tuple(GhostView(f"ghost {k}", x, y, **more) for k, (x, y) in enumerate(ghosts)),
    )


def chosen(planner: SourcePlanner, state: PacmanGame, pose: Pose2D = ORIGIN, now: int = 0) -> int | None:
    return planner.decide(pose, state, now).pellet


def test_the_nearest_pellet_is_chosen_by_the_straight_line() -> None:
    plan = SourcePlanner().decide(ORIGIN, game([(3.0, 0.0), (0.0, -2.0)]), 0)
    assert (plan.intent, plan.pellet, plan.goal) == (Intent.COLLECT, 1, (0.0, -2.0))


@pytest.mark.parametrize(("gap", "pellet"), [(1.1, 1), (1.7, 0)])
def test_risk_is_three_for_each_metre_within_two_of_a_ghost(gap: float, pellet: int) -> None:
    """Pellets at 5 and 7 m; the ghost is far from the robot, and 3 (2 - gap) outweighs 2 m or does not."""
    assert chosen(SourcePlanner(), game([(5.0, 0.0), (-7.0, 0.0)], (5.0, gap))) == pellet


def test_a_near_ghost_makes_what_lies_in_its_direction_worse_by_five_and_the_product() -> None:
    """Ghost 1.9 m ahead, pellets 4 m ahead and 4.5 m behind: 5 (1 + 1.9 * 4) against nothing."""
    assert chosen(SourcePlanner(), game([(4.0, 0.0), (-4.5, 0.0)], (1.9, 0.0))) == 1
    assert chosen(SourcePlanner(), game([(4.5, 0.0), (-52.0, 0.0)], (1.9, 0.0))) == 1
    assert chosen(SourcePlanner(), game([(4.5, 0.0), (-53.0, 0.0)], (1.9, 0.0))) == 0


@pytest.mark.parametrize(("before", "now", "pellet"), [(2.52, 2.5, 1), (2.51, 2.5, 0), (3.2, 3.1, 0)])
def test_between_two_and_three_metres_only_a_ghost_that_closes_in_threatens(before, now, pellet):
    """At 2 Hz, 0.02 m nearer are 0.04 m/s, 0.01 m are 0.02 m/s; the limit is 0.03 m/s."""
    planner, pellets = SourcePlanner(), [(8.0, 0.0), (-8.5, 0.0)]
    planner.decide(ORIGIN, game(pellets, (before, 0.0)), 0)
    assert chosen(planner, game(pellets, (now, 0.0)), now=SECOND // 2) == pellet


def test_another_pellet_must_be_better_by_the_margin() -> None:
    planner, pellets = SourcePlanner(), [(2.0, 0.0), (-2.0, 0.0)]
    assert chosen(planner, game(pellets), Pose2D(0.1)) == 0
    assert chosen(planner, game(pellets), Pose2D(-0.14)) == 0
    assert chosen(planner, game(pellets), Pose2D(-0.16)) == 1
    assert chosen(planner, game([(2.0, 0.0)]), Pose2D(-0.16)) == 0


def test_frightened_ghosts_do_not_matter_and_without_pellets_it_waits() -> None:
    assert chosen(SourcePlanner(), game([(4.0, 0.0), (-4.5, 0.0)], (1.9, 0.0), frightened=True)) == 0
    assert SourcePlanner().decide(ORIGIN, game([]), 0).intent is Intent.WAIT
