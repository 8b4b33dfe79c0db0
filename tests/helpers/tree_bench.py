"""A bench for behaviours: percepts made by hand go in, statuses, commands, cues and messages come out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import py_trees
from py_trees.common import Access, Status

from arena_trees.games.wolf_rabbit.messages import ISOLATED, GameState
from arena_trees.robot import keys
from arena_trees.robot.clock import SECOND
from arena_trees.robot.detections import Detection, Detections
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.messaging.game_message import GameMessage
from arena_trees.robot.messaging.inbox import Inbox, Received
from arena_trees.robot.percepts import FenceStatus, GeofenceReport, Odometry, Percepts, PoseEstimate, Target, Tracking
from helpers.scans import scan_of_points

TICK = SECOND // 50
WIDTH = 250


@dataclass(frozen=True)
class Outcome:
    """What came out of one tick."""

    status: Status
    command: tuple[float, float] | None
    cues: list[str]
    outbox: list[GameMessage]
    tracking: Tracking | None
    active: str
    feedback: str


class TreeBench:
    """Ticks a leaf or a tree of one robot at 50 Hz. Percepts stay until they are replaced.

    Attributes:
        now: clock at the next tick, ns
        root: what is ticked
    """

    def __init__(self, robot: str = "robot") -> None:
        self.robot = robot
        self.now = SECOND
        self.root: py_trees.behaviour.Behaviour | None = None
        self._sequence = 0
        self.board = py_trees.blackboard.Client(name="bench", namespace=keys.namespace(robot))
        for key in (*keys.percept_keys(), *keys.OUTPUTS, keys.TARGET, keys.ENERGY, keys.HOME):
            self._join(key)
        for key in keys.percept_keys():
            self.board.set(key, Percepts(0).get(key))
        for key in keys.OUTPUTS:
            self.board.set(key, None)
        for key in (keys.TARGET, keys.HOME):
            self.board.set(key, None)

    def set_up(self, root: py_trees.behaviour.Behaviour) -> TreeBench:
        """Take a leaf or a tree and set it up."""
        self.root = root
        root.setup_with_descendants()
        return self

    def put(self, **values: Any) -> TreeBench:
        """Write keys as they are."""
        for key, value in values.items():
            self._join(key)
            self.board.set(key, value)
        return self

    def get(self, key: str) -> Any:
        """Return what is under a key."""
        self._join(key)
        return self.board.get(key)

    def _join(self, key: str) -> None:
        if not self.board.is_registered(key):
            self.board.register_key(key, Access.WRITE)

    def stamps(self) -> tuple[int, int, int]:
        """Return stamp and arrival of now, and the next sequence number."""
        self._sequence += 1
        return self.now, self.now, self._sequence

    def odometry(self, x: float = 0.0, y: float = 0.0, yaw: float = 0.0, v: float = 0.0, w: float = 0.0) -> TreeBench:
        return self.put(odometry=Odometry(*self.stamps(), Pose2D(x, y, yaw), Twist2D(v, w)))

    def pose(self, x: float = 0.0, y: float = 0.0, yaw: float = 0.0) -> TreeBench:
        return self.put(pose=PoseEstimate(*self.stamps(), Pose2D(x, y, yaw)))

    def points(self, *points: tuple[float, float]) -> TreeBench:
        """Write a scan with exactly these points (m, base_link)."""
        _, now, sequence = self.stamps()
        return self.put(scan=scan_of_points(points, now, sequence))

    def fence(
        self,
        status: FenceStatus,
        way_inside: tuple[float, float] = (0.0, 0.0),
        centroid: tuple[float, float] = (0.0, 0.0),
    ) -> TreeBench:
        return self.put(geofence=GeofenceReport(*self.stamps(), "fence", status, 0.0, 0.5, way_inside, centroid))

    def game(self, **values: Any) -> TreeBench:
        """Write the referee's message; what is not named is as for a robot that hears nothing."""
        state = ISOLATED.model_copy(update=values)
        _, now, sequence = self.stamps()
        received = Received(state, "referee", 1, sequence, now, now)
        return self.put(inbox=Inbox({GameState: {"referee": received}}, sequence, (received,)))

    def see(self, *boxes: Detection, delay: int = 0) -> TreeBench:
        """Write an image that was exposed a while (ns) ago."""
        _, now, sequence = self.stamps()
        return self.put(detections=Detections(now - delay, now, sequence, WIDTH, WIDTH, boxes))

    def follow(self, target: Target | None) -> TreeBench:
        return self.put(target=target)

    def tick(self, times: int = 1) -> Outcome:
        """Tick and return the last outcome; the outputs are cleared before each tick, as the robot loop does."""
        for _ in range(times):
            outcome = self._tick()
        return outcome

    def ticks(self, times: int) -> list[Outcome]:
        """Tick and return every outcome."""
        return [self._tick() for _ in range(times)]

    def _tick(self) -> Outcome:
        assert self.root is not None
        self.put(now=self.now, command=None, tracking=None, cues=[], outbox=[])
        for _ in self.root.tick():
            pass
        command: Twist2D | None = self.get(keys.COMMAND)
        self.now += TICK
        return Outcome(
            status=self.root.status,
            command=None if command is None else (command.linear, command.angular),
            cues=[cue.event for cue in self.get(keys.CUES)],
            outbox=self.get(keys.OUTBOX),
            tracking=self.get(keys.TRACKING),
            active=active(self.root),
            feedback=self.root.feedback_message,
        )


def active(root: py_trees.behaviour.Behaviour) -> str:
    """Return the name of the running leaf, or an empty text."""
    for node in root.iterate():
        if node.status is Status.RUNNING and not node.children:
            return str(node.name)
    return ""


def box(
    label: str = "rabbit_sign", x: float = WIDTH / 2, width: float = 40.0, y: float = 60.0, confidence: float = 1.0
) -> Detection:
    """Return a square box."""
    return Detection(label, confidence, x, y, width, width)


def target(bench: TreeBench, px: float = WIDTH / 2, **changes: Any) -> Target:
    """Return a fresh, confirmed target at a column, 1.5 m away, but for the changes."""
    values: dict[str, Any] = {
        "box": box(x=px),
        "stamp": bench.now,
        "seen": bench.now,
        "hits": 3,
        "image_width": WIDTH,
        "filtered_px": px,
        "velocity_px": 0.0,
        "predicted_px": px,
        "bearing": 0.0,
        "range": 1.5,
        "range_sigma": 0.05,
        "position": (1.5, 0.0),
    }
    return Target(**{**values, **changes})


def wall(distance: float, half_width: float = 0.5, count: int = 21) -> Sequence[tuple[float, float]]:
    """Return the points of a wall across the way ahead."""
    return [(distance, -half_width + 2.0 * half_width * k / (count - 1)) for k in range(count)]
