"""Robots whose sensors follow a script, whatever they are told to do."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import py_trees

from arena_trees.games.crossroads.messages import Crossing
from arena_trees.games.pacman.messages import PacmanGame
from arena_trees.games.wolf_rabbit.messages import GameState
from arena_trees.perception.supervisor import GeofenceSupervisor
from arena_trees.perception.writer import PerceptionBlackboardWriter
from arena_trees.robot.clock import SECOND
from arena_trees.robot.detections import Detection, Detections
from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D
from arena_trees.robot.loop import RobotLoop
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.percepts import Bumpers, Cue, Odometry, PoseEstimate, Readings
from arena_trees.robot.scan import LaserScan
from arena_trees.robot.turret import TurretRates
from arena_trees.safety.fence_status import FenceParameters
from arena_trees.safety.gate import VelocityGate
from arena_trees.safety.parameters import GateParameters
from arena_trees.world.geofence import Geofence
from helpers.pacman_state import pacman_state

TICK = SECOND // 50
BEAMS = 36
ORIGIN = Pose2D()


@dataclass(frozen=True)
class Scene:
    """What a robot senses over some ticks; its pose is the same in the map and odom frames.

    Attributes:
        ticks: how long
        pose: where it is
        ahead: distance (m) of a wall across its way
        boxes: in each image; an image comes in each tick
        game: payload of a ``game`` message that comes at the scene's begin
        bumped: whether a bumper is pressed
        pacman: payload of a ``pacman`` message that comes at the scene's begin
        lost: whether no pose comes
        crossing: payload of a ``crossing`` message that comes at the scene's begin
    """

    ticks: int
    pose: Pose2D = ORIGIN
    ahead: float = 5.0
    boxes: tuple[Detection, ...] = ()
    game: Mapping[str, Any] | None = None
    bumped: bool = False
    pacman: Mapping[str, Any] | None = None
    lost: bool = False
    crossing: Mapping[str, Any] | None = None


class ScriptedPort:
    """A robot and its line to the referee; past its end the script stays in the last scene."""

    def __init__(self, name: str, scenes: Sequence[Scene]) -> None:
        self.name = name
        self._scenes = [(scene, k == 0) for scene in scenes for k in range(scene.ticks)]
        self._tick = -1
        self._games = 0
        self.driven: list[Twist2D] = []
        self.sent: list[Message] = []

    @property
    def ticks(self) -> int:
        return len(self._scenes)

    def now(self) -> int:
        return SECOND + self._tick * TICK

    def read(self) -> Readings:
        self._tick += 1
        scene, _ = self._scene()
        now, number = self.now(), self._tick + 1
        return Readings(
            now,
            scan=self._laser(now, number, scene.ahead),
            odometry=Odometry(now, now, number, scene.pose, ZERO),
            pose=None if scene.lost else PoseEstimate(now, now, number, scene.pose),
            bumpers=Bumpers(now, now, number, frozenset({"bump_front_center"} if scene.bumped else ())),
            more={"detections": Detections(now, now, number, 250, 250, scene.boxes)},
        )

    def drive(self, twist: Twist2D) -> None:
        self.driven.append(twist)

    def aim(self, rates: TurretRates) -> None:
        self.aimed = rates

    def fire(self) -> None:
        self.shots = getattr(self, "shots", 0) + 1

    def cue(self, cue: Cue) -> None:
        assert cue.event.isupper()

    def send(self, topic: str, payload: Mapping[str, Any]) -> Message:
        message = Message(topic, self.name, 0, len(self.sent) + 1, self.now(), payload)
        self.sent.append(message)
        return message

    def receive(self) -> Sequence[Message]:
        scene, first = self._scene()
        reported = (("game", scene.game), ("pacman", scene.pacman), ("crossing", scene.crossing)) if first else ()
        messages = []
        for topic, payload in reported:
            if payload is not None:
                self._games += 1
                sender = payload.get("scheduler", "referee")
                messages.append(Message(topic, sender, 0, self._games, self.now(), payload))
        return messages

    def _scene(self) -> tuple[Scene, bool]:
        return self._scenes[self._tick] if self._tick < self.ticks else (self._scenes[-1][0], False)

    @staticmethod
    def _laser(now: int, number: int, ahead: float) -> LaserScan:
        angles = -math.pi + math.tau / BEAMS * np.arange(BEAMS)
        ranges = np.where(np.abs(angles) < 0.6, ahead, 5.0).astype(np.float32)
        step = math.tau / BEAMS
        return LaserScan(now, now, number, ranges, -math.pi, math.pi - step, step, 0.05, 12.0)


def game(phase: str = "ACTIVE", number: int = 1, alive: bool = True) -> dict[str, Any]:
    """Return the payload of a ``game`` message."""
    return {
        "phase": phase,
        "round": number,
        "rabbit_alive": alive,
        "inside_wolf_territory": True,
        "rabbit_escaped": False,
        "verdicts": {},
    }


def pacman_game(phase: str = "RUNNING", **changes: Any) -> dict[str, Any]:
    """Return the payload of a ``pacman`` message: two pellets, no ghost, home at (-1, 0), but for the changes."""
    return {**pacman_state(phase).encode(), **changes}


def scripted_loop(root: py_trees.behaviour.Behaviour, robot: str, scenes: Sequence[Scene]) -> RobotLoop:
    """Return a loop with the real perception writer and velocity gate, in a 4 x 4 m fence, not yet configured."""
    port = ScriptedPort(robot, scenes)
    fence = Geofence(robot, [(-2.0, -2.0), (2.0, -2.0), (2.0, 2.0), (-2.0, 2.0)])
    supervisor = GeofenceSupervisor(fence, parameters=FenceParameters(rate=50.0, warning_distance=0.5))
    writer = PerceptionBlackboardWriter(robot, supervisor, subscribes=(GameState, PacmanGame, Crossing))
    # The scripted robot does not go where it is told, so the gate is not given the fence.
    gate = VelocityGate(GateParameters(scan_recovery=0.0))
    return RobotLoop(port, port, writer, py_trees.trees.BehaviourTree(root), gate)
