"""SROS2 policies: who may publish and subscribe to what in a game, read from the real nodes of a scenario.

What is not allowed is denied. The format is sros2's policy schema, version 0.2.0 (https://github.com/ros2/sros2).
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from arena_trees.experiments.plan import TrialPlan
from arena_trees.nodes.programs.game_programs import GAME, TRACKING, Options, prepare, write_programs
from arena_trees.nodes.programs.node_graph import NodeGraph, read_graph
from arena_trees.nodes.programs.program import node_name
from arena_trees.robot.messaging.message_topics import message_topic
from arena_trees.robot.sensor_registry import carried_topics
from arena_trees.world.body import TURTLEBOT4

__all__ = ["Enclave", "read_enclaves", "sros2_policy"]

_VIEWERS = NodeGraph(
    publishes=frozenset({"snapshots", "snapshot_streams/*", "blackboard_streams/*"}),
    serves=frozenset({"snapshot_streams/*", "blackboard_streams/*"}),
)
"""What py_trees_ros adds below a tree's name, where it is installed and somebody looks."""
_GATE = node_name("velocity_gate")
_EVERYWHERE = ("/rosout", "/parameter_events")
_OF_NOBODY = frozenset(("/clock", "/parameter_events"))
"""What a node that sees robots subscribes to, and no camera or tracking system publishes."""
_SERVICES = frozenset(
    {
        "e_stop", "robot_power", "reset_pose", "start_motor", "stop_motor", "oakd/*", "amcl/*", "map_server/*",
        "lifecycle_manager_localization/*",
    }
)  # fmt: skip
_BASE = NodeGraph(
    publishes=frozenset(
        {
            "scan", "odom", "tf", "tf_static", "imu", "joint_states", "robot_description",
            "hazard_detection", "dock_status", "wheel_status", "interface_buttons", "hmi/*", "oakd/*", "joy", "map",
            "amcl_pose", "particle_cloud", "bond", "/rosout", "/diagnostics", "/parameter_events",
        }
    ),
    subscribes=frozenset(
        {
            "cmd_vel", "cmd_lightring", "cmd_audio", "scan", "odom", "tf", "tf_static", "initialpose", "map",
            "joint_states", "robot_description", "hmi/*", "bond", "/clock", "/parameter_events",
        }
    ),
    serves=_SERVICES,
    requests=_SERVICES,
    calls=frozenset({"dock", "undock"}),
    executes=frozenset({"dock", "undock"}),
)  # fmt: skip
"""What a TurtleBot 4's own nodes and its localisation do, from their documents; never run on a robot."""


def _base() -> NodeGraph:
    """Return what they do, and what drivers of other sensors publish."""
    return _BASE | NodeGraph(publishes=frozenset(carried_topics(TURTLEBOT4)))


@dataclass(frozen=True, slots=True)
class Enclave:
    """A node's enclave.

    Attributes:
        path: such as /game/robot/tree
        namespace: of the node
        node: its name
        graph: what it may do
    """

    path: str
    namespace: str
    node: str
    graph: NodeGraph


def read_enclaves(
    name_or_file: str,
    assignments: Sequence[str] = (),
    navigation: str = "",
    trackers: Mapping[str, Mapping[str, Any]] | None = None,
) -> list[Enclave]:
    """Return the enclaves of a scenario's programs, as they are in the simulated arena or by real robots.

    Args:
        name_or_file: of the scenario
        assignments: changes as ``--set`` has them
        navigation: who plans the way of robots that drive to goals, as the launch files have it
        trackers: nodes that see where robots are, to the parameters of each, as ``Options`` has them; the rules may
            then see robots by them

    Raises:
        ArenaTreesError: it cannot be played on ROS, or a node refuses its parameters
    """
    found: dict[str, Enclave] = {}
    trackers = trackers or {}
    more: dict[str, dict[str, Any]] = {"tree": {"navigation": navigation}} if navigation else {}
    if trackers:
        more[GAME] = {"truth": "ceiling"}
    for simulated in (True, False):
        order = prepare(name_or_file, list(assignments), {}, simulated=simulated, allow_loose_gate=True)
        with TemporaryDirectory() as folder:
            # The base's own messages come with the robot; without them nothing is undocked here.
            undock = not simulated and find_spec("irobot_create_msgs") is not None
            options = Options(simulated=simulated, undock=undock, trackers=trackers, more=more)
            for program in write_programs(order, Path(folder), options):
                graph = read_graph(program)
                if program.module == "tree_node":
                    graph |= _below(f"{program.namespace}/{program.node}", _VIEWERS)
                    graph |= NodeGraph(subscribes=_of_robots(order.plan, program.namespace.lstrip("/")))
                elif program.module == TRACKING:
                    graph |= _tracked(program.parameters["robots"])
                before = found.get(program.enclave)
                enclave = Enclave(program.enclave, program.namespace, program.node, graph)
                found[program.enclave] = enclave if before is None else replace(before, graph=before.graph | graph)
    known = [*found.values(), *_seers(found.values(), trackers)]
    return [*known, *_bases(known), _operator(known)]


