"""The geofence supervisor on ROS: verdicts, details and markers by poses from tf."""

import time

import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")
pytest.importorskip("tf2_msgs.msg", reason="tf2_msgs is not installed")

from helpers.node_bench import NodeBench
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import Marker, MarkerArray

from arena_trees.nodes.adapters import convert
from arena_trees.nodes.geofence_supervisor import GeofenceSupervisorNode
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D

REMAPS = ("-r", "__ns:=/wolf", "-r", "/tf:=tf", "-r", "/tf_static:=tf_static")
ARENA = ("-p", "arena:=arena_4x4")


class Robot:
    """A robot that tells its pose."""

    def __init__(self, bench: NodeBench, name: str) -> None:
        self._clock = bench.observer.get_clock()
        self._tf = bench.speaker(TFMessage, f"/{name}/tf")

    def stand(self, x: float, y: float, since: float = 0.0) -> None:
        """Be at a place, by transforms of so long ago (s)."""
        stamp = self._clock.now().nanoseconds - round(since * 1e9)
        origin = Pose2D(1.0, 0.0, 0.5)
        links = [
            convert.transform_message(origin, "map", "odom", stamp),
            convert.transform_message(origin.relative(Pose2D(x, y)), "odom", "base_link", stamp),
        ]
        self._tf.publish(TFMessage(transforms=links))


def last(messages):
    return messages[-1].data if messages else None


def reported(details, status):
    """Return the words of the newest detail if it tells that status."""
    words = dict(word.split("=") for word in (last(details) or "status=").split())
    return words if words["status"] == status else None


def test_each_zone_is_judged_by_its_own_pose_and_unknown_without_one():
    with NodeBench(GeofenceSupervisorNode, *REMAPS, *ARENA, "-p", "others:=[rabbit]") as bench:
        status = bench.hear(String, "/wolf/geofence/status", 50)
        detail = bench.hear(String, "/wolf/geofence/detail", 50)
        other = bench.hear(String, "/wolf/geofence/rabbit/status", 50)
        bench.until(lambda: last(status) == last(other) == "UNKNOWN", "the verdicts without a pose")
        wolf = Robot(bench, "wolf")
        for place, verdict in (((0.0, 0.0), "SAFE"), ((1.7, 0.0), "WARNING"), ((2.2, 0.0), "BREACH")):
            words = bench.until(
                lambda verdict=verdict: reported(detail, verdict), verdict, lambda place=place: wolf.stand(*place)
            )
            assert words["zone"] == "wolf"
            assert float(words["dist"]) == pytest.approx(2.0 - place[0], abs=0.011)
        assert (float(words["way_x"]), float(words["way_y"])) == pytest.approx((1.73, 0.0), abs=0.02)
        bench.until(lambda: last(status) == "BREACH", "the verdict", lambda: wolf.stand(2.2, 0.0))
        bench.until(lambda: "BREACH" in bench.state(), "diagnostics", lambda: wolf.stand(2.2, 0.0))
        # The rabbit's pose has not come, whatever the wolf's did.
        assert {message.data for message in other} == {"UNKNOWN"}
        rabbit = Robot(bench, "rabbit")
        bench.until(lambda: last(other) == "SAFE", "the rabbit's verdict", lambda: rabbit.stand(0.0, 0.0))
        bench.until(lambda: last(status) == last(other) == "UNKNOWN", "poses growing old")
        before = len(status)
        bench.until(lambda: len(status) > before + 10, "verdicts", lambda: wolf.stand(0.0, 0.0, since=2.0))
        assert {message.data for message in status[before:]} == {"UNKNOWN"}


def test_markers_show_the_fences_in_the_map_ten_times_a_second():
    with NodeBench(GeofenceSupervisorNode, *REMAPS, *ARENA) as bench:
        markers = bench.hear(MarkerArray, "/wolf/geofence/markers")
        wolf = Robot(bench, "wolf")

        def green():
            line = markers[-1].markers[0] if markers else None
            return line is not None and line.color.g > line.color.r and line

        line = bench.until(green, "a green fence", lambda: wolf.stand(0.0, 0.0))
        assert line.type == Marker.LINE_STRIP
        assert line.header.frame_id == "map"
        corners = [(point.x, point.y) for point in line.points]
        assert corners[0] == corners[-1]
        assert set(corners) == {(-2.0, -2.0), (2.0, -2.0), (2.0, 2.0), (-2.0, 2.0)}
        assert line.lifetime.sec > 0
        text = markers[-1].markers[1]
        assert text.text == "wolf: SAFE +2.00 m"
        assert (line.ns, line.id) != (text.ns, text.id)
        begun, before = time.monotonic(), len(markers)
        bench.until(lambda: len(markers) >= before + 20, "twenty verdicts", lambda: wolf.stand(0.0, 0.0))
        assert time.monotonic() - begun > 1.5


def test_what_it_cannot_use_is_named():
    for arguments, text in (
        (REMAPS, "arena"),
        (ARENA, "robot: is required"),
        ((*REMAPS, "-p", "arena:=nowhere"), "nowhere"),
        ((*REMAPS, *ARENA, "-p", "zone:=moose"), "no such fence"),
        ((*REMAPS, *ARENA, "-p", "others:=[wolf]"), "names a zone twice"),
        ((*REMAPS, *ARENA, "-p", "fence.warning_distance:=-1.0"), "warning_distance"),
    ):
        with pytest.raises(ConfigError, match=text):
            NodeBench(GeofenceSupervisorNode, *arguments)
