"""Who watches a graph sees what starts a robot's localisation and Nav2, starts it, and is told what is missing."""

from contextlib import closing

import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")
pytest.importorskip("nav2_msgs.srv", reason="the interface packages are not built (make test builds them)")

import rclpy
from geometry_msgs.msg import TwistStamped
from helpers.node_bench import end_node
from helpers.patience import until
from nav2_msgs.srv import ManageLifecycleNodes
from rclpy.executors import SingleThreadedExecutor
from sensor_msgs.msg import LaserScan
from std_srvs.srv import Trigger

from arena_trees.nodes.monitors.graph_watch import GraphWatch

NOWHERE, KNOWN = frozenset(), frozenset({"pacman"})


class Robot:
    """A robot whose LiDAR is heard, with a lifecycle manager that manages nothing real."""

    def __init__(self) -> None:
        self.node = rclpy.create_node("robot", namespace="/pacman")
        self.scans = self.node.create_publisher(LaserScan, "scan", 1)
        self.active = False
        self.starts = True
        self.asked = []
        self._made = []

    def manage(self, name):
        base = f"lifecycle_manager_{name}"
        self._made = [
            self.node.create_service(Trigger, f"{base}/is_active", self._is_active),
            self.node.create_service(ManageLifecycleNodes, f"{base}/manage_nodes", self._start),
        ]

    def leave(self):
        for service in self._made:
            self.node.destroy_service(service)

    def _is_active(self, request, answer):
        answer.success = self.active
        return answer

    def _start(self, request, answer):
        self.asked.append(request.command)
        self.active = answer.success = self.starts
        return answer


@pytest.fixture
def graph():
    """A robot, the watch that looks on, and what waits for what it finds."""
    rclpy.init()
    robot = Robot()
    executor = SingleThreadedExecutor()
    executor.add_node(robot.node)
    with closing(GraphWatch()) as watch:

        def turn():
            watch.look()
            watch.turn(0.02)
            executor.spin_once(timeout_sec=0.02)

        def wait(wanted, located=NOWHERE):
            found = lambda: watch.managers.stacks(located)  # noqa: E731
            until(lambda: [tuple(one[1:3]) for one in found()] == wanted, lambda: str(found()), turn)
            return [one.remedy for one in found()]

        yield robot, watch, wait, turn
    end_node(robot.node)
    rclpy.shutdown()


def test_localisation_is_started_where_it_waits_and_missed_where_it_is_not(graph):
    robot, watch, wait, turn = graph
    (remedy,) = wait([("localization", "absent")])
    assert "localization.launch.py namespace:=/pacman" in remedy
    wait([], KNOWN)
    robot.manage("localization")
    assert wait([("localization", "inactive")]) == [""]
    answers = []
    robot.starts = False
    watch.start("pacman", "localization", answers.append)
    until(lambda: answers, "a refusal", turn)
    assert "/pacman/lifecycle_manager_localization/manage_nodes refuses" in answers.pop()
    robot.starts = True
    watch.start("pacman", "localization", answers.append)
    until(lambda: answers, "an answer", turn)
    assert answers.pop() == "" and robot.asked == [ManageLifecycleNodes.Request.STARTUP] * 2
    assert "2D Pose Estimate" in wait([("localization", "active")])[0]
    assert wait([("localization", "active")], KNOWN) == [""]
    watch.start("pacman", "localization", answers.append)
    assert "waits for its start" in answers.pop(), "it runs already"
    watch.start("fox", "localization", answers.append)
    assert "fox has no localization" in answers.pop()
    robot.leave()
    wait([("localization", "absent")])


def test_nav2_is_missed_by_who_drives_by_it(graph):
    robot, _, wait, _ = graph
    wait([("localization", "absent")])
    robot.node.create_subscription(TwistStamped, "cmd_vel_nav", lambda message: None, 1)
    assert "nav2.launch.py namespace:=/pacman" in wait([("navigation", "absent")], KNOWN)[0]
    robot.manage("navigation")
    assert wait([("navigation", "inactive")], KNOWN) == [""]


def test_without_nav2_msgs_nothing_is_started_and_that_is_told(graph, monkeypatch):
    robot, watch, wait, _ = graph
    monkeypatch.setattr(watch.managers, "_type", None)
    robot.manage("localization")
    assert "nav2_msgs" in wait([("localization", "inactive")])[0]
    answers = []
    watch.start("pacman", "localization", answers.append)
    assert answers and answers[0]
