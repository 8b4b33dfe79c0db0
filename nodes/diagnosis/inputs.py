"""The doctor's judgement of what a robot is given: qualities of service, sensors, clock and transforms."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from arena_trees.nodes.diagnosis.findings import Finding, listed
from arena_trees.nodes.diagnosis.graph_state import GraphState

__all__ = ["clock", "quality", "sensors", "transforms"]

STALE_S = 0.5
"""Age (s) from which scan, odometry and pose are too old for the velocity gate."""
CLOCKS_APART_S = 0.5
"""Difference (s) of two machines' clocks from which the gate stops the robot."""


def quality(state: GraphState) -> Iterator[Finding]:
    """Yield publishers and subscribers that cannot speak with each other."""
    for mismatch in state.mismatches:
        yield Finding(
            "qos",
            f"{mismatch.subscriber} cannot hear {mismatch.publisher} on {mismatch.topic}",
            f"their qualities of service do not fit: {mismatch.reason}",
            "make the publisher reliable, or the subscriber best effort (parameter reliability of our nodes)",
        )


def sensors(state: GraphState) -> Iterator[Finding]:
    """Yield sensors that are silent, and a LiDAR that sees nothing."""
    for name, missing, what in (("scan", "no_scan", "LiDAR"), ("odom", "no_odometry", "base")):
        topic = state.full(name)
        stream = state.streams.get(topic)
        if stream is None or stream.count == 0:
            publishers = state.publishers.get(topic, ())
            yield Finding(
                missing,
                f"nothing comes on {topic}",
                f"{len(publishers)} publishers, no message in {state.seconds:g} s",
                f"check that the {what} runs (on the dock a TurtleBot 4 switches its LiDAR off) and the namespace",
            )
        elif name == "scan" and stream.with_return == 0:
            yield Finding(
                "scan_without_return",
                f"no scan on {topic} has a usable range",
                f"{stream.count} scans, all of them inf, NaN or 0; the gate takes such a LiDAR for a blind one",
                "look whether it is covered, or everything around is farther than its range, or glass",
            )


def clock(state: GraphState) -> Iterator[Finding]:
    """Yield clocks that stand, are missing, or differ."""
    simulated = sorted(node for node, simulated in state.sim_time.items() if simulated)
    real = sorted(node for node, simulated in state.sim_time.items() if not simulated)
    if simulated and not state.clock.publishers:
        yield Finding(
            "sim_time_without_clock",
            f"{listed(simulated)} wait for simulated time",
            "use_sim_time is true and nobody publishes /clock: their time stands at 0",
            "start them with use_sim_time:=false, or start the simulation",
        )
    if state.clock.publishers and state.clock.advanced <= 0.0:
        yield Finding(
            "clock_stands",
            "/clock does not advance",
            f"{state.clock.count} messages in {state.seconds:g} s, and the time in them stands",
            "let the simulation go on, or the bag that plays it",
        )
    if real and (simulated or state.clock.publishers):
        yield Finding(
            "clocks_mixed",
            f"{listed(real)} live in real time, while /clock or {listed(simulated) or 'others'} live in simulated time",
            "every message looks too old or comes from the future",
            "give every node of the robot the same use_sim_time",
        )
    if not simulated and not state.clock.publishers:
        yield from _clocks_apart(state)


def _clocks_apart(state: GraphState) -> Iterator[Finding]:
    apart = {
        topic: stream.stamp_age
        for topic, stream in state.streams.items()
        if stream.stamp_age is not None and abs(stream.stamp_age) > CLOCKS_APART_S
    }
    if apart:
        worst = max(apart, key=lambda topic: abs(apart[topic]))
        yield Finding(
            "clocks_apart",
            f"the clock of this machine and that of {listed(apart)} differ",
            f"messages of {worst} are stamped {apart[worst]:+.1f} s away from now when they come",
            "set both clocks by the same time server: chronyc makestep on the robot and here",
        )


def transforms(state: GraphState) -> Iterator[Finding]:
    """Yield transforms that are missing, old, or elsewhere."""
    topic = state.full("tf")
    if topic != "/tf" and not state.publishers.get(topic) and state.publishers.get("/tf"):
        yield Finding(
            "tf_elsewhere",
            f"transforms are on /tf, and the robot's nodes listen to {topic}",
            f"{listed(one.node for one in state.publishers['/tf'])} publish /tf",
            "start their nodes with the remaps /tf:=tf /tf_static:=tf_static",
        )
    if state.links is None:
        yield Finding(
            "no_tf2_msgs",
            "transforms cannot be read here",
            "the package tf2_msgs is not installed; a node without it has no pose, and uses no scan",
            "apt install ros-jazzy-tf2-msgs",
        )
        return
    above = {child: parent for parent, child in state.links}
    frame = state.scan_frame
    if frame is not None and "base_link" not in _way_up(frame, above):
        yield Finding(
            "no_scan_frame",
            f"there is no transform base_link -> {frame}",
            "scans are measured in that frame; without its place on the robot none is used",
            "check that robot_state_publisher runs, or publish the transform: ros2 run tf2_ros "
            "static_transform_publisher --frame-id base_link --child-frame-id ... (remapped: /tf_static:=tf_static)",
        )
    if state.arena:
        yield from _pose(state, above)


def _pose(state: GraphState, above: dict[str, str]) -> Iterator[Finding]:
    links = state.links or {}
    way = _way_up("base_link", above)
    if way[-1] != "map":
        top = way[-1]
        yield Finding(
            "no_pose",
            f"there is no transform {'map' if top == 'odom' else 'odom'} -> {top}",
            f"from base_link up, {state.full('tf')} ends at {top}; a robot with a fence needs map -> base_link",
            "start localisation and give it an initial pose" if top == "odom" else "check that the base runs",
        )
    for child, parent in pairwise(way):
        link = links[parent, child]
        if not link.static and link.age > STALE_S:
            yield Finding(
                "stale_tf",
                f"the transform {parent} -> {child} is {link.age:.1f} s old",
                f"more than {STALE_S:g} s counts as lost",
                "check the localisation (AMCL renews it with each scan)" if parent == "map" else "check the base",
            )


def _way_up(frame: str, above: dict[str, str]) -> list[str]:
    """Return a frame and those above it, up to the map or to where tf ends."""
    way = [frame]
    while way[-1] != "map" and way[-1] in above and above[way[-1]] not in way:
        way.append(above[way[-1]])
    return way
