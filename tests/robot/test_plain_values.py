"""Values of the blackboard as plain ones."""

import json
from dataclasses import dataclass

import numpy as np
import pytest

from arena_trees.games.wolf_rabbit.messages import ISOLATED
from arena_trees.robot.detections import Detection
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.percepts import FenceStatus
from arena_trees.robot.plain_values import is_frozen, plain_value, restored_value, without_numbers
from arena_trees.robot.ports import NavigationStatus


@dataclass
class Loose:
    """A value that anybody can change."""

    count: int = 0


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (None, None), (True, True), (7, 7), (1.0 / 3.0, 0.333333), (123456789.0, 123457000.0), ("a", "a"),
        (Pose2D(1.0, 2.0, 0.5), [1.0, 2.0, 0.5]), (Twist2D(0.1, -0.2), [0.1, -0.2]),
        (NavigationStatus.ACTIVE, "ACTIVE"), ((1, (2.0, None)), [1, [2.0, None]]), (frozenset("ba"), ["a", "b"]),
        (Detection("carrot", 0.5, 1.0, 2.0, 3.0, 4.0),
         {"label": "carrot", "confidence": 0.5, "x": 1.0, "y": 2.0, "width": 3.0, "height": 4.0}),
        ({FenceStatus.SAFE: 1}, {"SAFE": 1}), (float("nan"), "nan"), (float("-inf"), "-inf"),
        (np.float64(0.25), 0.25), (Loose(), {"count": 0}), (object(), "object"), (len, "builtin_function_or_method"),
    ],
)  # fmt: skip
def test_a_value_becomes_a_plain_one(value: object, plain: object):
    assert plain_value(value) == plain
    json.dumps(plain_value(value), allow_nan=False)


def test_a_message_becomes_its_payload():
    assert plain_value(ISOLATED).keys() == ISOLATED.encode().keys()


@pytest.mark.parametrize(
    ("value", "frozen"),
    [
        (None, True), (1.5, True), (Pose2D(), True), (NavigationStatus.IDLE, True), ((1, Pose2D()), True),
        ([], False), (((), []), False), ({}, False), (Loose(), False), (np.zeros(2), False),
    ],
)  # fmt: skip
def test_only_what_nobody_can_change_is_frozen(value: object, frozen: bool):
    assert is_frozen(value) is frozen


def test_the_steady_part_is_less_its_numbers():
    assert without_numbers((1, 2.5, np.float64(2.5), True, "a", None)) == (0, 0, 0, True, "a", None)
    assert without_numbers(Pose2D(1.0, 2.0)) == without_numbers(Pose2D(3.0, 4.0))
    assert without_numbers(Detection("a", 0.5, 1.0, 2.0, 3.0, 4.0)) != without_numbers(
        Detection("b", 0.5, 1.0, 2.0, 3.0, 4.0)
    )


@dataclass(frozen=True)
class Place:
    """A value as roles have it among their estimates."""

    x: float
    number: int
    seen: bool
    name: str
    far: float | None


@pytest.mark.parametrize("value", [Place(1.5, 2, True, "box", None), Place(-1.0, 0, False, "", 0.5), 7, 2.5, "a"])
def test_a_plain_value_becomes_what_it_was(value: object):
    assert restored_value(type(value), json.loads(json.dumps(plain_value(value)))) == value


def test_a_plain_pose_becomes_what_it_was():
    assert restored_value(Pose2D, plain_value(Pose2D(1.0, -2.0, 0.5))) == Pose2D(1.0, -2.0, 0.5)


@pytest.mark.parametrize(
    ("kind", "plain"),
    [
        (Place, {"x": 1.0}), (Place, None), (Place, [1.0, 2, True, "box", None]), (Pose2D, [1.0, 2.0]), (float, "1.0"),
        (Place, {"x": "nan", "number": 2, "seen": True, "name": "box", "far": None}), (float, float("nan")),
        (Pose2D, {"x": 1.0, "y": 2.0, "yaw": 0.5}), (int, 1.5), (str, 1),
    ],
)  # fmt: skip
def test_what_is_no_such_plain_value_is_refused(kind: type, plain: object):
    with pytest.raises(ValueError):
        restored_value(kind, plain)
