"""Going to a place: straight, round what the LiDAR sees, by a planner, and how it ends."""

import math

import pytest
from helpers.arena import needs_arena
from helpers.tree_bench import TreeBench
from py_trees.common import Status

import arena_trees as at
from arena_trees.behaviours.go_to import GoTo
from arena_trees.robot.geometry import Twist2D
from arena_trees.robot.ports import NavigationStatus

RUNNING, SUCCESS, FAILURE = Status.RUNNING, Status.SUCCESS, Status.FAILURE


class Planner:
    """A navigator that drives as it is told to."""

    def __init__(self) -> None:
        self.goals = []
        self.cancelled = 0
        self.state = NavigationStatus.ACTIVE

    def send_goal(self, goal):
        self.goals.append(goal)

    def status(self):
        return self.state

    def cancel(self):
        self.cancelled += 1

    def velocity(self):
        return Twist2D(0.2, 0.3) if self.state is NavigationStatus.ACTIVE else None


def bench(**options):
    made = TreeBench()
    return made.set_up(GoTo("Go", "robot", 2.0, 1.0, **options))


def test_it_drives_there_turns_as_asked_for_and_ends():
    robot = bench(yaw=math.pi / 2).pose()
    ahead = robot.tick()
    assert ahead.status is RUNNING and ahead.command[0] > 0.0 and ahead.command[1] > 0.0
    there = robot.pose(1.95, 1.0).tick()
    assert (there.status, there.command[0]) == (RUNNING, 0.0) and there.command[1] > 0.0
    turned = robot.pose(1.95, 1.0, math.radians(88)).tick()
    assert (turned.status, turned.command) == (SUCCESS, (0.0, 0.0))
    assert bench().pose(1.95, 1.0, -3.0).tick().status is SUCCESS, "any yaw"


def test_it_stands_without_a_fresh_pose_and_says_so():
    robot = bench()
    assert (robot.tick().command, robot.root.feedback_message) == ((0.0, 0.0), "no pose")
    robot.pose()
    assert robot.tick().command[0] > 0.0
    assert robot.tick(30).command == (0.0, 0.0)


def test_it_goes_round_what_the_scan_shows():
    straight = bench().pose(yaw=math.atan2(1.0, 2.0))
    assert straight.tick().command[1] == pytest.approx(0.0)
    blocked = bench().pose(yaw=math.atan2(1.0, 2.0)).points((0.35, 0.0), (0.35, -0.1))
    assert blocked.tick().command[1] > 0.3


def test_a_navigator_is_given_the_goal_once_and_cancelled_at_the_end():
    planner = Planner()
    robot = bench(navigator=planner).pose().points((0.3, 0.0))
    assert [outcome.command for outcome in robot.ticks(3)] == [(0.2, 0.3)] * 3, "the planner knows of obstacles"
    assert [(goal.x, goal.y) for goal in planner.goals] == [(2.0, 1.0)]
    planner.state = NavigationStatus.SUCCEEDED
    assert robot.tick().status is SUCCESS, "as near as its own tolerance asks for"
    planner.goals.clear()
    planner.cancelled = 0
    planner.state = NavigationStatus.ACTIVE
    robot.tick()
    planner.state = NavigationStatus.FAILED
    assert (robot.tick().status, planner.cancelled) == (FAILURE, 1)
    planner.state = NavigationStatus.ACTIVE
    robot.tick()
    assert len(planner.goals) == 2, "it begins anew"
    robot.root.stop(Status.INVALID)
    assert planner.cancelled == 2


@pytest.mark.parametrize("key", ["x", "y", "yaw"])
def test_a_place_that_is_none_is_refused(key):
    with pytest.raises(at.ConfigError, match=f"{key}: must be finite"):
        GoTo("Go", "robot", **{"x": 0.0, "y": 0.0, key: math.nan})


@needs_arena
def test_a_robot_goes_there_in_the_arena():
    def create_root(robot, live, streams):
        go = at.GoTo("Go", robot, 1.0, -1.0, yaw=0.0)
        return at.robot_root("There", [at.Sense("Percepts", robot)], [go])

    result = at.play("wolf_rabbit_open", trees={"wolf": create_root}, trials=1, seed=3, changes={"duration_s": 25.0})
    way = result.trials[0].trajectories["wolf"]
    assert way.pose[-1] == pytest.approx((1.0, -1.0, 0.0), abs=0.15)
