"""The interface packages that are built for the tests are the originals on the wire."""

import importlib
from pathlib import Path

import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")
pytest.importorskip("vision_msgs.msg", reason="the interface packages are not built (make test builds them with g++)")

import rclpy
from rclpy.action import ActionServer
from rclpy.context import Context

FOLDER = Path(__file__).parent / "interfaces"
DEFINITIONS = sorted(path for kind in ("msg", "srv", "action") for path in FOLDER.rglob(f"*.{kind}"))
ORIGINALS = dict(line.split() for line in (FOLDER / "hashes.txt").read_text().splitlines() if line[0] != "#")


@pytest.fixture(scope="module")
def node():
    with Context() as context:
        node = rclpy.create_node("interfaces", context=context)
        yield node
        node.destroy_node()


def hashes(node, definition):
    """Return what DDS tells of the types of a message, a service or an action, by the type's name."""
    package, kind, name = definition.parts[-3], definition.parts[-2], definition.stem
    found = getattr(importlib.import_module(f"{package}.{kind}"), name)
    topic = f"{package}_{name}"
    if kind == "msg":
        node.create_publisher(found, topic, 1)
        ends = {"": node.get_publishers_info_by_topic(f"/{topic}")}
    elif kind == "srv":
        node.create_service(found, topic, lambda request, response: response)
        ends = {
            "_Request": node.get_subscriptions_info_by_topic(f"rq/{topic}Request", no_mangle=True),
            "_Response": node.get_publishers_info_by_topic(f"rr/{topic}Reply", no_mangle=True),
        }
    else:
        server = ActionServer(node, found, topic, lambda goal: None)
        inside = f"{topic}/_action"
        ends = {
            "_SendGoal_Request": node.get_subscriptions_info_by_topic(f"rq/{inside}/send_goalRequest", no_mangle=True),
            "_GetResult_Response": node.get_publishers_info_by_topic(f"rr/{inside}/get_resultReply", no_mangle=True),
            "_FeedbackMessage": node.get_publishers_info_by_topic(f"/{inside}/feedback"),
        }
        server.destroy()
    return {f"{package}/{kind}/{name}{part}": str(infos[0].topic_type_hash) for part, infos in ends.items()}


@pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda path: f"{path.parts[-3]}.{path.stem}")
def test_type_hashes_are_those_of_the_originals(node, definition):
    found = hashes(node, definition)
    assert found == {name: ORIGINALS[name] for name in found}


def test_every_recorded_hash_is_of_a_definition():
    known = {f"{path.parts[-3]}/{path.parts[-2]}/{path.stem}" for path in DEFINITIONS}
    for name in ORIGINALS:
        assert any(name == one or name.startswith(f"{one}_") for one in known), name


# What a type's hash does not cover: the numbers behind the names.
CONSTANTS = {
    "irobot_create_msgs.HazardDetection": {
        "BACKUP_LIMIT": 0, "BUMP": 1, "CLIFF": 2, "STALL": 3, "WHEEL_DROP": 4, "OBJECT_PROXIMITY": 5,
    },
    "py_trees_ros_interfaces.Behaviour": {
        "INVALID": 1, "RUNNING": 2, "SUCCESS": 3, "FAILURE": 4, "BEHAVIOUR": 1, "SEQUENCE": 2, "SELECTOR": 3,
        "PARALLEL": 4, "CHOOSER": 5, "DECORATOR": 6,
    },
}  # fmt: skip


@pytest.mark.parametrize("name", CONSTANTS)
def test_constants_are_those_of_the_originals(name):
    package, _, kind = name.partition(".")
    found = getattr(importlib.import_module(f"{package}.msg"), kind)
    assert {key: getattr(found, key) for key in CONSTANTS[name]} == CONSTANTS[name]
