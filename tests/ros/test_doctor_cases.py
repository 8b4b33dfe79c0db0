"""The doctor's judgement, one kind of case after the other: what is seen of a robot, and all that is found wrong.

Judgement is a function of the graph's state, so each state is written down here as the probe gathers it. That it does
gather it, from nodes of a real graph, is tested in ``test_doctor.py``:

=====================================  ==========================================================================
kind of case                           with real nodes
=====================================  ==========================================================================
tree killed, gate killed               test_a_base_that_is_silent_docked_and_stopped_and_alone (nodes missing)
tree stopped, gate stopped             test_nodes_that_are_stopped_are_named_with_their_processes
tree sleeps                            test_a_tree_that_sleeps_and_is_heard_is_not_hung
LiDAR hangs, docked, base killed       test_a_base_that_is_silent_docked_and_stopped_and_alone
a rival on cmd_vel                     test_a_base_of_another_type_with_a_rival_a_blind_lidar_and_a_latched_gate
a rival on cmd_vel_raw, NaN, two       test_two_where_one_should_be_and_what_nodes_say_of_themselves
LiDARs, overload, two launches, wrong
type beside the right one, refused
parameters of tree or gate, bad value
or namespace
a clock that goes back                 test_a_clock_that_goes_back_goes_on
clocks that differ                     test_a_robot_whose_clock_is_late_after_the_round
no localisation                        test_a_robot_that_does_not_know_where_it_is
another domain                         test_nothing_is_found_on_a_robot_that_can_move (nobody is there)
discovery off                          test_the_command_says_that_discovery_is_off
healthy pairs of robots                test_a_doctor_that_is_late_itself_takes_no_transform_for_old
=====================================  ==========================================================================
"""

from dataclasses import replace

import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")

from rclpy.qos import QoSProfile

from arena_trees.nodes.diagnosis.graph_state import Endpoint, Environment, GraphState, Link, Status, Stream
from arena_trees.nodes.diagnosis.judgement import diagnose
from arena_trees.nodes.diagnosis.launch_log import Death, LaunchEnd
from arena_trees.nodes.diagnosis.local_processes import LocalProcess
from arena_trees.nodes.runtime.diagnostics import ERROR, OK, WARN

QOS = QoSProfile(depth=1)
STAMPED, PLAIN = "geometry_msgs/msg/TwistStamped", "geometry_msgs/msg/Twist"
SCAN = "sensor_msgs/msg/LaserScan"


def end(node, kind=STAMPED):
    return Endpoint(f"/wolf/{node}", kind, QOS)


def says(message, level=OK, **values):
    return Status(level, message, {key.replace("_", " "): value for key, value in values.items()})


TREE = says("Chase", state="ACTIVE", fault="", isolated="true")
GATE = Status(OK, "ok", {"scan age (s)": "0.010", "pose age (s)": "0.010"})

HEALTHY = GraphState(
    namespace="/wolf",
    environment=Environment(0, "rmw_fastrtps_cpp"),
    seconds=5.0,
    nodes=("/wolf/rplidar", "/wolf/tree", "/wolf/turtlebot", "/wolf/velocity_gate"),
    robots=("/wolf",),
    publishers={
        "/wolf/cmd_vel": (end("velocity_gate"),),
        "/wolf/cmd_vel_raw": (end("tree"),),
        "/wolf/scan": (end("rplidar", SCAN),),
        "/wolf/tf": (end("turtlebot", "tf2_msgs/msg/TFMessage"),),
    },
    subscribers={"/wolf/cmd_vel": (end("turtlebot"),)},
    clock_publishers=0,
    clock_count=0,
    clock_advanced=0.0,
    diagnostics={"/wolf/tree": TREE, "/wolf/velocity_gate": GATE},
    streams={
        "/wolf/scan": Stream(38, 0.02, 38),
        "/wolf/odom": Stream(100, 0.01),
        "/wolf/cmd_vel_raw": Stream(250, 0.01),
    },
    scan_frame="rplidar_link",
    links={
        ("map", "odom"): Link(0.1, False),
        ("odom", "base_link"): Link(0.05, False),
        ("base_link", "rplidar_link"): Link(4.0, True),
    },
    gate=("no command", "ok"),
    docked=False,
    wheels_enabled=True,
)


