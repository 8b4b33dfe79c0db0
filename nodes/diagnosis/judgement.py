"""The doctor's judgement: why a robot will not move, concluded from what is seen of it on the graph.

Functions of a :class:`~arena_trees.nodes.diagnosis.graph_state.GraphState` alone; what gathers one is
:mod:`arena_trees.nodes.diagnosis.graph_probe`. The text of each finding is in ``config/doctor.yaml``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from string import Template
from typing import Any

from rclpy.qos import QoSCompatibility, qos_check_compatible

from arena_trees.nodes.diagnosis.graph_state import GraphState
from arena_trees.nodes.gate.cmd_vel import listeners
from arena_trees.nodes.runtime.diagnostics import ERROR, STALE, WARN
from arena_trees.robot.configuration.resources import resource_path
from arena_trees.robot.configuration.yaml_files import load_yaml
from arena_trees.robot.sensor_registry import sensors
from arena_trees.world.body import TURTLEBOT4

__all__ = ["CHECKS", "Finding", "diagnose", "watched"]

_WATCHED = (
    "scan", "odom", "tf", "tf_static", "cmd_vel", "cmd_vel_raw", "hazard_detection", "oakd/rgb/preview/image_raw",
)  # fmt: skip
STALE_S = 0.5
"""Age (s) from which scan, odometry and pose are too old for the velocity gate."""
CLOCKS_APART_S = 0.5
"""Difference (s) of two machines' clocks from which the gate stops the robot."""
_JOYSTICK = "teleop_twist_joy_node"
"""May publish cmd_vel in addition to the gate: the operator's override, of which the gate is informed."""
_LATCHED = "latched: "
_GATE_STATE = "velocity_gate/state"
_MOVES = "ok"
"""What the gate reports of itself while it stops nothing."""
_TICKS = "ticks at"
"""How the tree's message begins that it does not keep its rate."""
_ARENA = "/arena_simulator"
_YOUNG_S = 90.0
"""So long (s) a program may take to start on a busy machine, before which its silence means nothing."""
_RECENT_S = 3600.0
"""A launch that ended longer ago is not reported."""
_SHARED = (_ARENA, "/game")
"""Nodes of a whole game, which a robot without a namespace has in addition to its own."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One reason why the robot will not move.

    Attributes:
        name: of the kind of finding, for programs
        wrong: what is wrong
        shows: how it shows
        remedy: what to do
    """

    name: str
    wrong: str
    shows: str
    remedy: str


def watched() -> tuple[str, ...]:
    """Return the topics on which a robot's nodes must receive each other, in its namespace."""
    sensed = (topic.topic for sensor in sensors().values() for topic in sensor.ros.topics(TURTLEBOT4))
    return (*_WATCHED, *sensed)


def diagnose(state: GraphState) -> list[Finding]:
    """Return everything that keeps the robot from moving, what causes the rest first; empty where nothing does."""
    alone = list(_nothing_there(state))
    if alone:
        return [*_launch(state), *alone]
    return [finding for check in CHECKS for finding in check(state)]


@cache
def _texts() -> Any:
    return load_yaml(resource_path("config", "doctor.yaml"))


def _finding(name: str, state: GraphState, /, **words: object) -> Finding:
    """Return a finding, with these words filled into its texts."""
    words |= {
        "robot": state.namespace.rstrip("/"),
        "namespace": state.namespace,
        "environment": state.environment,
        "seconds": f"{state.seconds:g}",
    }
    return Finding(name, **{key: Template(text).substitute(words) for key, text in _texts()[name].items()})


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))


def _nothing_there(state: GraphState) -> Iterator[Finding]:
    if state.environment.discovery_range == "OFF":
        yield _finding("discovery_off", state)
        return
    inside = state.namespace.rstrip("/") + "/"
    if not state.nodes and not any(name.startswith(inside) for name in (*state.publishers, *state.subscribers)):
        others = f"; robots that are there: {', '.join(state.robots)}" if state.robots else ""
        yield _finding("nothing_there", state, others=others)


def _base(state: GraphState) -> Iterator[Finding]:
    topic = state.full("cmd_vel")
    driven = listeners(state.subscribers.get(topic, ()))
    spoken = {one.type for one in state.publishers.get(topic, ())}
    # Each of them: another node may subscribe to the right type while the base subscribes to the other.
    deaf = [one for one in driven if spoken and one.type not in spoken]
    if not driven:
        yield _finding("no_cmd_vel_subscriber", state)
    if deaf:
        expected, nodes = _listed({one.type for one in deaf}), _listed({one.node for one in deaf})
        yield _finding("cmd_vel_type", state, spoken=_listed(spoken), heard=expected, nodes=nodes)
    if state.wheels_enabled is False:
        yield _finding("wheels_off", state)
    if state.docked:
        yield _finding("docked", state)
    speakers = [one.node for one in state.publishers.get(topic, ()) if one.node.rpartition("/")[2] != _JOYSTICK]
    if len(speakers) > 1:
        yield _finding("two_publishers", state, number=len(speakers), nodes=_listed(speakers))
    trees = [one.node for one in state.publishers.get(state.full("cmd_vel_raw"), ())]
    if len(trees) > 1:
        yield _finding("two_trees", state, nodes=_listed(trees))


