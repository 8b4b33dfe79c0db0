"""Security policies: who may say what in each game, read from its real nodes."""

from __future__ import annotations

import fnmatch
import xml.etree.ElementTree as ElementTree
from functools import cache
from typing import TYPE_CHECKING

import pytest
from helpers.node_graph import need_ros
from typer.testing import CliRunner

from arena_trees.cli import app
from arena_trees.robot.errors import ConfigError

if TYPE_CHECKING:
    from arena_trees.nodes.programs.sros2_policy import Enclave


ROBOTS = {
    "wolf_rabbit": ("wolf", "rabbit"),
    "pursuit_empty_source_scale": ("chaser", "evader"),
    "pacman": ("pacman",),
    "crossroads_lidar": ("robot_1", "robot_2"),
    "wall_chase_source_scale": ("r1", "r2"),
}
"""Scenarios, one of each game, and whom they are about."""
CHANGES = {"crossroads_lidar": ("robots.count=2",)}
"""What is played otherwise than by default: what is true of two robots that are alike is true of four."""
EACH_ROBOT = [(scenario, robot) for scenario, robots in ROBOTS.items() for robot in robots]


@cache
def enclaves(scenario: str) -> dict[str, Enclave]:
    """Return the enclaves of a scenario, by their paths without the game's name."""
    need_ros()
    from arena_trees.nodes.programs.sros2_policy import read_enclaves

    found = read_enclaves(scenario, CHANGES.get(scenario, ()))
    return {enclave.path.partition("/")[2].partition("/")[2]: enclave for enclave in found}


def who(scenario: str, verb: str, name: str) -> set[str]:
    """Return the enclaves of a scenario that are allowed something."""
    return {
        path
        for path, enclave in enclaves(scenario).items()
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in getattr(enclave.graph, verb))
    }


@pytest.mark.parametrize(("scenario", "robot"), EACH_ROBOT)
def test_what_moves_a_robot_comes_from_one_node_only(scenario: str, robot: str):
    assert who(scenario, "publishes", f"/{robot}/cmd_vel") == {f"{robot}/velocity_gate"}
    assert who(scenario, "publishes", f"/{robot}/cmd_vel_raw") == {f"{robot}/tree"}
    assert who(scenario, "publishes", f"/{robot}/velocity_gate/state") == {f"{robot}/velocity_gate"}
    assert who(scenario, "subscribes", f"/{robot}/cmd_vel") == {f"{robot}/base", "arena_simulator", "operator"}


@pytest.mark.parametrize(("scenario", "robot"), EACH_ROBOT)
def test_a_robots_own_nodes_and_the_simulation_say_what_it_senses(scenario: str, robot: str):
    for topic in ("scan", "odom", "hazard_detection", "battery_state"):
        sensed = {f"{robot}/tree", f"{robot}/velocity_gate"} & who(scenario, "subscribes", f"/{robot}/{topic}")
        assert not sensed or who(scenario, "publishes", f"/{robot}/{topic}") >= {f"{robot}/base"}
    assert who(scenario, "publishes", f"/{robot}/ground_truth") == {"arena_simulator"}


@pytest.mark.parametrize(("scenario", "robot"), EACH_ROBOT)
@pytest.mark.parametrize("service", ["velocity_gate/reset", "velocity_gate/stop", "tree/reset", "tree/change_state"])
def test_a_person_alone_resets(scenario: str, robot: str, service: str):
    assert who(scenario, "requests", f"/{robot}/{service}") == {"operator"}
    assert who(scenario, "serves", f"/{robot}/{service}") == {f"{robot}/{service.split('/')[0]}"}


@pytest.mark.parametrize("scenario", ROBOTS)
def test_time_and_rules_have_one_voice_and_robots_hear_nothing_of_each_other(scenario: str):
    assert who(scenario, "publishes", "/clock") == {"arena_simulator"}
    assert who(scenario, "publishes", "/arena/end") == {"game"}
    for path, enclave in enclaves(scenario).items():
        others = tuple(f"/{robot}/" for robot in ROBOTS[scenario] if not path.startswith(f"{robot}/"))
        if "/" in path:
            assert not [name for name in enclave.graph.publishes | enclave.graph.subscribes if name.startswith(others)]


def test_what_is_claimed_and_decided_is_said_by_whom_it_belongs_to():
    assert who("wolf_rabbit", "publishes", "/arena/game") == {"game"}
    assert who("wolf_rabbit", "publishes", "/arena/wolf/catch_claim") == {"wolf/tree"}
    assert who("pacman", "publishes", "/game/ghost_speed") == {"operator"}


