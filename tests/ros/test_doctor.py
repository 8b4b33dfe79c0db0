"""The doctor against a real graph: robots with real publishers, each with some things wrong with it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence

import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")
pytest.importorskip("tf2_msgs", reason="tf2_msgs is not installed")
pytest.importorskip("irobot_create_msgs", reason="irobot_create_msgs is not installed")

from geometry_msgs.msg import Twist
from helpers.patience import output, until
from helpers.sick_robots import Base, Ward, clock, gate, reliable_listener, rival, rules, tree

from arena_trees.nodes.diagnosis.graph_probe import GraphProbe
from arena_trees.nodes.diagnosis.judgement import Finding, diagnose
from arena_trees.nodes.programs.domains import reserved_domain


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


def test_nothing_is_found_on_a_robot_that_can_move(domain):
    with Ward(domain) as ward:
        Base(ward, "/healthy"), gate(ward, "/healthy"), tree(ward, "/healthy")
        moves, absent = look(domain, "/healthy", "/absent", wards=[ward])
    assert names(moves) == []
    assert names(absent) == ["nothing_there"]
    assert "/healthy" in absent[0].shows


def test_a_base_that_is_silent_docked_and_stopped_and_alone(domain):
    with Ward(domain) as ward:
        Base(ward, "/mute", listens=None, scan=None, odometry=False, docked=True, wheels=False)
        (found,) = look(domain, "/mute", wards=[ward])
    sensing = ["no_cmd_vel_subscriber", "wheels_off", "docked", "no_scan", "no_odometry"]
    assert names(found) == [*sensing, "tree_missing", "gate_missing"]


def test_a_base_of_another_type_with_a_rival_a_blind_lidar_and_a_latched_gate(domain):
    # One participant cannot hold two types of one topic.
    with Ward(domain) as other, Ward(domain) as ward:
        Base(other, "/mixed", listens=Twist, scan="blind", everywhere=True, links={})
        gate(ward, "/mixed", "latched: stopped by an operator"), rival(ward, "/mixed")
        tree(ward, "/mixed", active=False)
        (found,) = look(domain, "/mixed", wards=[ward, other])
    inputs = ["cmd_vel_type", "two_publishers", "scan_without_return", "tf_elsewhere", "no_pose"]
    assert names(found) == [*inputs, "tree_inactive", "gate_latched"]
    reported = {finding.name: finding for finding in found}
    assert "stopped by an operator" in reported["gate_latched"].wrong
    assert "/mixed/rival" in reported["two_publishers"].wrong
    assert "geometry_msgs/msg/TwistStamped and listened to as geometry_msgs/msg/Twist" in reported["cmd_vel_type"].wrong


def test_a_robot_that_does_not_know_where_it_is(domain):
    with Ward(domain) as ward:
        Base(ward, "/lost", scan="best effort", links={"base_link": "odom"}), reliable_listener(ward, "/lost")
        gate(ward, "/lost", "localisation lost, no command"), tree(ward, "/lost", fault="Patrol: division by zero")
        (found,) = look(domain, "/lost", wards=[ward])
    assert names(found) == ["qos", "no_pose", "tree_latched", "gate_stops"]
    reported = {finding.name: finding for finding in found}
    assert "/lost/listener cannot hear /lost/turtlebot on /lost/scan" in reported["qos"].wrong
    assert "map -> odom" in reported["no_pose"].wrong
    assert "division by zero" in reported["tree_latched"].wrong


def test_a_robot_whose_clock_is_late_after_the_round(domain):
    with Ward(domain) as ward:
        Base(ward, "/late", scan="unplaced", clock_off=-30.0), gate(ward, "/late", "ok")
        tree(ward, "/late", silent=True, isolated=False), rules(ward, "caught")
        (found,) = look(domain, "/late", wards=[ward])
    transforms = ["no_scan_frame", "stale_tf", "stale_tf"]
    assert names(found) == ["clocks_apart", *transforms, "tree_silent", "game_over"]


def test_a_pose_that_is_old(domain):
    with Ward(domain) as ward:
        Base(ward, "/old", stale="odom"), gate(ward, "/old"), tree(ward, "/old")
        (found,) = look(domain, "/old", wards=[ward])
    assert names(found) == ["stale_tf"]
    assert "map -> odom" in found[0].wrong


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
