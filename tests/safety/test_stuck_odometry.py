"""Odometry that reports the same place while the wheels are to turn: the robot stands, and tries again later."""

from dataclasses import replace
from itertools import pairwise

import pytest
from helpers.bench import Bench
from helpers.scans import rectangle

from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D
from arena_trees.robot.percepts import Percepts
from arena_trees.safety.gate import VelocityGate
from arena_trees.safety.parameters import GateParameters

WALLS = rectangle(6.0)
AHEAD, ROUND = Twist2D(0.3, 0.0), Twist2D(0.0, 1.0)


class StuckBench(Bench):
    """A bench whose odometry keeps its first place, in new messages, while it is stuck."""

    stuck = True
    place = Pose2D()

    def altered(self, percepts: Percepts) -> Percepts:
        """Return what the gate is given in place of the percepts."""
        odometry = percepts.odometry
        if odometry is None or not self.stuck:
            return percepts
        return replace(percepts, odometry=replace(odometry, pose=self.place, twist=ZERO))


def bench() -> StuckBench:
    made = StuckBench(VelocityGate(GateParameters()), WALLS, Pose2D())
    made.settle()
    return made


def stops(robot: Bench, command: Twist2D, ticks: int) -> list[int]:
    """Return in which ticks odometry counted as stuck."""
    return [tick for tick in range(ticks) if "odometry stuck" in robot.step(command).reasons]


@pytest.mark.parametrize(("command", "ticks"), [(AHEAD, 70), (Twist2D(-0.15, 0.0), 95)])
def test_a_robot_stands_where_odometry_does_not_move_with_it(command, ticks):
    robot = bench()
    begin = robot.pose
    assert stops(robot, command, ticks)
    assert robot.pose.distance_to(begin.x, begin.y) < 0.25
    assert robot.twist == ZERO


def test_so_does_one_that_turns():
    robot = bench()
    assert stops(robot, ROUND, 80)
    assert robot.twist == ZERO


def test_it_tries_again_after_a_second_and_each_time_twice_as_late():
    robot = bench()
    found = stops(robot, AHEAD, 3000)
    begins = [tick for tick in found if tick - 1 not in found]
    holds = [sum(begin <= tick < following for tick in found) for begin, following in pairwise(begins)]
    assert holds[:5] == [50, 100, 200, 400, 800]
    assert robot.pose.x < 0.3 * len(begins)


def test_odometry_that_moves_again_is_believed_at_once():
    robot = bench()
    assert stops(robot, AHEAD, 60)
    robot.stuck = False
    assert not stops(robot, AHEAD, 200)


@pytest.mark.parametrize("command", [ZERO, AHEAD, ROUND, Twist2D(0.01, 0.0), Twist2D(0.1, -0.5)])
def test_odometry_that_follows_is_never_stuck(command):
    robot = bench()
    robot.stuck = False
    assert not stops(robot, command, 600)


def test_a_robot_that_is_to_stand_may_report_one_place_for_ever():
    robot = bench()
    assert not stops(robot, ZERO, 600)


def test_silent_odometry_is_not_taken_for_stuck():
    robot = bench()
    for _ in range(100):
        kept = robot.percepts.odometry
        robot.altered = lambda percepts, kept=kept: replace(percepts, odometry=kept)  # type: ignore[method-assign]
        assert "odometry stuck" not in robot.step(AHEAD).reasons


def test_a_clock_that_goes_back_begins_anew():
    robot = bench()
    assert stops(robot, AHEAD, 60)
    robot.tick -= 30
    assert "odometry stuck" not in robot.step(AHEAD).reasons
