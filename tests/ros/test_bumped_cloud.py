"""What the bumper has met, for Nav2's costmaps: as points over DDS, and forgotten with an empty cloud."""

import math
import struct

import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")

from functools import partial

from helpers.node_bench import NodeBench, QuietNode
from sensor_msgs.msg import PointCloud2

from arena_trees.behaviours.bumps import BUMPED, BumpedObstacles
from arena_trees.nodes.nav2.bumped_cloud import BumpedCloud
from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import ZERO
from arena_trees.robot.record import TickRecord

START = 7 * SECOND
BOX = (0.4, -0.1, 0.17)


def record(now, *discs, known=True):
    board = {BUMPED: BumpedObstacles(discs)} if known else {}
    return TickRecord("pacman", 0, now, (), (), (), None, ZERO, (), b"", "", blackboard=board)


@pytest.fixture
def bench():
    with NodeBench(partial(QuietNode, "tree"), "-r", "__ns:=/pacman") as bench:
        yield bench


def test_an_obstacle_is_its_middle_and_its_outline_until_it_is_forgotten(bench):
    cloud, heard = BumpedCloud(bench.node, "base_link"), bench.hear(PointCloud2, "/pacman/bumped_cloud")

    def publish():
        heard.clear()
        for tick in range(100):
            cloud.publish(record(START + tick * SECOND // 50, BOX))

    bench.until(lambda: heard, "a cloud", publish)
    first = heard[0]
    assert (first.header.frame_id, first.height, first.is_dense) == ("base_link", 1, True)
    points = [struct.unpack_from("<3f", first.data, place * first.point_step) for place in range(first.width)]
    assert points[0] == pytest.approx((0.4, -0.1, 0.05))
    outline = [(x - 0.4, y + 0.1) for x, y, _ in points[1:]]
    assert all(math.hypot(x, y) == pytest.approx(0.17, abs=1e-5) for x, y in outline)
    gaps = [math.dist(one, other) for one, other in zip(outline, [*outline[1:], outline[0]], strict=True)]
    assert max(gaps) <= 0.05, "no cell of a costmap is left out"
    heard.clear()
    bench.until(lambda: heard, "the empty cloud", lambda: (publish(), cloud.publish(record(START + 3 * SECOND))))
    bench.until(lambda: heard[-1].width == 0, "no obstacle")


class Counted:
    """A node whose publisher counts."""

    def __init__(self):
        self.widths = []

    def create_publisher(self, *arguments):
        return self

    def publish(self, message):
        self.widths.append(message.width)


def test_it_is_published_twice_a_second_and_once_when_it_is_forgotten():
    node = Counted()
    cloud = BumpedCloud(node, "base_link")
    cloud.publish(record(START, known=False))
    cloud.publish(record(START))
    assert node.widths == [], "there was none"
    for tick in range(101):
        cloud.publish(record(START + tick * SECOND // 50, BOX))
    full = node.widths[0]
    assert node.widths == [full] * 5
    for tick in range(101, 150):
        cloud.publish(record(START + tick * SECOND // 50))
    assert node.widths == [full] * 5 + [0]
    cloud.publish(record(START + 3 * SECOND, BOX, BOX))
    assert node.widths[-1] == 2 * full, "at once"
    cloud.publish(record(SECOND, BOX))
    assert node.widths[-1] == full, "a clock that went back delays nothing"