def _quality(state: GraphState) -> Iterator[Finding]:
    for topic in map(state.full, watched()):
        for hearing in state.subscribers.get(topic, ()):
            for speaking in state.publishers.get(topic, ()):
                verdict, reason = qos_check_compatible(speaking.qos, hearing.qos)
                if verdict == QoSCompatibility.ERROR:
                    reason = reason.removeprefix("ERROR: ").rstrip("; ")
                    words = {"topic": topic, "publisher": speaking.node, "subscriber": hearing.node, "reason": reason}
                    yield _finding("qos", state, **words)


def _sensors(state: GraphState) -> Iterator[Finding]:
    gate = state.values("velocity_gate")
    sees_by_scans = not gate or "scan age (s)" in gate
    for name, missing in ((("scan", "no_scan"),) if sees_by_scans else ()) + (("odom", "no_odometry"),):
        if state.full(name) not in state.streams:
            yield _finding(missing, state, publishers=len(state.publishers.get(state.full(name), ())))
    for topic in map(state.full, ("scan", "odom")):
        sources = [one.node for one in state.publishers.get(topic, ())]
        if len(sources) > 1:
            yield _finding("two_sources", state, topic=topic, nodes=_listed(sources))
    if gate.get("ranges age (s)") == "never":
        yield _finding("no_ranges", state)
    scans = state.streams.get(state.full("scan"))
    if scans is not None and scans.with_return == 0:
        yield _finding("scan_without_return", state, count=scans.count)


def _clock(state: GraphState) -> Iterator[Finding]:
    own = {node: status.values for node, status in state.diagnostics.items() if _is_of(state, node)}
    times = {node: values["use_sim_time"] for node, values in own.items() if "use_sim_time" in values}
    simulated = _listed(node for node, time in times.items() if time == "true")
    real = _listed(node for node, time in times.items() if time == "false")
    if simulated and not state.clock_publishers:
        yield _finding("sim_time_without_clock", state, nodes=simulated)
    if state.clock_publishers and state.clock_advanced <= 0.0:
        yield _finding("clock_stands", state, count=state.clock_count)
    if real and (simulated or state.clock_publishers):
        yield _finding("clocks_mixed", state, real=real, simulated=simulated or "others")
    if simulated or state.clock_publishers:
        return
    ages = {topic: stream.stamp_age for topic, stream in state.streams.items()}
    apart = {topic: age for topic, age in ages.items() if abs(age) > CLOCKS_APART_S}
    if apart:
        worst = max(apart, key=lambda topic: abs(apart[topic]))
        yield _finding("clocks_apart", state, topics=_listed(apart), worst=worst, age=f"{apart[worst]:+.1f}")


def _transforms(state: GraphState) -> Iterator[Finding]:
    topic = state.full("tf")
    if topic != "/tf" and not state.publishers.get(topic) and state.publishers.get("/tf"):
        yield _finding("tf_elsewhere", state, nodes=_listed(one.node for one in state.publishers["/tf"]))
    if state.links is None:
        yield _finding("no_tf2_msgs", state)
        return
    above = {child: parent for parent, child in state.links}
    frame = state.scan_frame
    if frame is not None and "base_link" not in _way_up(frame, above):
        yield _finding("no_scan_frame", state, frame=frame)
    if "pose age (s)" not in state.values("velocity_gate"):
        # This gate does not need to know where its robot is.
        return
    way = _way_up("base_link", above)
    if (top := way[-1]) != "map":
        yield _finding("no_pose", state, top=top, missing="map" if top == "odom" else "odom")
    for child, parent in pairwise(way):
        link = state.links[parent, child]
        if not link.static and link.age > STALE_S:
            yield _finding("stale_tf", state, parent=parent, child=child, age=f"{link.age:.1f}")


def _way_up(frame: str, above: dict[str, str]) -> list[str]:
    """Return a frame and those above it, up to the map or to where tf ends."""
    way = [frame]
    while way[-1] != "map" and way[-1] in above and above[way[-1]] not in way:
        way.append(above[way[-1]])
    return way


def _is_of(state: GraphState, node: str) -> bool:
    """Return whether a node is one of the robot's, and not of the game or the arena."""
    return node.startswith(state.full("")) and node not in _SHARED


