"""The doctor's judgement: why a robot will not move, told from what can be seen of it on the graph.

Functions of a :class:`~arena_trees.nodes.diagnosis.graph_state.GraphState` alone; what gathers one is
:mod:`arena_trees.nodes.diagnosis.graph_probe`.
"""

from __future__ import annotations

from collections.abc import Iterator

from arena_trees.nodes.diagnosis.findings import Check, Finding, listed
from arena_trees.nodes.diagnosis.graph_state import Endpoint, GraphState
from arena_trees.nodes.diagnosis.inputs import clock, quality, sensors, transforms

__all__ = ["CHECKS", "Finding", "diagnose"]

_WATCHERS = ("_", "rosbag2", "foxglove_bridge")
"""How the names of nodes begin that listen to anything and drive nothing; ``ros2 topic`` has a hidden name."""
_JOYSTICK = "teleop_twist_joy_node"
"""May publish cmd_vel beside the gate: it is the operator's override, and the gate is told of it."""
_LATCHED = "latched: "
_MOVES = "ok"
"""What the gate says of itself while it stops nothing."""


def diagnose(state: GraphState) -> list[Finding]:
    """Return everything that keeps the robot from moving, what causes the rest first; empty where nothing does."""
    alone = list(_nothing_there(state))
    return alone or [finding for check in CHECKS for finding in check(state)]


def _nothing_there(state: GraphState) -> Iterator[Finding]:
    if state.environment.discovery_range == "OFF":
        yield Finding(
            "discovery_off",
            "this process finds no other process",
            "ROS_AUTOMATIC_DISCOVERY_RANGE is OFF",
            "unset it, or set it to SUBNET (LOCALHOST for one machine)",
        )
        return
    inside = state.namespace.rstrip("/") + "/"
    if any(topic.startswith(inside) for topic in (*state.publishers, *state.subscribers)) or state.nodes:
        return
    others = f"; robots that are there: {', '.join(state.robots)}" if state.robots else ""
    yield Finding(
        "nothing_there",
        f"nothing of {state.namespace} is on this graph",
        f"no node, publisher or subscriber in {state.seconds:g} s ({state.environment}){others}",
        "start the robot, check --namespace; ROS_DOMAIN_ID, RMW_IMPLEMENTATION, discovery range and discovery server "
        "must be the same on every machine of the robot",
    )


def _base(state: GraphState) -> Iterator[Finding]:
    topic = state.full("cmd_vel")
    listeners = [one for one in state.subscribers.get(topic, ()) if not _watches(one)]
    speakers = state.publishers.get(topic, ())
    if not listeners:
        yield Finding(
            "no_cmd_vel_subscriber",
            f"nothing drives: {topic} has no subscriber",
            "the gate publishes and nobody listens",
            "switch the base on and wait for its chime; check the namespace, and on a TurtleBot 4 that "
            f"create3_republisher runs; this process is in {state.environment}",
        )
    heard, spoken = {one.type for one in listeners}, {one.type for one in speakers}
    if heard and spoken and not heard & spoken:
        yield Finding(
            "cmd_vel_type",
            f"{topic} is published as {listed(spoken)} and listened to as {listed(heard)}",
            "ROS connects them silently with nothing: no error, no motion",
            "set stamped_cmd_vel of the velocity gate to true (Jazzy: TwistStamped) or false (Humble: Twist)",
        )
    if state.wheels_enabled is False:
        yield Finding(
            "wheels_off",
            "the base's emergency stop is on",
            f"{state.full('wheel_status')} says wheels_enabled: false",
            f"when the floor is clear: ros2 service call {state.full('e_stop')} irobot_create_msgs/srv/EStop "
            '"{e_stop_on: false}", then reset the gate',
        )
    if state.docked:
        yield Finding(
            "docked",
            "the robot is on its dock",
            f"{state.full('dock_status')} says is_docked: true; LiDAR and camera are switched off there to save power",
            f'ros2 action send_goal {state.full("undock")} irobot_create_msgs/action/Undock "{{}}"',
        )


def _publishers(state: GraphState) -> Iterator[Finding]:
    topic = state.full("cmd_vel")
    speakers = [one.node for one in state.publishers.get(topic, ()) if one.node.rpartition("/")[2] != _JOYSTICK]
    if len(speakers) > 1:
        yield Finding(
            "two_publishers",
            f"{topic} has {len(speakers)} publishers: {listed(speakers)}",
            "the gate stops the robot while another node drives it",
            "stop all but the velocity gate; a multiplexer belongs before the gate, on cmd_vel_raw (docs/ros.md)",
        )


def _gate(state: GraphState) -> Iterator[Finding]:
    name = state.full("velocity_gate")
    if name not in state.nodes:
        yield Finding(
            "gate_missing",
            f"{name} does not run",
            "nothing turns commands of the tree into motion",
            "launch the robot anew; when the gate ends, its launch ends with it",
        )
        return
    newest = state.gate[-1] if state.gate else ""
    if newest.startswith(_LATCHED):
        yield Finding(
            "gate_latched",
            f"the velocity gate is latched: {newest.removeprefix(_LATCHED)}",
            "it gives zero until a person resets it",
            f"clear the reason, then ros2 service call {name}/reset std_srvs/srv/Trigger",
        )
    elif state.gate and _MOVES not in state.gate:
        yield Finding(
            "gate_stops",
            f"the velocity gate stops the robot: {newest}",
            f"{name}/state said nothing else for {state.seconds:g} s",
            "see the reason in docs/architecture.md, Why a robot stands",
        )


def _tree(state: GraphState) -> Iterator[Finding]:
    name = state.full("tree")
    if name not in state.nodes:
        yield Finding(
            "tree_missing", f"{name} does not run", "nothing decides where to drive", "launch the robot (docs/ros.md)"
        )
        return
    tree = state.tree
    if tree.fault is not None:
        yield Finding(
            "tree_latched",
            f"the tree is latched: {tree.fault}",
            "a behaviour failed, so every behaviour was stopped",
            f"ros2 service call {name}/reset std_srvs/srv/Trigger, then ros2 lifecycle set {name} activate",
        )
    elif tree.state is not None and tree.state != "active":
        yield Finding(
            "tree_inactive",
            f"the tree is {tree.state}",
            "it does not tick, and commands nothing",
            f"ros2 lifecycle set {name} {'activate' if tree.state == 'inactive' else 'configure, then activate'}",
        )
    elif tree.commands == 0:
        yield Finding(
            "tree_silent",
            f"the tree sends nothing on {state.full('cmd_vel_raw')}",
            f"no message in {state.seconds:g} s from {name}, state {tree.state or 'unknown: it does not answer'}",
            "look at its log: it hangs, or its output is remapped (launch argument command_topic)",
        )


def _game(state: GraphState) -> Iterator[Finding]:
    if state.ended is not None:
        yield Finding(
            "game_over",
            f"the game is not being played: {state.ended}",
            "robots may stand until the rules begin the game, or its next round",
            "ros2 service call /game/start std_srvs/srv/Trigger",
        )


CHECKS: tuple[Check, ...] = (_base, _publishers, quality, sensors, clock, transforms, _tree, _gate, _game)
"""In the order in which they are told: what causes the others comes first."""


def _watches(endpoint: Endpoint) -> bool:
    return endpoint.node.rpartition("/")[2].startswith(_WATCHERS)