def test_every_robot_sends_in_its_own_name_and_receives_from_its_like():
    scenario = "wolf_rabbit_several"
    for wolf in ("grey", "black"):
        assert who(scenario, "publishes", f"/arena/{wolf}/sighting") == {f"{wolf}/tree"}
        receivers = {"grey/tree", "black/tree", "game", "operator"}
        assert who(scenario, "subscribes", f"/arena/{wolf}/sighting") == receivers
    assert who(scenario, "publishes", "/arena/sighting") == who(scenario, "publishes", "/arena/hazel/sighting") == set()
    assert who("crossroads_lidar", "publishes", "/arena/robot_2/crossing_claim") == {"robot_2/tree"}


def test_turret_and_weapon_obey_the_gate_alone():
    scenario = "pursuit_empty_source_scale"
    for topic in ("cmd_vel", "turret/cmd_vel", "engage"):
        assert who(scenario, "publishes", f"/chaser/{topic}") == {"chaser/velocity_gate"}
        assert who(scenario, "publishes", f"/chaser/{topic}_raw") == {"chaser/tree"}
        assert "chaser/base" in who(scenario, "subscribes", f"/chaser/{topic}")
    assert "chaser/base" in who(scenario, "publishes", "/chaser/ranges/front_left")


def test_the_chaser_hears_nothing_of_where_the_evader_is():
    scenario = "pursuit_empty_source_scale"
    assert who(scenario, "subscribes", "/arena/threat") == {"evader/tree", "game", "operator"}
    assert "chaser/tree" not in who(scenario, "subscribes", "/chaser/circles/ground_truth")
    assert who(scenario, "subscribes", "/chaser/ground_truth") == {"game", "operator"}


def test_the_policy_has_an_enclave_for_every_program_and_allows_alone(tmp_path):
    """A rule that denies, beside what is denied anyway, would only confuse."""
    need_ros()
    out = tmp_path / "policy.xml"
    result = CliRunner().invoke(app, ["sros2-policy", "wolf_rabbit", "--out", str(out)])
    assert result.exit_code == 0, result.output
    policy = ElementTree.parse(out).getroot()
    assert policy.attrib == {"version": "0.2.0"}
    assert {one.attrib["path"] for one in policy.iter("enclave")} == {
        f"/wolf_rabbit/{path}" for path in enclaves("wolf_rabbit")
    }
    for profile in policy.iter("profile"):
        for rule in profile:
            assert set(rule.attrib.values()) == {"ALLOW"}
            assert {one.tag for one in rule} == {rule.tag.removesuffix("s")}


def test_reading_nodes_says_nothing(capfd):
    need_ros()
    from arena_trees.nodes.programs.sros2_policy import read_enclaves

    read_enclaves("wolf_rabbit")
    assert capfd.readouterr().err == ""


def test_with_a_tracker_the_cameras_or_the_system_alone_publish_what_it_sees():
    need_ros()
    from arena_trees.nodes.programs.game_programs import trackers_of
    from arena_trees.nodes.programs.sros2_policy import read_enclaves

    trackers = trackers_of((), ["wolf=/vicon/wolf/wolf"])
    graphs = {enclave.path: enclave.graph for enclave in read_enclaves("wolf_rabbit", trackers=trackers)}
    relay, system = graphs["/wolf_rabbit/tracking_relay"], graphs["/wolf_rabbit/tracking_relay_source"]
    assert "/wolf/ceiling/pose" in relay.publishes & graphs["/wolf_rabbit/game"].subscribes
    assert [path for path, graph in graphs.items() if "/vicon/wolf/wolf" in graph.publishes] == [
        "/wolf_rabbit/tracking_relay_source"
    ]
    assert "/vicon/wolf/wolf" in relay.subscribes and "/clock" not in system.publishes


def test_the_policy_has_the_cameras_that_are_asked_for(tmp_path):
    need_ros()
    out = tmp_path / "policy.xml"
    result = CliRunner().invoke(app, ["sros2-policy", "wolf_rabbit", "--ceiling", "c1,c2", "--out", str(out)])
    assert result.exit_code == 0, result.output
    by_path = {one.attrib["path"]: one for one in ElementTree.parse(out).getroot().iter("enclave")}
    published = {topic.text for topic in by_path["/wolf_rabbit/ceiling_tracker_source"].iter("topic")}
    assert {"/ceiling/c1/image_raw", "/ceiling/c2/image_raw"} <= published
    both = CliRunner().invoke(app, ["sros2-policy", "wolf_rabbit", "--ceiling", "c1", "--tracking", "wolf=/w"])
    assert isinstance(both.exception, ConfigError) and "give one of them" in str(both.exception)


def test_with_nav2_the_tree_calls_its_action():
    need_ros()
    from arena_trees.nodes.programs.sros2_policy import read_enclaves

    graphs = {enclave.node: enclave.graph for enclave in read_enclaves("pacman", navigation="nav2")}
    assert "/pacman/navigate_to_pose" in graphs["tree"].calls & graphs["base"].executes
