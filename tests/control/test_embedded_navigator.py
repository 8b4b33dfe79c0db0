"""The embedded navigator: ways clear of walls and obstacles, goals that succeed, fail, change and end."""

import math

import numpy as np
import pytest
from helpers.scans import scan_of_points

from arena_trees.control.navigation.costmap import Costmap
from arena_trees.control.navigation.embedded_navigator import EmbeddedNavigator
from arena_trees.control.navigation.free_space import FreeSpace
from arena_trees.control.navigation.path_follower import PathFollower
from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.ports import NavigationStatus
from arena_trees.robot.scan import Scan
from arena_trees.safety.reckoning import advance
from arena_trees.world.maps.occupancy_map import OccupancyMap

TICK = SECOND // 50


def two_rooms() -> OccupancyMap:
    """6 x 4 m, two rooms with a door of 0.9 m between them at x = 3, y = 0.5 to 1.4; a closed cell in a corner."""
    free = np.zeros((80, 120), np.bool_)
    free[2:78, 2:118] = True
    free[:, 59:61] = False
    free[10:28, 59:61] = True
    free[60:, 98:100] = False
    free[60:62, 98:] = False
    return OccupancyMap.build(free, 0.05)


@pytest.fixture(scope="module")
def costmap() -> Costmap:
    return Costmap(FreeSpace(two_rooms(), 0.25, 0.1), 0.45, 0.5)


class Robot:
    """A robot that goes exactly where it is told."""

    def __init__(self, costmap: Costmap, pose: Pose2D) -> None:
        self.pose: Pose2D | None = pose
        self.now = SECOND
        self.discs: tuple = ()
        self.scan: Scan | None = None
        self.navigator = EmbeddedNavigator(
            costmap,
            PathFollower(),
            lambda: self.pose,
            lambda: self.now,
            lambda: self.discs,
            lambda: self.scan,
            patience_s=3.0,
        )

    def run(self, seconds: float) -> list[Pose2D]:
        way = []
        for _ in range(round(seconds * 50)):
            twist = self.navigator.velocity()
            if twist is not None:
                self.pose = advance(self.pose, twist, 0.02)
            self.now += TICK
            way.append(self.pose)
            if self.navigator.status() is not NavigationStatus.ACTIVE:
                break
        return way


def test_a_way_through_a_door_keeps_clear_of_walls_and_is_nearly_the_shortest(costmap: Costmap) -> None:
    way = costmap.path((1.0, 3.0), (4.5, 2.6))
    assert way[0] == (1.0, 3.0)
    assert math.dist(way[-1], (4.5, 2.6)) < 1e-9
    line = np.array(way)
    assert np.hypot(*np.diff(line, axis=0).T).max() < 0.2
    assert min(costmap.space.map.clearance_at(*point) for point in way) >= 0.22
    taut = math.dist((1.0, 3.0), (2.9, 1.15)) + math.dist((3.1, 1.15), (4.5, 2.6))
    assert np.hypot(*np.diff(line, axis=0).T).sum() < 1.10 * taut


def test_what_the_lidar_shows_in_the_way_is_driven_round(costmap: Costmap) -> None:
    """The way is straight ahead and free on the map."""

    def twist(*points: tuple[float, float]) -> Twist2D:
        robot = Robot(costmap, Pose2D(0.8, 3.0, 0.0))
        robot.scan = scan_of_points(points, robot.now, 1)
        robot.navigator.send_goal(Pose2D(2.4, 3.0))
        found = robot.navigator.velocity()
        assert found is not None
        return found

    free = twist((0.3, 0.25), (0.3, -0.25), (0.6, 0.0), (-0.3, 0.0))
    assert (free.linear, free.angular) == (pytest.approx(0.306, abs=1e-3), pytest.approx(0.0, abs=1e-6))
    left, right = twist((0.3, 0.15)), twist((0.3, -0.15))
    assert left.angular < -0.3 < 0.3 < right.angular
    assert left.linear > 0.05
    wall = [(0.3, 0.05 * k) for k in range(-20, 21)] + [(0.05 * k, y) for k in range(-3, 7) for y in (-0.3, 0.3)]
    assert twist(*wall).linear == 0.0