def seen(*without, deaths=None, processes=None, **fields):
    """Return the healthy robot without some of its nodes, and with other fields; maps are merged."""
    gone = {f"/wolf/{name}" for name in without}
    state = replace(
        HEALTHY,
        nodes=tuple(name for name in HEALTHY.nodes if name not in gone),
        diagnostics={node: said for node, said in HEALTHY.diagnostics.items() if node not in gone},
        publishers=_without(HEALTHY.publishers, gone),
        subscribers=_without(HEALTHY.subscribers, gone),
        deaths=deaths or {},
        processes=processes or {},
    )
    if "tree" in without:
        fields.setdefault("streams", {"/wolf/cmd_vel_raw": None})
    for name, value in fields.items():
        if isinstance(value, dict):
            merged = {**getattr(state, name), **value}
            value = {key: one for key, one in merged.items() if one is not None}
        state = replace(state, **{name: value})
    return state


def _without(ends, gone):
    left = {topic: tuple(one for one in those if one.node not in gone) for topic, those in ends.items()}
    return {topic: those for topic, those in left.items() if those}


REFUSED = "error: /wolf/velocity_gate: max_linaer: unknown key (got 0.1)"
NO_SECTION = "params_file: wolf.yaml: /wolfe: is about none of /wolf/tree, /wolf/velocity_gate"
CASES = {
    "tree killed": (
        seen("tree", gate=("ok", "latched: tree died while moving")),
        {"tree_missing": "/wolf/tree does not run", "gate_latched": "tree died while moving"},
    ),
    "tree ended while the doctor listened": (
        seen(nodes=("/wolf/rplidar", "/wolf/turtlebot", "/wolf/velocity_gate"), gate=("no command",)),
        {"tree_missing": "/wolf/tree does not run", "gate_stops": "no command"},
    ),
    "tree stopped": (
        seen(
            "tree",
            gate=("latched: tree died while moving",),
            processes={"/wolf/tree": LocalProcess(7, "is stopped", 300.0)},
        ),
        {"node_stopped": "/wolf/tree does not go on, for its process 7", "gate_latched": "tree died while moving"},
    ),
    "gate stopped": (
        seen(
            "velocity_gate",
            gate=(),
            processes={"/wolf/velocity_gate": LocalProcess(8, "is stopped", 300.0)},
            diagnostics={"/wolf/tree": says("gate silent", ERROR, state="ACTIVE", fault="", isolated="true")},
        ),
        {"node_stopped": "/wolf/velocity_gate does not go on, for its process 8"},
    ),
    "tree sleeps, as it does between ticks, and its commands are heard": (
        seen(diagnostics={"/wolf/tree": None}, processes={"/wolf/tree": LocalProcess(7, "sleeps", 300.0)}),
        {},
    ),
    "gate sleeps, and its state is heard": (
        seen(
            diagnostics={"/wolf/velocity_gate": None},
            publishers={"/wolf/velocity_gate/state": (end("velocity_gate", "std_msgs/msg/String"),)},
            processes={"/wolf/velocity_gate": LocalProcess(8, "sleeps", 300.0)},
        ),
        {},
    ),
    "tree hangs": (
        seen(
            diagnostics={"/wolf/tree": None},
            streams={"/wolf/cmd_vel_raw": None},
            gate=("latched: tree died while moving",),
            processes={"/wolf/tree": LocalProcess(7, "sleeps", 300.0)},
        ),
        {"node_hangs": "/wolf/tree hangs", "gate_latched": "tree died while moving"},
    ),
    "a tree hangs beside another one that commands": (
        seen(
            diagnostics={"/wolf/tree": None},
            publishers={"/wolf/cmd_vel_raw": (end("tree"), end("rival"))},
            processes={"/wolf/tree": LocalProcess(7, "runs", 300.0)},
        ),
        {"two_trees": "/wolf/rival, /wolf/tree", "node_hangs": "/wolf/tree hangs"},
    ),
    "tree is just starting": (
        seen(
            diagnostics={"/wolf/tree": None},
            streams={"/wolf/cmd_vel_raw": None},
            gate=("no command",),
            processes={"/wolf/tree": LocalProcess(7, "runs", 4.0)},
        ),
        {"node_unheard": "its process 7 on this machine runs", "gate_stops": "no command"},
    ),
    "tree sleeps where the doctor does not see it": (
        seen("tree", gate=("no command",), processes={"/wolf/tree": LocalProcess(7, "sleeps", 300.0)}),
        {"node_unheard": "its process 7 on this machine sleeps", "gate_stops": "no command"},
    ),
    "gate hangs on another machine, and is on the graph yet": (
        seen(diagnostics={"/wolf/velocity_gate": None}, gate=()),
        {"node_silent": "/wolf/velocity_gate is on the graph and says nothing"},
    ),
    "LiDAR hangs": (
        seen(streams={"/wolf/scan": None}, scan_frame=None, gate=("ok", "scan stale"), nodes=HEALTHY.nodes[1:]),
        {"no_scan": "nothing comes on /wolf/scan"},
    ),
    "gate killed": (seen("velocity_gate", gate=()), {"gate_missing": "/wolf/velocity_gate does not run"}),
    "a rival on cmd_vel_raw": (
        seen(publishers={"/wolf/cmd_vel_raw": (end("tree"), end("rival"))}, gate=("two trees command the robot",)),
        {"two_trees": "/wolf/rival, /wolf/tree", "gate_stops": "two trees command the robot"},
    ),
    "a rival on cmd_vel": (
        seen(
            publishers={"/wolf/cmd_vel": (end("velocity_gate"), end("rival"))},
            gate=("another publisher on cmd_vel: /wolf/rival",),
        ),
        {"two_publishers": "/wolf/rival, /wolf/velocity_gate", "gate_stops": "/wolf/rival"},
    ),
    "NaN": (seen(gate=("ok", "latched: command not finite")), {"gate_latched": "command not finite"}),
    "two LiDARs": (
        seen(publishers={"/wolf/scan": (end("rplidar", SCAN), end("flood", SCAN))}),
        {"two_sources": "/wolf/flood, /wolf/rplidar"},
    ),
    "simulated time that goes on, though it went back": (
        seen(clock_publishers=1, clock_count=250, clock_advanced=5.0),
        {},
    ),
    "tree launched again": (
        seen(gate=("latched: tree died while moving",)),
        {"gate_latched": "tree died while moving"},
    ),
    "two launches": (
        seen(
            publishers={
                "/wolf/cmd_vel": (end("velocity_gate"), end("velocity_gate")),
                "/wolf/cmd_vel_raw": (end("tree"), end("tree")),
            }
        ),
        {"two_publishers": "2 publishers: /wolf/velocity_gate, /wolf/velocity_gate", "two_trees": "tree, /wolf/tree"},
    ),
    "clock of the robot late by 0.8 s": (
        seen(
            streams={"/wolf/scan": Stream(38, 0.82, 38), "/wolf/odom": Stream(100, 0.81)}, gate=("localisation lost",)
        ),
        {"clocks_apart": "/wolf/odom, /wolf/scan", "gate_stops": "localisation lost"},
    ),
    "docked": (seen(docked=True, gate=("docked",)), {"docked": "on its dock", "gate_stops": "docked"}),
    "no localisation": (
        seen(links={("map", "odom"): None}, gate=("localisation lost",)),
        {"no_pose": "map -> odom", "gate_stops": "localisation lost"},
    ),
    "base killed": (
        seen(
            "turtlebot",
            links={("odom", "base_link"): None},
            streams={"/wolf/odom": None},
            docked=None,
            wheels_enabled=None,
            gate=("latched: localisation lost",),
        ),
        {
            "no_cmd_vel_subscriber": "cmd_vel has no subscriber",
            "no_odometry": "/wolf/odom",
            "no_pose": "odom -> base_link",
            "gate_latched": "localisation lost",
        },
    ),
    "another domain": (
        replace(HEALTHY, nodes=(), robots=("/rabbit",), publishers={}, subscribers={}),
        {"nothing_there": "nothing of /wolf is on this graph"},
    ),
    "discovery off": (
        replace(HEALTHY, environment=Environment(0, "rmw_fastrtps_cpp", "OFF")),
        {"discovery_off": "finds no other process"},
    ),
    "wrong type forced, beside a listener of that type": (
        seen(subscribers={"/wolf/cmd_vel": (end("turtlebot", PLAIN), end("plotter"))}),
        {"cmd_vel_type": f"published as {STAMPED} and listened to as {PLAIN} by /wolf/turtlebot"},
    ),
    "wrong namespace of a fence, or a bad value": (
        seen("tree", deaths={"/wolf/tree": Death(9.0, 2, "error: fences: no such fence (got 'rabit')")}),
        {"node_ended": "no such fence (got 'rabit')"},
    ),
    "a key that the tree does not know": (
        seen("tree", deaths={"/wolf/tree": Death(9.0, 2, "error: /wolf/tree: chase_kpp: unknown key (got 1.0)")}),
        {"node_ended": "chase_kpp: unknown key"},
    ),
    "a key that the gate does not know": (
        seen("velocity_gate", gate=(), deaths={"/wolf/velocity_gate": Death(9.0, 2, REFUSED)}),
        {"node_ended": "max_linaer: unknown key"},
    ),
    "the launch refused its parameter file, and the base runs": (
        seen("tree", "velocity_gate", gate=(), launch_end=LaunchEnd(9.0, NO_SECTION)),
        {"launch_ended": NO_SECTION, "tree_missing": "/wolf/tree", "gate_missing": "/wolf/velocity_gate"},
    ),
    "the launch refused its parameter file, and nothing is there": (
        replace(HEALTHY, nodes=(), publishers={}, subscribers={}, launch_end=LaunchEnd(9.0, NO_SECTION)),
        {"launch_ended": NO_SECTION, "nothing_there": "nothing of /wolf"},
    ),
    "another launch failed, and this robot is well": (replace(HEALTHY, launch_end=LaunchEnd(9.0, "boom")), {}),
    "a launch failed yesterday, and today the tree is killed": (
        seen("tree", gate=("no command",), launch_end=LaunchEnd(86_400.0, "boom")),
        {"tree_missing": "/wolf/tree does not run", "gate_stops": "no command"},
    ),
    "overload": (
        seen(
            diagnostics={
                "/arena_simulator": says("only 0.48 times real time: the machine is too slow", WARN),
                "/wolf/tree": says("ticks at 31.0 Hz", WARN, state="ACTIVE", fault="", isolated="true"),
            }
        ),
        {"slow": "0.48 times real time", "slow again": "ticks at 31.0 Hz"},
    ),
    "the second of two robots, healthy": (replace(HEALTHY, robots=("/rabbit", "/wolf")), {}),
}