def _of_robots(plan: TrialPlan, robot: str) -> frozenset[str]:
    """Return the topics of robots that a robot's tree subscribes to once it has found them in the graph."""
    return frozenset(message_topic(topic, other) for other, topic in plan.received_by(robot))


def _below(scope: str, graph: NodeGraph) -> NodeGraph:
    """Return a graph with its relative names below a node or a namespace."""
    resolved = {
        one.name: frozenset(name if name[0] == "/" else f"{scope}/{name}" for name in getattr(graph, one.name))
        for one in fields(graph)
    }
    return NodeGraph(**resolved)


def _robots(enclaves: Iterable[Enclave]) -> dict[str, list[Enclave]]:
    """Return the enclaves of each robot, by its namespace."""
    robots: dict[str, list[Enclave]] = {}
    for enclave in enclaves:
        if enclave.namespace != "/":
            robots.setdefault(enclave.namespace, []).append(enclave)
    return robots


def _tracked(robots: Iterable[str]) -> NodeGraph:
    """Return what a relay subscribes to once somebody publishes it: only then it knows the type."""
    topics = (robot.partition("=")[2] for robot in robots)
    return NodeGraph(subscribes=frozenset(f"/{topic.lstrip('/')}" for topic in topics if not topic.startswith("tf:")))


def _seers(enclaves: Iterable[Enclave], trackers: Iterable[str]) -> Iterator[Enclave]:
    """Yield an enclave for the cameras or the tracking system that each tracker listens to."""
    for enclave in enclaves:
        if enclave.node in trackers:
            graph = NodeGraph(publishes=enclave.graph.subscribes - _OF_NOBODY)
            yield Enclave(f"{enclave.path}_source", "/", f"{enclave.node}_source", graph)


def _bases(enclaves: Iterable[Enclave]) -> Iterator[Enclave]:
    """Yield an enclave for the nodes of each robot's maker: drivers, localisation."""
    for namespace, own in _robots(enclaves).items():
        published = frozenset().union(*(enclave.graph.publishes for enclave in own))
        subscribed = frozenset().union(*(enclave.graph.subscribes for enclave in own))
        obeyed = (enclave.graph.publishes for enclave in own if enclave.node == _GATE)
        graph = _below(namespace, _base()) | NodeGraph(
            publishes=frozenset(name for name in subscribed - published if name.startswith(f"{namespace}/")),
            subscribes=frozenset(
                name
                for name in frozenset().union(*obeyed)
                if name.startswith(f"{namespace}/") and not name.startswith(f"{namespace}/{_GATE}/")
            ),
            executes=frozenset().union(*(enclave.graph.calls for enclave in own)),
        )
        yield Enclave(f"{own[0].path.rpartition('/')[0]}/base", namespace, "base", graph)


def _operator(enclaves: Iterable[Enclave]) -> Enclave:
    """Return the enclave of a person, who receives everything, stops, resets and tunes, and drives nothing."""
    known = list(enclaves)
    robots = list(_robots(known))
    published = frozenset().union(*(enclave.graph.publishes for enclave in known))
    asked = frozenset().union(*(enclave.graph.subscribes for enclave in known if enclave.namespace == "/")) - published
    of_people = (name for name in asked if name != "/clock" and not name.startswith(tuple(f"{one}/" for one in robots)))
    graph = NodeGraph(
        publishes=frozenset({*of_people, *(f"{robot}/initialpose" for robot in robots), *_EVERYWHERE}),
        subscribes=frozenset({"/*"}),
        requests=frozenset(
            {f"{enclave.namespace.rstrip('/')}/{enclave.node}/*" for enclave in known}
            | {f"{robot}/e_stop" for robot in robots}
        ),
        calls=frozenset(f"{robot}/{action}" for robot in robots for action in ("dock", "undock")),
    )
    return Enclave(f"/{known[0].path.split('/')[1]}/operator", "/", "operator", graph)


def sros2_policy(enclaves: Sequence[Enclave]) -> str:
    """Return a policy as XML, for ``ros2 security generate_artifacts -p``."""
    policy = ElementTree.Element("policy", version="0.2.0")
    holder = ElementTree.SubElement(policy, "enclaves")
    for enclave in enclaves:
        path = ElementTree.SubElement(holder, "enclave", path=enclave.path)
        profiles = ElementTree.SubElement(path, "profiles")
        profile = ElementTree.SubElement(profiles, "profile", ns=enclave.namespace, node=enclave.node)
        for kind, verb, names in _rules(enclave.graph):
            rule = ElementTree.SubElement(profile, f"{kind}s", {verb: "ALLOW"})
            for name in sorted(names):
                ElementTree.SubElement(rule, kind).text = name
    ElementTree.indent(policy)
    return ElementTree.tostring(policy, encoding="unicode", xml_declaration=True) + "\n"


def _rules(graph: NodeGraph) -> Iterator[tuple[str, str, frozenset[str]]]:
    for kind, verb, names in (
        ("topic", "publish", graph.publishes),
        ("topic", "subscribe", graph.subscribes),
        ("service", "reply", graph.serves),
        ("service", "request", graph.requests),
        ("action", "call", graph.calls),
        ("action", "execute", graph.executes),
    ):
        if names:
            yield kind, verb, names