def test_a_door_is_passed_though_localisation_errs(costmap: Costmap) -> None:
    """It takes itself to be 0.25 m off; the LiDAR shows the wall beside the door."""

    def passes(sees: bool) -> bool:
        robot = Robot(costmap, Pose2D(1.5, 1.0, 0.0))
        robot.navigator.send_goal(Pose2D(4.5, 1.0))
        true = Pose2D(1.5, 1.25, 0.0)
        wall = [(x, 0.02 * k) for k in range(200) for x in (2.95, 3.05) if not 0.5 < 0.02 * k < 1.4]
        for _ in range(800):
            assert robot.pose is not None
            if sees:
                seen = (true.relative(Pose2D(*point)) for point in wall)
                robot.scan = scan_of_points([(one.x, one.y) for one in seen], robot.now, 1)
            twist = robot.navigator.velocity()
            if twist is None:
                break
            true, robot.pose = advance(true, twist, 0.02), advance(robot.pose, twist, 0.02)
            robot.now += TICK
            if min(math.dist((true.x, true.y), point) for point in wall) < 0.17:
                return False
        return true.x > 3.5

    assert passes(sees=True)
    assert not passes(sees=False)


def test_no_way_leads_into_a_closed_cell_or_through_a_blocked_door_but_round_an_obstacle_and_out_of_it(costmap):
    assert costmap.path((1.0, 3.0), (5.5, 3.5)) == []
    assert costmap.path((1.0, 3.0), (4.5, 2.6), [(3.0, 0.95, 0.5)]) == []
    assert costmap.path((1.0, 3.0), (2.0, 3.0), [(3.0, 0.95, 0.5)]) != []
    disc = (1.5, 2.0, 0.4)
    way = np.array(costmap.path((0.6, 2.0), (2.4, 2.0), [disc]))
    assert np.hypot(*(way - disc[:2]).T).min() > 0.33
    assert costmap.path((1.5, 2.1), (2.4, 2.0), [disc]) != []


def test_a_goal_is_driven_to_without_touching_a_wall(costmap: Costmap) -> None:
    robot = Robot(costmap, Pose2D(1.0, 3.0, 3.0))
    robot.navigator.send_goal(Pose2D(4.5, 2.6))
    way = robot.run(60.0)
    assert robot.navigator.status() is NavigationStatus.SUCCEEDED
    assert robot.pose.distance_to(4.5, 2.6) <= 0.1
    assert min(costmap.space.map.clearance_at(pose.x, pose.y) for pose in way) > 0.2
    assert robot.navigator.velocity() is None


def test_a_new_goal_replaces_the_one_before_and_a_cancelled_one_ends(costmap: Costmap) -> None:
    robot = Robot(costmap, Pose2D(1.0, 3.0))
    assert robot.navigator.status() is NavigationStatus.IDLE
    robot.navigator.send_goal(Pose2D(4.5, 2.6))
    robot.run(2.0)
    robot.navigator.send_goal(Pose2D(0.6, 3.0))
    robot.run(20.0)
    assert robot.navigator.status() is NavigationStatus.SUCCEEDED
    assert robot.pose.distance_to(0.6, 3.0) <= 0.1
    robot.navigator.send_goal(Pose2D(4.5, 2.6))
    robot.navigator.cancel()
    assert (robot.navigator.status(), robot.navigator.velocity()) == (NavigationStatus.IDLE, None)


def test_what_blocks_the_way_is_waited_for_and_what_never_opens_fails(costmap: Costmap) -> None:
    robot = Robot(costmap, Pose2D(2.0, 1.0))
    robot.navigator.send_goal(Pose2D(4.0, 1.0))
    robot.discs = ((3.0, 0.95, 0.5),)
    robot.run(2.5)
    assert robot.navigator.status() is NavigationStatus.ACTIVE
    assert robot.pose == Pose2D(2.0, 1.0)
    robot.discs = ()
    robot.run(15.0)
    assert robot.navigator.status() is NavigationStatus.SUCCEEDED
    robot.navigator.send_goal(Pose2D(5.5, 3.5))
    robot.run(10.0)
    assert robot.navigator.status() is NavigationStatus.FAILED


def test_a_robot_that_was_carried_away_plans_anew_and_one_that_is_lost_stands(costmap: Costmap) -> None:
    robot = Robot(costmap, Pose2D(1.0, 1.0))
    robot.navigator.send_goal(Pose2D(2.4, 1.0))
    robot.run(0.2)
    robot.pose = Pose2D(1.0, 2.0)
    robot.navigator.velocity()
    assert robot.navigator.path[0] == (1.0, 2.0)
    robot.pose = None
    assert robot.navigator.velocity() is None
    assert robot.navigator.status() is NavigationStatus.ACTIVE
