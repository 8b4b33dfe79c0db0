"""What can be seen of one robot on a ROS graph: plain values, gathered by the probe, judged by the doctor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from arena_trees.nodes.diagnosis.launch_log import Death, LaunchEnd
from arena_trees.nodes.diagnosis.local_processes import LocalProcess

__all__ = ["Endpoint", "Environment", "GraphState", "Link", "Status", "Stream"]


@dataclass(frozen=True, slots=True)
class Environment:
    """What must be the same on every machine of a robot: ROS domain, middleware, discovery range and server."""

    domain_id: int
    rmw: str
    discovery_range: str = "SUBNET"
    discovery_server: str = ""

    def __str__(self) -> str:
        server = f", discovery server {self.discovery_server}" if self.discovery_server else ""
        return f"domain {self.domain_id}, {self.rmw}, discovery {self.discovery_range}{server}"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A publisher or a subscriber: full name of its node, type of its messages, and its rclpy QoS profile."""

    node: str
    type: str
    qos: Any = None


@dataclass(frozen=True, slots=True)
class Stream:
    """What came on one topic.

    Attributes:
        count: messages
        stamp_age: clock at the newest message's arrival minus its stamp, s
        with_return: scans with at least one usable range
    """

    count: int = 0
    stamp_age: float = 0.0
    with_return: int = 0


@dataclass(frozen=True, slots=True)
class Link:
    """One transform: time (s) since its stamp or its arrival, whichever is longer, and whether it came on tf_static."""

    age: float
    static: bool


@dataclass(frozen=True, slots=True)
class Status:
    """What a node reports of itself on ``/diagnostics``.

    Attributes:
        level: one of diagnostic_msgs/DiagnosticStatus
        message: in a few words
        values: further details
    """

    level: bytes
    message: str
    values: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class GraphState:
    """One robot as it is seen on the graph; topics and nodes are named in full, and the probe itself is left out.

    Attributes:
        namespace: of the robot, with a leading slash; ``/`` for none
        environment: of this process
        seconds: how long the probe listened
        nodes: those of the robot's namespace
        robots: namespaces in which a velocity gate or a tree was seen
        publishers: topic to its publishers, for the robot's topics and ``/tf``
        subscribers: topic to its subscribers
        clock_publishers: of ``/clock``
        clock_count: messages on it
        clock_advanced: by how much it went on, s
        diagnostics: node to what it reported last of itself, for the robot's nodes and those that stand at the root
        streams: topic to what came on it
        scan_frame: frame of the newest scan, or None
        links: (parent, child) to the transform; None where tf2_msgs is not installed
        gate: states of the velocity gate, oldest first
        ended: why the game is not being played; None where it is, or nothing came from the rules
        docked: whether the base stands on its dock, or None where that is not known
        wheels_enabled: False while the base's emergency stop is on; None where that is not known
        processes: node to the process of this machine that runs it
        deaths: node to how its process ended, as the newest launch on this machine has it
        launch_end: why that launch ended by an error; None where it did not
    """

    namespace: str
    environment: Environment
    seconds: float
    nodes: tuple[str, ...]
    robots: tuple[str, ...]
    publishers: Mapping[str, tuple[Endpoint, ...]]
    subscribers: Mapping[str, tuple[Endpoint, ...]]
    clock_publishers: int
    clock_count: int
    clock_advanced: float
    diagnostics: Mapping[str, Status]
    streams: Mapping[str, Stream] = field(default_factory=dict)
    scan_frame: str | None = None
    links: Mapping[tuple[str, str], Link] | None = None
    gate: tuple[str, ...] = ()
    ended: str | None = None
    docked: bool | None = None
    wheels_enabled: bool | None = None
    processes: Mapping[str, LocalProcess] = field(default_factory=dict)
    deaths: Mapping[str, Death] = field(default_factory=dict)
    launch_end: LaunchEnd | None = None

    def full(self, name: str) -> str:
        """Return the full name of a topic or node of this robot."""
        return f"{self.namespace.rstrip('/')}/{name}"

    def values(self, name: str) -> Mapping[str, str]:
        """Return what a node of this robot reports of itself; nothing where nothing came from it."""
        status = self.diagnostics.get(self.full(name))
        return {} if status is None else status.values
