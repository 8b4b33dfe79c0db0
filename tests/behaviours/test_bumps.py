"""Bumps: what is remembered stands on the blackboard, and the robot backs off."""

from __future__ import annotations

import pytest
from helpers.tree_bench import TreeBench
from py_trees.common import Status

from arena_trees.behaviours.bumps import BackOff, RememberBumps
from arena_trees.behaviours.stand import StandStill
from arena_trees.robot.percepts import Bumpers
from arena_trees.trees.idioms import back_off


class Feeling(TreeBench):
    def bumpers(self, *pressed: str) -> Feeling:
        return self.put(bumpers=Bumpers(*self.stamps(), frozenset(pressed)))


def test_what_was_bumped_twice_stands_on_the_blackboard_relative_to_the_robot() -> None:
    bench = Feeling().set_up(RememberBumps("remember", "robot", 0.17))
    assert bench.tick().status is Status.SUCCESS
    assert bench.get("bumped").obstacles == ()
    for _ in range(2):
        bench.odometry(1.0).bumpers("bump_front_center").tick()
        assert str(bench.get("bumped")) in ("nothing", "(0.34, 0.00)")
        bench.odometry(1.0).bumpers().tick()
    assert bench.get("bumped").obstacles == ((pytest.approx(0.34), pytest.approx(0.0), 0.17),)
    bench.odometry(0.5).tick()
    assert bench.get("bumped").obstacles[0][0] == pytest.approx(0.84)
    bench.now += 61 * 10**9
    bench.tick()
    assert bench.get("bumped").obstacles == ()


def test_it_drives_backwards_a_little() -> None:
    bench = Feeling().set_up(back_off("robot"))
    assert bench.odometry().bumpers().tick().status is Status.FAILURE
    assert bench.odometry().bumpers("bump_left").tick().command == (-0.1, 0.0)
    # The bumper is free again at once, and it goes on.
    assert bench.odometry(-0.14).bumpers().tick().status is Status.RUNNING
    outcome = bench.odometry(-0.15).tick()
    assert (outcome.status, outcome.command) == (Status.SUCCESS, (0.0, 0.0))


def test_what_follows_commands_in_the_tick_in_which_it_has_backed_off() -> None:
    bench = Feeling().set_up(back_off("robot", StandStill("then", "robot")))
    bench.odometry().bumpers("bump_left").tick()
    outcome = bench.odometry(-0.16).bumpers().tick()
    assert (outcome.active, outcome.command) == ("then", (0.0, 0.0))


def test_a_robot_that_is_held_does_not_back_off_for_ever() -> None:
    bench = TreeBench().set_up(BackOff("back", "robot"))
    bench.odometry()
    statuses = [outcome.status for outcome in bench.ticks(153)]
    assert set(statuses[:150]) == {Status.RUNNING}
    assert Status.SUCCESS in statuses[150:]
