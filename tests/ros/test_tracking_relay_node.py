"""Poses of a tracking system become robots' true poses: of every type, by its calibration, and none that is wrong."""

import math

import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")

from geometry_msgs.msg import PoseStamped, PoseWithCovarianceStamped, TransformStamped
from helpers.node_bench import NodeBench
from nav_msgs.msg import Odometry

from arena_trees.nodes.adapters.timelines import nanoseconds, stamp_message
from arena_trees.nodes.tracking_relay import TrackingRelayNode
from arena_trees.robot.clock import SECOND
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.ros_messages import layout

TURNED = """
points:
  - {tracked: [4.0, 1.5, 0.0], map: [0.0, 0.0, 0.0]}
  - {tracked: [4.0, 3.5, 0.0], map: [-2.0, 0.0, 0.0]}
  - {tracked: [6.0, 1.5, 0.0], map: [0.0, 2.0, 0.0]}
sigma: 0.01
sigma_deg: 1.0
"""
"""A frame whose x axis is the map's y axis, and whose y axis is its x axis backwards: a quarter of a turn."""

READ = {
    PoseStamped: lambda message: message.pose,
    PoseWithCovarianceStamped: lambda message: message.pose.pose,
    Odometry: lambda message: message.pose.pose,
    TransformStamped: lambda message: message.transform,
}


def bench(*robots: str, **parameters: str) -> NodeBench:
    given = {"robots": str(list(robots)), **parameters}
    return NodeBench(TrackingRelayNode, *(word for key, one in given.items() for word in ("-p", f"{key}:={one}")))


def filled(kind, stamp: int, x: float, y: float, yaw: float = 0.0):
    message = kind()
    message.header.stamp = stamp_message(stamp)
    pose = READ[kind](message)
    place, turn = (pose.translation, pose.rotation) if kind is TransformStamped else (pose.position, pose.orientation)
    place.x, place.y, turn.z, turn.w = x, y, math.sin(yaw / 2.0), math.cos(yaw / 2.0)
    return message


def now(relay: NodeBench) -> int:
    return relay.observer.get_clock().now().nanoseconds


@pytest.mark.parametrize("kind", READ)
def test_a_pose_of_any_type_is_told_in_the_map_with_the_stated_deviation(kind, tmp_path):
    calibration = tmp_path / "tracking.yaml"
    calibration.write_text(TURNED)
    with bench("wolf=/vicon/wolf", calibration=str(calibration)) as relay:
        told = relay.hear(PoseWithCovarianceStamped, "/wolf/ceiling/pose")
        system = relay.observer.create_publisher(kind, "/vicon/wolf", 10)
        sent = now(relay)
        message = filled(kind, sent, 5.0, 2.5)
        relay.until(lambda: told, "a pose", lambda: system.publish(message))
        pose, covariance = layout.pose(told[0]), told[0].pose.covariance
        assert (pose.x, pose.y, pose.yaw) == pytest.approx((-1.0, 1.0, math.pi / 2), abs=1e-6)
        assert told[0].header.frame_id == "map" and nanoseconds(told[0].header.stamp) == sent
        assert (covariance[0], covariance[7], covariance[35]) == pytest.approx((1e-4, 1e-4, math.radians(1.0) ** 2))
        relay.until(lambda: relay.state() == "every robot is seen", "that it is seen", lambda: system.publish(message))


def test_frames_of_tf_are_told_and_a_robot_that_is_not_seen_is_named():
    tf = pytest.importorskip("tf2_msgs.msg", reason="tf2_msgs is not installed")
    with bench("wolf=tf:wolf_body", "rabbit=/vicon/rabbit") as relay:
        told = relay.hear(PoseWithCovarianceStamped, "/wolf/ceiling/pose")
        system = relay.speaker(tf.TFMessage, "/tf", 100)

        def publish() -> None:
            links = [filled(TransformStamped, now(relay), *at) for at in ((1.0, 2.0, 0.5), (7.0, 7.0, 0.0))]
            links[0].child_frame_id, links[1].child_frame_id = "/wolf_body", "table"
            system.publish(tf.TFMessage(transforms=links))

        relay.until(lambda: len(told) > 3, "poses", publish)
        assert {layout.pose(one).x for one in told} == {1.0}
        words = "rabbit: /vicon/rabbit is published by nobody, or holds no poses"
        relay.until(lambda: relay.state() == words, "who is not seen", publish)


def test_what_is_not_finite_is_dropped_and_counted_and_clocks_that_differ_are_named():
    with bench("wolf=vicon/wolf") as relay:
        told = relay.hear(PoseWithCovarianceStamped, "/wolf/ceiling/pose")
        system = relay.observer.create_publisher(PoseStamped, "/vicon/wolf", 10)
        hostile = [filled(PoseStamped, now(relay), *at) for at in ((math.nan, 0.0), (0.0, math.inf))]
        hostile.append(filled(PoseStamped, now(relay), 0.0, 0.0))
        hostile[-1].pose.orientation.w = 0.0

        def publish() -> None:
            for message in hostile:
                system.publish(message)

        def counted() -> bool:
            reasons = {one.key for one in relay.status().values} if relay.status() else set()
            return {"wolf: not finite", "wolf: no rotation"} <= reasons

        relay.until(counted, "refusals", publish)
        assert not told
        late = lambda: system.publish(filled(PoseStamped, now(relay) - 5 * SECOND, 0.5, 0.0))  # noqa: E731
        relay.until(lambda: "clocks differ" in relay.state(), "that clocks differ", late)
        assert told
    with bench("wolf=/vicon/wolf", restamp="true") as relay:
        told = relay.hear(PoseWithCovarianceStamped, "/wolf/ceiling/pose")
        system = relay.observer.create_publisher(PoseStamped, "/vicon/wolf", 10)
        begun = now(relay)
        relay.until(lambda: told, "a pose", lambda: system.publish(filled(PoseStamped, begun - 5 * SECOND, 0.5, 0.0)))
        assert nanoseconds(told[0].header.stamp) >= begun


@pytest.mark.parametrize(
    ("robots", "named"),
    [
        (("wolf",), "must have the form robot=topic"),
        (("wolf=/a", "wolf=/b"), "is given twice"),
        (("wolf=/a", "rabbit=/a"), "is given twice"),
        (("wolf=a", "rabbit=/a"), "is given twice"),
        (("3=/a",), "must have the form"),
        (("wolf=/",), "must have the form"),
        (("",), "must name a robot|must have the form"),
    ],
)
def test_robots_that_cannot_be_used_are_refused(robots, named):
    with pytest.raises(ConfigError, match=named):
        bench(*robots)
