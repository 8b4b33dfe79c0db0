"""The security policy: who may publish what, and that our nodes have what they need and no more."""

from __future__ import annotations

import fnmatch
import xml.etree.ElementTree as ElementTree
from functools import cache

import pytest
from helpers.node_graph import ALONE, NODES, PURSUIT, node_graph, pursuit_graph

from arena_trees.nodes.programs.game_programs import Options, prepare, write_programs
from arena_trees.robot.configuration.resources import resource_path

pytestmark = pytest.mark.xdist_group("ros")

FOLDER = resource_path("config", "security")
INCLUDE = "{http://www.w3.org/2001/XInclude}include"
EVERYWHERE = ("/rosout", "/diagnostics", "/parameter_events", "/clock")


GAMES = ("wolf_rabbit", "pursuit")


@cache
def rights() -> dict[str, dict[tuple[str, str], list[str]]]:
    """Return, for each enclave, what it is allowed: (kind and verb) to full names, with wildcards."""
    return {enclave: given for game in GAMES for enclave, given in policy_of(game).items()}


def policy_of(game: str) -> dict[str, dict[tuple[str, str], list[str]]]:
    policy = ElementTree.parse(FOLDER / f"{game}.policy.xml").getroot()
    assert policy.attrib == {"version": "0.2.0"}
    found = {}
    for enclave in policy.iter("enclave"):
        (profile,) = enclave.iter("profile")
        allowed = found[enclave.attrib["path"]] = {}
        for rule in rules(profile):
            for verb, verdict in rule.attrib.items():
                assert verdict == "ALLOW", "what is not allowed is denied; a DENY beside it would only confuse"
                names = allowed.setdefault((rule.tag, verb), [])
                names += [full(name.text, profile.attrib["ns"], profile.attrib["node"]) for name in rule]
    return found


def rules(profile):
    for child in profile:
        if child.tag == INCLUDE:
            assert child.attrib["xpointer"] == "xpointer(/profile/*)"
            yield from ElementTree.parse(FOLDER / child.attrib["href"]).getroot()
        else:
            yield child


def full(name: str, namespace: str, node: str) -> str:
    """Return a name as ROS resolves it."""
    base = namespace.rstrip("/")
    if name.startswith("~/"):
        return f"{base}/{node}{name[1:]}"
    return name if name.startswith("/") else f"{base}/{name}"


def allowed(enclave: str, verb: str, name: str, kind: str = "topics") -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in rights()[enclave].get((kind, verb), ()))


def who(verb: str, name: str, kind: str = "topics", game: str = "wolf_rabbit") -> list[str]:
    """Return the enclaves of a game that are allowed something."""
    return [enclave for enclave in rights() if enclave.startswith(f"/{game}/") and allowed(enclave, verb, name, kind)]


@pytest.mark.parametrize("robot", ["wolf", "rabbit"])
def test_what_moves_a_robot_comes_from_one_node_only(robot):
    assert who("publish", f"/{robot}/cmd_vel") == [f"/wolf_rabbit/{robot}/velocity_gate"]
    assert who("publish", f"/{robot}/cmd_vel_raw") == [f"/wolf_rabbit/{robot}/tree"]
    assert who("publish", f"/{robot}/velocity_gate/state") == [f"/wolf_rabbit/{robot}/velocity_gate"]


def test_the_rules_come_from_their_node_and_claims_from_the_wolf():
    assert who("publish", "/arena/game") == ["/wolf_rabbit/game"]
    assert who("publish", "/arena/end") == ["/wolf_rabbit/game"]
    assert who("publish", "/arena/catch_claim") == ["/wolf_rabbit/wolf/tree"]


def test_time_and_truth_come_from_the_simulation_only():
    assert who("publish", "/clock") == ["/wolf_rabbit/arena_simulator"]
    assert who("publish", "/wolf/ground_truth") == ["/wolf_rabbit/arena_simulator"]


