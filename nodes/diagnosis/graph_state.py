"""What can be seen of one robot on a ROS graph: plain values, gathered by the probe, judged by the doctor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Clock", "Endpoint", "Environment", "GraphState", "Link", "Mismatch", "Stream", "TreeHealth"]


@dataclass(frozen=True, slots=True)
class Environment:
    """Where this process stands: what must be the same on every machine of a robot.

    Attributes:
        domain_id: ROS domain
        rmw: identifier of the middleware
        discovery_range: ``ROS_AUTOMATIC_DISCOVERY_RANGE``, or ``LOCALHOST`` by the older ``ROS_LOCALHOST_ONLY``
        discovery_server: ``ROS_DISCOVERY_SERVER``, or empty
    """

    domain_id: int
    rmw: str
    discovery_range: str = "SUBNET"
    discovery_server: str = ""

    def __str__(self) -> str:
        server = f", discovery server {self.discovery_server}" if self.discovery_server else ""
        return f"domain {self.domain_id}, {self.rmw}, discovery {self.discovery_range}{server}"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A publisher or a subscriber of a topic.

    Attributes:
        node: full name of its node
        type: of its messages, such as ``geometry_msgs/msg/Twist``
    """

    node: str
    type: str


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A publisher and a subscriber of one topic whose qualities of service keep them apart."""

    topic: str
    publisher: str
    subscriber: str
    reason: str


@dataclass(frozen=True, slots=True)
class Stream:
    """What came on one topic while the probe listened.

    Attributes:
        count: messages
        stamp_age: clock at the arrival minus the newest message's stamp, s; None where nothing came
        with_return: of scans, those with at least one usable range
    """

    count: int = 0
    stamp_age: float | None = None
    with_return: int = 0


@dataclass(frozen=True, slots=True)
class Link:
    """One transform of tf.

    Attributes:
        age: since the newest one came or since its stamp, whichever is longer, s
        static: whether it came on tf_static, where it holds for good
    """

    age: float
    static: bool = False


@dataclass(frozen=True, slots=True)
class Clock:
    """What came on ``/clock``.

    Attributes:
        publishers: how many nodes publish it
        count: messages
        advanced: by how much it went on, s
    """

    publishers: int = 0
    count: int = 0
    advanced: float = 0.0


@dataclass(frozen=True, slots=True)
class TreeHealth:
    """What a tree node says of itself.

    Attributes:
        state: label of its lifecycle state, such as ``active``; None where it did not answer
        commands: messages on cmd_vel_raw
        fault: why it is latched, or None
    """

    state: str | None = None
    commands: int = 0
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class GraphState:
    """One robot as it is seen on the graph.

    Topics and nodes are named in full. Everything that belongs to the probe itself is left out.

    Attributes:
        namespace: of the robot, with a leading slash; ``/`` for none
        environment: of this process
        seconds: how long the probe listened
        nodes: those of the robot's namespace
        robots: namespaces in which a velocity gate or a tree was seen
        publishers: topic to its publishers, for the robot's topics and ``/tf``
        subscribers: topic to its subscribers
        mismatches: pairs of them that cannot speak with each other
        streams: topic to what came on it
        scan_frame: frame of the newest scan, or None
        links: (parent, child) to the transform; None where tf2_msgs is not installed
        clock: ``/clock``
        sim_time: node to its ``use_sim_time``, of those that answered
        arena: the gate's parameter ``arena``; empty where the robot has no fence
        gate: states of the velocity gate that were heard, oldest first
        tree: what the tree node says
        ended: why the game is not being played; None where it is, or no rules were heard
        docked: whether the base stands on its dock, or None where that is not known
        wheels_enabled: False while the base's emergency stop is on; None where that is not known
    """

    namespace: str
    environment: Environment
    seconds: float
    nodes: tuple[str, ...] = ()
    robots: tuple[str, ...] = ()
    publishers: Mapping[str, tuple[Endpoint, ...]] = field(default_factory=dict)
    subscribers: Mapping[str, tuple[Endpoint, ...]] = field(default_factory=dict)
    mismatches: tuple[Mismatch, ...] = ()
    streams: Mapping[str, Stream] = field(default_factory=dict)
    scan_frame: str | None = None
    links: Mapping[tuple[str, str], Link] | None = field(default_factory=dict)
    clock: Clock = field(default_factory=Clock)
    sim_time: Mapping[str, bool] = field(default_factory=dict)
    arena: str = ""
    gate: tuple[str, ...] = ()
    tree: TreeHealth = field(default_factory=TreeHealth)
    ended: str | None = None
    docked: bool | None = None
    wheels_enabled: bool | None = None

    def full(self, name: str) -> str:
        """Return the full name of a topic or node of this robot."""
        return f"{self.namespace.rstrip('/')}/{name}"
