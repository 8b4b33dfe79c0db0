"""Who may speak on ``cmd_vel``, and of which type it is."""

from types import SimpleNamespace

import pytest

from arena_trees.nodes.diagnosis.graph_state import Endpoint
from arena_trees.nodes.gate.cmd_vel import PLAIN, STAMPED, choose_stamped, endpoints, listeners, others


def nodes(*names, kind=STAMPED):
    return tuple(Endpoint(name, kind) for name in names)


@pytest.mark.parametrize(
    ("setting", "wanted", "present", "distribution", "stamped"),
    [
        ("true", {PLAIN}, None, "humble", True),
        ("false", {STAMPED}, None, "jazzy", False),
        ("auto", {STAMPED}, None, "humble", True),
        ("auto", {PLAIN}, True, "jazzy", False),
        ("auto", set(), None, "humble", False),
        ("auto", set(), None, "jazzy", True),
        ("auto", set(), None, "", True),
        ("auto", set(), False, "jazzy", False),
        ("auto", {PLAIN, STAMPED}, False, "jazzy", False),
        ("auto", {PLAIN, STAMPED}, None, "jazzy", True),
        ("auto", {"std_msgs/msg/String"}, None, "humble", False),
    ],
)
def test_the_type_is_by_parameter_or_by_subscribers_or_by_distribution(setting, wanted, present, distribution, stamped):
    chosen, why = choose_stamped(setting, wanted, present, distribution)
    assert chosen is stamped
    assert why


def test_onlookers_do_not_choose_the_type():
    ends = nodes("/wolf/base", "/wolf/_ros2cli_123", "/rosbag2_recorder", "/_game_watch")
    assert listeners(ends) == nodes("/wolf/base")


@pytest.mark.parametrize(
    ("publishers", "strangers"),
    [
        ((), ()),
        (("/wolf/velocity_gate",), ()),
        (("/wolf/velocity_gate", "/wolf/velocity_gate"), ("/wolf/velocity_gate",)),
        (("/wolf/velocity_gate", "/velocity_gate"), ("/velocity_gate",)),
        (("/wolf/velocity_gate", "/wolf/teleop_twist_joy_node"), ()),
        (("/wolf/velocity_gate", "/wolf/nav2", "/a"), ("/a", "/wolf/nav2")),
    ],
)
def test_others_are_all_but_ourselves_and_those_who_may(publishers, strangers):
    assert others(nodes(*publishers), "/wolf/velocity_gate", {"teleop_twist_joy_node"}) == strangers


def test_names_are_full():
    info = SimpleNamespace(node_namespace="/", node_name="base", topic_type=PLAIN, qos_profile=None)
    deep = SimpleNamespace(node_namespace="/wolf", node_name="base", topic_type=PLAIN, qos_profile=None)
    assert endpoints([info, deep]) == nodes("/base", "/wolf/base", kind=PLAIN)