@pytest.mark.parametrize("service", ["velocity_gate/reset", "velocity_gate/stop", "tree/reset", "tree/change_state"])
def test_a_person_alone_resets(service):
    assert who("request", f"/wolf/{service}", "services") == ["/wolf_rabbit/operator"]
    assert who("reply", f"/wolf/{service}", "services") == [f"/wolf_rabbit/wolf/{service.split('/')[0]}"]


def test_robots_hear_nothing_of_each_other():
    others = {"wolf": "/rabbit/", "rabbit": "/wolf/", "chaser": "/evader/", "evader": "/chaser/"}
    for enclave, given in rights().items():
        other = others.get(enclave.split("/")[2])
        if other is not None:
            assert not [name for names in given.values() for name in names if name.startswith(other)]


def test_turret_and_weapon_obey_the_gate_alone():
    for topic in ("cmd_vel", "turret/cmd_vel", "engage"):
        assert who("publish", f"/chaser/{topic}", game="pursuit") == ["/pursuit/chaser/velocity_gate"]
    for topic in ("cmd_vel_raw", "turret/cmd_vel_raw", "engage_raw"):
        assert who("publish", f"/chaser/{topic}", game="pursuit") == ["/pursuit/chaser/tree"]


def test_the_chaser_hears_nothing_of_where_the_evader_is():
    tree = "/pursuit/chaser/tree"
    told = [name for name in ("pursuit", "threat", "pursuit_scene") if allowed(tree, "subscribe", f"/arena/{name}")]
    assert told == ["pursuit"]
    assert not allowed(tree, "subscribe", "/chaser/circles/ground_truth")
    for enclave in rights():
        assert not enclave.startswith("/pursuit/chaser") or not allowed(enclave, "subscribe", "/chaser/ground_truth")


VIEWERS = ("/snapshot", "/blackboard")
"""Of py_trees_ros, which need not be installed."""
OTHER_SOURCE = {
    "game": ("/tf", "/tf_static", "/ground_truth"),
    "arena_simulator": ("/image_raw", "/preview/camera_info", "/detections", "/detections/camera_info"),
}
"""Ends of names of which a node uses some at a time: poses come from one source, and so does what cameras see."""


def check(enclave: str, graph: dict[tuple[str, str], set[str]]) -> None:
    """Refuse an enclave that is not allowed what its node does, or more."""
    for (kind, verb), names in graph.items():
        denied = [name for name in names if not allowed(enclave, verb, name, kind)]
        assert not denied, f"{enclave} must be allowed to {verb} {denied}"
        unused = {
            name
            for name in rights()[enclave].get((kind, verb), ())
            if name not in names
            and name not in EVERYWHERE
            and not any(viewer in name for viewer in VIEWERS)
            and not name.endswith(OTHER_SOURCE.get(enclave.rpartition("/")[2], ("no such name",)))
        }
        assert not unused, f"{enclave} needs not {verb} {unused}"


@pytest.mark.parametrize("name", sorted({**NODES, **ALONE}))
def test_a_node_is_allowed_what_it_does_and_nothing_else(name):
    check(f"/wolf_rabbit/{name}" if name in ALONE else f"/wolf_rabbit/wolf/{name}", node_graph(name))


@pytest.mark.parametrize(("robot", "name"), PURSUIT, ids="/".join)
def test_a_node_of_a_pursuit_is_allowed_what_it_does_and_nothing_else(robot, name):
    check("/".join(("/pursuit", robot, name)).replace("//", "/"), pursuit_graph(robot, name))


def test_every_program_of_a_game_has_an_enclave(tmp_path):
    for scenario in ("wolf_rabbit", "pursuit_empty", "pursuit_empty_source_scale"):
        for simulated in (True, False):
            order = prepare(scenario, [], {}, simulated=simulated)
            programs = write_programs(order, tmp_path, Options(simulated=simulated))
            assert {program.enclave for program in programs} <= set(rights())