def _launch(state: GraphState) -> Iterator[Finding]:
    """Yield why a launch has ended, where tree or gate are missing and have left no word of their own."""
    known = (*state.nodes, *state.processes, *state.deaths)
    end = state.launch_end
    if end is not None and end.ago < _RECENT_S and not {state.full("tree"), state.full("velocity_gate")} <= set(known):
        yield _finding("launch_ended", state, words=end.words, ago=f"{end.ago:.0f}")


def _presence(state: GraphState, name: str, topic: str, missing: str) -> Iterator[Finding]:
    """Yield why nothing comes from a node of the robot, if nothing does.

    It hangs where its process is stopped, or where it is on the graph, was started long ago, and nothing came from it.
    That a process sleeps means nothing: all do, between two ticks.

    Args:
        state: what was seen
        name: of the node
        topic: that it publishes all the time, besides /diagnostics
        missing: what is found where there is nothing of it
    """
    node, topic = state.full(name), state.full(topic)
    process, death = state.processes.get(node), state.deaths.get(node)
    # What came from a node that has gone meanwhile is no sign of life.
    lives = process is not None or node in state.nodes
    if process is not None and process.is_stopped:
        yield _finding("node_stopped", state, node=node, pid=process.pid)
    elif lives and (node in state.diagnostics or _speaks(state, node, topic)):
        return
    elif process is not None:
        there = "is on the graph" if node in state.nodes else "is not on the graph"
        hangs = node in state.nodes and process.age > _YOUNG_S
        words = {"node": node, "topic": topic, "pid": process.pid, "process": process.state, "there": there}
        yield _finding("node_hangs" if hangs else "node_unheard", state, age=f"{process.age:.0f}", **words)
    elif node in state.nodes:
        yield _finding("node_silent", state, node=node, topic=topic)
    elif death is not None:
        words = {"words": death.words or f"exit code {death.code}", "ago": f"{death.ago:.0f}", "code": death.code}
        yield _finding("node_ended", state, node=node, **words)
    else:
        yield _finding(missing, state)


def _speaks(state: GraphState, node: str, topic: str) -> bool:
    """Return whether something came on a topic, and from nobody but a node."""
    found = topic in state.streams or (topic == state.full(_GATE_STATE) and bool(state.gate))
    return found and {one.node for one in state.publishers.get(topic, ())} == {node}


def _tree(state: GraphState) -> Iterator[Finding]:
    absent = list(_presence(state, "tree", "cmd_vel_raw", "tree_missing"))
    reported = state.values("tree")
    lifecycle = reported.get("state", "").lower()
    if absent:
        yield from absent
    elif reported.get("fault"):
        yield _finding("tree_latched", state, fault=reported["fault"])
    elif lifecycle not in ("", "active"):
        transitions = "activate" if lifecycle == "inactive" else "configure, then activate"
        yield _finding("tree_inactive", state, state=lifecycle, transitions=transitions)
    elif state.full("cmd_vel_raw") not in state.streams:
        yield _finding("tree_silent", state, state=lifecycle or "unknown")


def _gate(state: GraphState) -> Iterator[Finding]:
    absent = list(_presence(state, "velocity_gate", _GATE_STATE, "gate_missing"))
    newest = state.gate[-1] if state.gate else ""
    if absent:
        yield from absent
    elif newest.startswith(_LATCHED):
        yield _finding("gate_latched", state, reason=newest.removeprefix(_LATCHED))
    elif state.gate and _MOVES not in state.gate:
        yield _finding("gate_stops", state, reason=newest)


def _load(state: GraphState) -> Iterator[Finding]:
    arena, tree = state.diagnostics.get(_ARENA), state.diagnostics.get(state.full("tree"))
    if arena is not None and arena.level == WARN:
        yield _finding("slow", state, node=_ARENA, message=arena.message)
    if tree is not None and tree.level == WARN and tree.message.startswith(_TICKS):
        yield _finding("slow", state, node=state.full("tree"), message=tree.message)


def _further(state: GraphState) -> Iterator[Finding]:
    """Yield what the robot's other nodes report of themselves: detectors, the localiser, lights and sounds."""
    judged = set(map(state.full, ("tree", "velocity_gate", "geofence_supervisor")))
    for node, status in sorted(state.diagnostics.items()):
        if _is_of(state, node) and node not in judged and status.level in (ERROR, STALE):
            yield _finding("node_says", state, node=node, message=status.message)


def _game(state: GraphState) -> Iterator[Finding]:
    if state.ended is not None and state.values("tree").get("isolated") != "true":
        yield _finding("game_over", state, ended=state.ended)


CHECKS: tuple[Callable[[GraphState], Iterator[Finding]], ...] = (
    _launch, _base, _quality, _sensors, _clock, _transforms, _load, _further, _tree, _gate, _game,
)  # fmt: skip
"""In the order in which they are reported: what causes the others comes first."""
