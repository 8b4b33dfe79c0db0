"""The doctor against a real graph: robots with real publishers, each with some things wrong with it."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence

import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")
pytest.importorskip("tf2_msgs", reason="tf2_msgs is not installed")
pytest.importorskip("irobot_create_msgs", reason="irobot_create_msgs is not installed")

import rclpy
from geometry_msgs.msg import Twist, TwistStamped
from helpers.patience import output, until
from helpers.sick_robots import Base, Ward, clock, gate, reliable_listener, rival, rules, speak, tree
from rclpy.context import Context
from rclpy.time import Time
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import LaserScan

from arena_trees.nodes.diagnosis.graph_probe import GraphProbe
from arena_trees.nodes.diagnosis.judgement import Finding, diagnose
from arena_trees.nodes.diagnosis.launch_log import deaths, launch_end
from arena_trees.nodes.diagnosis.robot_monitor import SharedMonitor
from arena_trees.nodes.programs.domains import reserved_domain
from arena_trees.nodes.runtime.diagnostics import STALE, WARN


@pytest.fixture(scope="module")
def domain():
    """A domain that no other test of this process has used: nodes of a test can outlive it."""
    with reserved_domain() as number:
        yield number


def look(domain: int, *namespaces: str, wards: Sequence[Ward]) -> list[list[Finding]]:
    """Return what the doctor finds wrong with each robot, once it has found everybody."""
    expected = set.union(*(ward.names for ward in wards))
    with GraphProbe(domain) as probe:
        there = lambda: {name for namespace in (*namespaces, "/") for name in probe.nodes(namespace)}  # noqa: E731
        until(lambda: expected <= there(), lambda: str(expected - there()), lambda: probe.robots(0.2))
        return [diagnose(state) for state in probe.observe(namespaces, 2.5)]


def names(findings):
    return [finding.name for finding in findings]


@pytest.fixture(scope="module")
def side_by_side(domain):
    """What is found of robots that share nothing, by one look at all of them; none is there of the last one."""
    robots = ("/healthy", "/mute", "/mixed", "/lost", "/old", "/absent")
    # One participant cannot hold two types of one topic.
    with Ward(domain) as other, Ward(domain) as ward:
        Base(ward, "/healthy"), gate(ward, "/healthy"), tree(ward, "/healthy")
        Base(ward, "/mute", listens=None, scan=None, odometry=False, docked=True, wheels=False)
        Base(other, "/mixed", listens=Twist, scan="blind", everywhere=True, links={})
        gate(ward, "/mixed", "latched: stopped by an operator"), rival(ward, "/mixed")
        tree(ward, "/mixed", active=False)
        Base(ward, "/lost", scan="best effort", links={"base_link": "odom"}), reliable_listener(ward, "/lost")
        gate(ward, "/lost", "localisation lost, no command"), tree(ward, "/lost", fault="Patrol: division by zero")
        Base(ward, "/old", stale="odom"), gate(ward, "/old"), tree(ward, "/old")
        return dict(zip(robots, look(domain, *robots, wards=[ward, other]), strict=True))


def test_nothing_is_found_on_a_robot_that_can_move(side_by_side):
    assert names(side_by_side["/healthy"]) == []


def test_where_there_is_no_robot_it_is_said_where_one_is(side_by_side):
    absent = side_by_side["/absent"]
    assert names(absent) == ["nothing_there"]
    assert "/healthy" in absent[0].shows


def test_a_base_that_is_silent_docked_and_stopped_and_alone(side_by_side):
    sensing = ["no_cmd_vel_subscriber", "wheels_off", "docked", "no_scan", "no_odometry"]
    assert names(side_by_side["/mute"]) == [*sensing, "tree_missing", "gate_missing"]


def test_a_base_of_another_type_with_a_rival_a_blind_lidar_and_a_latched_gate(side_by_side):
    found = side_by_side["/mixed"]
    inputs = ["cmd_vel_type", "two_publishers", "scan_without_return", "tf_elsewhere", "no_pose"]
    assert names(found) == [*inputs, "tree_inactive", "gate_latched"]
    reported = {finding.name: finding for finding in found}
    assert "stopped by an operator" in reported["gate_latched"].wrong
    assert "/mixed/rival" in reported["two_publishers"].wrong
    assert "geometry_msgs/msg/TwistStamped and listened to as geometry_msgs/msg/Twist" in reported["cmd_vel_type"].wrong


def test_a_robot_that_does_not_know_where_it_is(side_by_side):
    found = side_by_side["/lost"]
    assert names(found) == ["qos", "no_pose", "tree_latched", "gate_stops"]
    reported = {finding.name: finding for finding in found}
    assert "/lost/listener cannot hear /lost/turtlebot on /lost/scan" in reported["qos"].wrong
    assert "map -> odom" in reported["no_pose"].wrong
    assert "division by zero" in reported["tree_latched"].wrong


def test_a_pose_that_is_old(side_by_side):
    found = side_by_side["/old"]
    assert names(found) == ["stale_tf"]
    assert "map -> odom" in found[0].wrong


def test_a_robot_whose_clock_is_late_after_the_round(domain):
    with Ward(domain) as ward:
        Base(ward, "/late", scan="unplaced", clock_off=-30.0), gate(ward, "/late", "ok")
        tree(ward, "/late", silent=True, isolated=False), rules(ward, "caught")
        (found,) = look(domain, "/late", wards=[ward])
    transforms = ["no_scan_frame", "stale_tf", "stale_tf"]
    assert names(found) == ["clocks_apart", *transforms, "tree_silent", "game_over"]


def test_simulated_time_that_nobody_publishes(domain):
    with Ward(domain) as ward:
        Base(ward, "/wolf"), gate(ward, "/wolf", sim_time=True), tree(ward, "/wolf", sim_time=True)
        (found,) = look(domain, "/wolf", wards=[ward])
    assert names(found) == ["sim_time_without_clock"]


def test_simulated_time_that_stands_and_a_node_in_real_time(domain):
    with Ward(domain) as ward:
        clock(ward, 100.0), Base(ward, "/wolf", stamp=100.0)
        gate(ward, "/wolf", sim_time=True), tree(ward, "/wolf")
        (found,) = look(domain, "/wolf", wards=[ward])
    assert names(found) == ["clock_stands", "clocks_mixed"]


def test_a_clock_that_goes_back_goes_on(domain):
    context = Context()
    rclpy.init(context=context, domain_id=domain)
    node = rclpy.create_node("simulation", context=context)
    publisher = node.create_publisher(Clock, "/clock", 1)
    shared = SharedMonitor(node)
    for number, seconds in enumerate((100, 101, 102, 90, 91)):

        def publish(seconds=seconds):
            publisher.publish(Clock(clock=Time(seconds=seconds).to_msg()))
            time.sleep(0.01)
            shared.take()

        until(lambda number=number: shared.clock_count > number, "the time", publish)
    assert shared.clock_advanced == 3.0
    node.destroy_node()
    rclpy.shutdown(context=context)


def test_two_where_one_should_be_and_what_nodes_say_of_themselves(domain, monkeypatch, tmp_path):
    log = tmp_path / "latest" / "launch.log"
    log.parent.mkdir()
    log.write_text(REFUSED)
    monkeypatch.setenv("ROS_LOG_DIR", str(tmp_path))
    with Ward(domain) as other, Ward(domain) as ward:
        Base(other, "/one", listens=Twist), gate(ward, "/one"), tree(ward, "/one", status=(WARN, "ticks at 31.0 Hz"))
        # It hears the gate, and the base does not.
        ward.node("listener", "/one").create_subscription(TwistStamped, "cmd_vel", lambda message: None, 1)
        rival(ward, "/one", LaserScan, "scan")
        speak(ward, ward.node("sign_detector", "/one"), STALE, "no image for 3.0 s")
        Base(ward, "/two"), gate(ward, "/two"), gate(other, "/two"), tree(ward, "/two", status=None)
        rival(ward, "/two", topic="cmd_vel_raw")
        Base(ward, "/refused"), gate(ward, "/refused", "latched: command not finite")
        speak(ward, ward.node("arena_simulator", "/"), WARN, "only 0.48 times real time: the machine is too slow")
        one, two, refused = look(domain, "/one", "/two", "/refused", wards=[ward, other])
    assert names(one) == ["cmd_vel_type", "two_sources", "slow", "slow", "node_says"]
    assert "geometry_msgs/msg/Twist by /one/turtlebot" in one[0].wrong
    assert "/one/rival, /one/turtlebot" in one[1].wrong
    assert "0.48 times real time" in one[2].wrong
    assert "/one/tree says: ticks at 31.0 Hz" in one[3].wrong
    assert "/one/sign_detector says: no image for 3.0 s" in one[4].wrong
    assert names(two) == ["two_publishers", "two_trees", "slow", "node_silent"]
    assert "2 publishers: /two/velocity_gate, /two/velocity_gate" in two[0].wrong
    assert "/two/rival, /two/tree" in two[1].wrong
    assert names(refused) == ["slow", "node_ended", "gate_latched"]
    assert "chase_kpp: unknown key (got 1.0)" in refused[1].wrong


REFUSED = """\
1795459031.1611955 [INFO] [refused.tree_node-1]: process started with pid [27155]
1795459034.4672070 [refused.tree_node-1] error: /refused/tree: chase_kpp: unknown key (got 1.0)
1795459034.4672075 [ERROR] [refused.tree_node-1]: process has died [pid 27155, exit code 2, cmd '/usr/bin/python3 -m \
arena_trees.nodes.tree_node --ros-args --ros-args -r __node:=tree -r __ns:=/refused --params-file /tmp/wolf.yaml'].
1795459035.1611955 [INFO] [spoilt.tree_node-2]: process started with pid [27157]
1795459036.4672075 [ERROR] [spoilt.tree_node-2]: process has died [pid 27157, exit code -9, cmd '/usr/bin/python3 -m \
arena_trees.nodes.tree_node --ros-args --ros-args -r __node:=tree -r __ns:=/spoilt'].
1795459038.1611955 [INFO] [spoilt.tree_node-2]: process started with pid [27158]
"""
"""Lines that the log of a real launch had."""


def test_of_a_launch_only_what_has_not_been_started_again_has_ended(tmp_path):
    file = tmp_path / "launch.log"
    assert deaths(file) == {}
    file.write_text(REFUSED)
    ended = deaths(file)
    assert {node: (death.code, death.words) for node, death in ended.items()} == {
        "/refused/tree": (2, "error: /refused/tree: chase_kpp: unknown key (got 1.0)")
    }
    file.write_bytes(b"\xff\x00" * 1000 + REFUSED[:300].encode())
    assert deaths(file) == {}


def test_a_launch_that_refused_its_parameter_file_has_a_reason(tmp_path):
    file = tmp_path / "launch.log"
    assert launch_end(file) is None
    file.write_text(REFUSED)
    assert launch_end(file) is None, "it goes on without the program"
    file.write_text(ENDED)
    end = launch_end(file)
    assert end is not None and end.words == "params_file: /tmp/fox.yaml: /fox/tree: is about none of /wolf/tree"


ENDED = """\
1795459030.1611955 [INFO] [launch]: All log files can be found below /home/lab/.ros/log/2026-11-23-17-57-10-156148-lab-1
1795459030.1621955 [ERROR] [launch]: Caught exception in launch (see debug for traceback): params_file: /tmp/fox.yaml: \
/fox/tree: is about none of /wolf/tree
"""


def test_a_doctor_that_is_late_itself_takes_no_transform_for_old(domain, monkeypatch):
    """Looking at the graph takes long on a busy machine, and meanwhile it hears nothing."""

    def slow(name):
        original = getattr(GraphProbe, name)

        def looks(self, known):
            time.sleep(0.8)
            return original(self, known)

        return looks

    with Ward(domain) as ward:
        for robot in ("/one", "/two"):
            Base(ward, robot), gate(ward, robot), tree(ward, robot)
        for name in ("_topics", "_silent"):
            monkeypatch.setattr(GraphProbe, name, slow(name))
        found = look(domain, "/one", "/two", wards=[ward])
    assert [names(findings) for findings in found] == [[], []]


@pytest.mark.slow
def test_nodes_that_are_stopped_are_named_with_their_processes(domain, spawn):
    """Not as missing: who launches the robot anew would have two of them."""
    options = ("-r", "__ns:=/hung", "-p", "role:=wolf", "-p", "arena:=arena_4x4", "-p", "zone:=wolf")
    environment = {**os.environ, "ROS_DOMAIN_ID": str(domain)}
    with Ward(domain) as ward:
        Base(ward, "/hung")
        hung = {module: spawn(module, *options, env=environment) for module in ("tree_node", "velocity_gate")}
        with GraphProbe(domain) as probe:
            there = lambda: set(probe.nodes("/hung")) >= {"/hung/tree", "/hung/velocity_gate"}  # noqa: E731
            until(there, "tree and gate", lambda: probe.robots(0.2))
        for process in hung.values():
            process.send_signal(signal.SIGSTOP)
        (found,) = look(domain, "/hung", wards=[ward])
    assert [finding.name for finding in found if finding.name == "node_stopped"] == ["node_stopped"] * 2
    assert f"its process {hung['tree_node'].pid} on this machine is stopped" in found[-2].wrong
    assert f"kill -9 {hung['velocity_gate'].pid}" in found[-1].remedy


@pytest.mark.slow
def test_a_tree_that_sleeps_and_is_heard_is_not_hung(domain, spawn, monkeypatch):
    """A doctor whom /diagnostics does not reach told people to kill it, for its process was there."""
    monkeypatch.setattr(SharedMonitor, "_on_diagnostics", lambda *_: None)
    options = ("-r", "__ns:=/calm", "-p", "role:=wolf", "-p", "arena:=arena_4x4", "-p", "zone:=wolf")
    with Ward(domain) as ward:
        Base(ward, "/calm"), gate(ward, "/calm")
        heard: list[TwistStamped] = []
        ward.node("witness", "/calm").create_subscription(TwistStamped, "cmd_vel_raw", heard.append, 1)
        process = spawn("tree_node", *options, env={**os.environ, "ROS_DOMAIN_ID": str(domain)})
        until(lambda: heard, "commands of the tree")
        with GraphProbe(domain) as probe:
            until(lambda: "/calm/tree" in probe.nodes("/calm"), "the tree", lambda: probe.robots(0.2))
            (state,) = probe.observe(["/calm"], 2.5)
    assert state.processes["/calm/tree"].pid == process.pid and not state.processes["/calm/tree"].is_stopped
    assert state.processes["/calm/tree"].age > 0.0 and state.streams["/calm/cmd_vel_raw"].count > 0
    assert not [finding for finding in diagnose(state) if "kill" in finding.remedy or "/calm/tree" in finding.wrong]


def doctor(*arguments, **environment):
    """Run the command and return its exit code and what it says in JSON."""
    command = [sys.executable, "-m", "arena_trees", "doctor", "--json", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment})
    assert done.stderr == ""
    return done.returncode, json.loads(done.stdout)


def test_the_command_finds_every_robot_and_says_that_nothing_is_wrong(domain):
    with Ward(domain) as ward:
        Base(ward, "/wolf"), gate(ward, "/wolf"), tree(ward, "/wolf")
        code, said = doctor("--seconds", "3", ROS_DOMAIN_ID=str(domain))
    assert (code, [(one["namespace"], one["findings"]) for one in said]) == (0, [("/wolf", [])])


def test_a_robot_that_appears_while_the_command_listens_is_judged_too(domain):
    command = [sys.executable, "-m", "arena_trees", "doctor", "--json", "--seconds", "3"]
    environment = {**os.environ, "ROS_DOMAIN_ID": str(domain)}
    with Ward(domain) as ward:
        witness = ward.node("witness", "/elsewhere")
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
            # It has found nobody, and listens to a robot without a namespace.
            until(lambda: witness.count_subscribers("/odom"), "the command's ears")
            Base(ward, "/late"), gate(ward, "/late"), tree(ward, "/late")
            said = json.loads(output(process)[0])
    assert (process.returncode, [(one["namespace"], one["findings"]) for one in said]) == (0, [("/late", [])])


def test_the_command_says_that_discovery_is_off():
    code, said = doctor("--seconds", "0.5", ROS_AUTOMATIC_DISCOVERY_RANGE="OFF")
    assert code == 1
    assert [finding["name"] for finding in said[0]["findings"]] == ["discovery_off"]
