"""Circles in recordings: they come back to the last bit, and what a tree did with them is replayed tick for tick."""

import math
from dataclasses import replace
from typing import Any

import pytest
from helpers import foreign_bags as ros
from helpers.recorded import measured, play_with, sensed
from hypothesis import given
from hypothesis import strategies as st
from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour
from arena_trees.recording.bags.message_types import typestore
from arena_trees.recording.bags.serialising import serialised
from arena_trees.recording.loading import load_recording
from arena_trees.recording.recording import Recording
from arena_trees.recording.replaying.plan import plan_replay
from arena_trees.recording.replaying.replay import replay
from arena_trees.robot.circles import Circle, Circles
from arena_trees.robot.percepts import Readings
from arena_trees.robot.sensor import RefusedReadingError
from arena_trees.sensors.circles import sensor
from arena_trees.world.body import TURTLEBOT4


class Face(ActionBehaviour):
    """Turns towards the largest circle, the faster the larger it is."""

    def __init__(self, robot: str) -> None:
        super().__init__("Face", robot, ("circles",))

    def update(self) -> Status:
        seen = self.percepts.circles
        circle = None if seen is None else seen.largest
        if circle is None or seen is None:
            self.drive(0.0, 0.5)
        else:
            aside = (seen.image_width / 2.0 - circle.x) / seen.image_width
            self.drive(0.0, aside * circle.quality + 0.01 * circle.radius_sigma)
        return Status.RUNNING


def facing(robot: str, *_: Any) -> Face:
    return Face(robot)


@pytest.fixture(scope="module")
def played(tmp_path_factory) -> tuple[list[Readings], Recording]:
    """Play a wolf that looks for the ball of a rabbit; return its readings, and what was recorded."""
    changes = {
        "seed": 5,
        "duration_s": 6.0,
        "wolf.sensors.sphere_camera.kind": "parametric",
        "wolf.sensors.sphere_camera.width": 320,
        "rabbit.body": {"height": 0.19, "sphere": {"height": 0.35, "diameter": 0.3}},
        "arena_set.random_boxes.count": 0,
        "faults": [{"robot": "wolf", "sensor": "circles", "at_s": 4.0, "for_s": 0.5}],
    }
    _, readings, path = play_with(tmp_path_factory.mktemp("circles"), {"wolf": facing}, "wolf", 300, changes)
    return readings, load_recording(path)


def test_circles_come_back_to_the_last_bit(played):
    readings, recording = played
    got = recording.robots["wolf"].more["circles"]
    assert len(got) > 100 and sum(bool(one.circles) for one in got) > 20
    assert {(one.image_width, one.image_height) for one in got} == {(320, 250)}
    assert measured(got) == sensed(readings, "circles")
    assert "circles" not in recording.robots["rabbit"].more


def test_a_fault_holds_them_back(played):
    readings, _ = played
    instants = {reading.circles.stamp: reading.now for reading in reversed(readings) if reading.circles is not None}
    assert not any(4_020_000_000 < first < 4_480_000_000 for first in instants.values())


def test_what_the_tree_did_is_replayed_tick_for_tick(played):
    recording = played[1]
    result = replay(plan_replay(recording, "wolf", create_root=facing))
    assert result.first is None, result.first and result.first.differences
    assert result.compared == 300


def test_another_circle_makes_another_decision(played):
    recording = played[1]
    wolf = recording.robots["wolf"]
    moved = [
        replace(one, circles=tuple(replace(circle, x=circle.x + 40.0) for circle in one.circles))
        for one in wolf.more["circles"]
    ]
    changed = replace(
        recording, robots={**recording.robots, "wolf": replace(wolf, more={**wolf.more, "circles": moved})}
    )
    assert replay(plan_replay(changed, "wolf", create_root=facing)).first is not None


sides = st.floats(-1e4, 1e4)


CIRCLES = st.builds(Circle, sides, sides, st.floats(1e-3, 1e4), st.floats(0.0, 1.0), st.floats(1e-6, 1e3))


def written(*circles):
    """Return the message that is recorded of circles."""
    _, array = sensor.SENSOR.ros.topics(TURTLEBOT4)
    fields = array.fields(Circles(1, 1, 1, 250, 250, circles))
    return typestore().deserialize_cdr(serialised(array.type, 1_500_000_000, "wolf/camera", fields), array.type)


@given(st.lists(CIRCLES, max_size=4))
def test_any_circle_comes_back_to_the_last_bit(found):
    assert sensor.found(written(*found), (1, 2, 3)).circles == tuple(found)


def test_boxes_of_other_classes_are_no_circles():
    message = written(Circle(1.0, 2.0, 3.0))
    message.detections += ros.detections(1, ("carrot", 1.0, 2.0, 3.0, 4.0)).detections
    assert len(sensor.found(message, (1, 2, 3)).circles) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"x": math.nan}, {"y": math.inf}, {"radius": 0.0}, {"radius": -1.0}, {"radius": math.nan}, {"quality": 1.5},
        {"quality": math.nan}, {"radius_sigma": 1e200},
    ],
)  # fmt: skip
def test_what_is_no_circle_is_refused(change):
    found = sensor.found(written(replace(Circle(1.0, 2.0, 3.0), **change)), (1, 2, 3))
    with pytest.raises(RefusedReadingError, match=r"out of range|not finite"):
        sensor.SENSOR.checked(replace(found, image_width=250, image_height=250))
