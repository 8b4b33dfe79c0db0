"""What a tree does, and where it takes something to be, reaches viewers."""

import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")

from geometry_msgs.msg import PoseWithCovarianceStamped
from helpers.node_bench import NodeBench, QuietNode
from std_msgs.msg import String

from arena_trees.games.pursuit.blackboard import Quarry
from arena_trees.games.registry import find_role
from arena_trees.nodes.adapters.estimates import EstimatesPublisher
from arena_trees.nodes.adapters.timelines import nanoseconds
from arena_trees.nodes.runtime.qos import EVENTS, LATCHED
from arena_trees.robot.geometry import ZERO, Pose2D
from arena_trees.robot.record import TickRecord

SEEN = Quarry(1.0 / 3.0, -2.0, 0.1, 0.0, 0.05, 2.1, 0.02, -0.3, 7, True)


class Telling(QuietNode):
    """A node with the topics of a role's tree."""

    def __init__(self, role: str = "chaser") -> None:
        super().__init__("tree", namespace="robot")
        self.teller = EstimatesPublisher(self, find_role(role))


def account(active="", **board):
    return TickRecord("robot", 0, 5, (), (), (), None, ZERO, (), b"", active, blackboard=board)


def test_leaves_and_places_arrive():
    with NodeBench(Telling) as bench:
        places = bench.hear(PoseWithCovarianceStamped, "/robot/tree/estimates/quarry", EVENTS)
        leaves = bench.hear(String, "/robot/tree/active", LATCHED)
        seen = account("Pursue", quarry=SEEN, reckoned=Pose2D(0.1, 0.2, 0.3), other=1)
        bench.node.teller.publish(seen)
        bench.until(lambda: leaves, "a leaf")
        bench.node.teller.publish(seen)
        bench.node.teller.publish(account("Go home", quarry=None))
        bench.until(lambda: len(places) == 2 and len(leaves) == 2, "the rest")
    assert [leaf.data for leaf in leaves] == ["Pursue", "Go home"]
    place = places[0]
    assert (place.header.frame_id, nanoseconds(place.header.stamp)) == ("map", 5)
    assert (place.pose.pose.position.x, place.pose.pose.position.y) == (SEEN.x, SEEN.y)
    assert list(place.pose.covariance[:8:7]) == pytest.approx([0.05**2] * 2)


def test_a_role_that_estimates_nothing_tells_of_its_leaf_alone():
    with NodeBench(lambda: Telling("wolf")) as bench:
        own = bench.node.get_publisher_names_and_types_by_node("tree", "/robot")
        assert {topic for topic, _ in own if topic.startswith("/robot/")} == {"/robot/tree/active"}