@pytest.mark.parametrize("case", CASES)
def test_all_that_is_wrong_is_found_and_nothing_else(case):
    state, expected = CASES[case]
    found = diagnose(state)
    assert [finding.name for finding in found] == [name.removesuffix(" again") for name in expected]
    for finding, words in zip(found, expected.values(), strict=True):
        assert words in finding.wrong
        assert "$" not in finding.wrong + finding.shows + finding.remedy


def killed(case):
    """Return which findings of a case tell people to kill a process."""
    return [finding.name for finding in diagnose(CASES[case][0]) if "kill" in finding.remedy]


def test_who_is_stopped_or_hangs_is_ended_before_anything_is_launched_and_nobody_else_is():
    (stopped, _) = diagnose(CASES["tree stopped"][0])
    assert stopped.remedy.index("kill -9 7") < stopped.remedy.index("launch the robot anew")
    assert {case: killed(case) for case in CASES if killed(case)} == {
        "tree stopped": ["node_stopped"],
        "gate stopped": ["node_stopped"],
        "tree hangs": ["node_hangs"],
        "a tree hangs beside another one that commands": ["node_hangs"],
    }


def test_of_who_hangs_it_is_said_what_was_observed():
    (hangs, _) = diagnose(CASES["tree hangs"][0])
    assert "nothing of it came on /diagnostics or /wolf/cmd_vel_raw in 5 s" in hangs.shows
    assert "its process 7 on this machine was started 300 s ago and sleeps" in hangs.shows
