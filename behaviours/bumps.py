"""Bumps: what the bumper has met and no other sensor shows is remembered, and backed off from."""

from __future__ import annotations

from dataclasses import dataclass

from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour, PerceptBehaviour
from arena_trees.control.bump_memory import BumpMemory
from arena_trees.robot import keys
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.geometry import Disc, Pose2D
from arena_trees.robot.percepts import Bumpers, Odometry

__all__ = ["BUMPED", "BackOff", "BumpedObstacles", "RememberBumps"]

BUMPED = "bumped"
"""BumpedObstacles, what the bumper has met twice; written by RememberBumps."""

_RADIUS = 0.17
"""Of what is run into unseen, m: a robot's."""
_KEEP_S = 60.0
"""Things and robots that are run into may go away."""
_BACK_SPEED = 0.1
"""m/s; what is behind is seen by the LiDAR alone, and the velocity gate goes by it."""
_BACK_M = 0.15
"""So far that a robot can turn, and drive past."""
_BACK_S = 3.0
"""The gate may hold it."""


@dataclass(frozen=True, slots=True)
class BumpedObstacles:
    """Obstacles that the bumper has met twice.

    Attributes:
        obstacles: discs (x, y, radius), base_link now, m
    """

    obstacles: tuple[Disc, ...] = ()

    def __str__(self) -> str:
        return ", ".join(f"({x:.2f}, {y:.2f})" for x, y, _ in self.obstacles) or "nothing"


_NOTHING = BumpedObstacles()


class RememberBumps(PerceptBehaviour):
    """Keep account of what the bumper meets; belongs into the sensing branch. SUCCESS always.

    Blackboard Variables:
        * bumpers (Bumpers) [r]
        * odometry (Odometry) [r]
        * bumped (BumpedObstacles) [w]: what was met twice within a minute at one place

    Args:
        name: of the behaviour
        robot: name of the robot
        hull: radius of the robot, m
    """

    def __init__(self, name: str, robot: str, hull: float) -> None:
        super().__init__(name, robot, (keys.BUMPERS, keys.ODOMETRY), (BUMPED,))
        self.hull = hull
        self._reset()

    def _reset(self) -> None:
        self._memory = BumpMemory(self.hull, _RADIUS, _KEEP_S)
        self.outputs.bumped = _NOTHING

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._reset()

    def update(self) -> Status:
        """Add this tick's bumper contacts to the memory and write the obstacles that it holds; SUCCESS always."""
        bumpers: Bumpers | None = self.percepts.bumpers
        odometry: Odometry | None = self.percepts.odometry
        if odometry is None:
            return Status.SUCCESS
        pressed = () if bumpers is None else sorted(bumpers.pressed)
        if self._memory.feel(self.now, pressed, odometry.pose):
            self.feedback_message = f"met something: {bumpers}"
        obstacles = self._memory.obstacles(odometry.pose)
        if obstacles or self.outputs.bumped.obstacles:
            self.outputs.bumped = BumpedObstacles(obstacles)
        return Status.SUCCESS


class BackOff(ActionBehaviour):
    """Drive backwards from what was bumped into, 0.15 m or for 3 s. RUNNING until then, then SUCCESS.

    Blackboard Variables:
        * odometry (Odometry) [r]
        * command [w]

    Args:
        name: of the behaviour
        robot: name of the robot
        stands: whether it commands a standstill in its last tick; not where another behaviour commands in that tick
    """

    def __init__(self, name: str, robot: str, *, stands: bool = True) -> None:
        super().__init__(name, robot, (keys.ODOMETRY,))
        self.stands = stands

    def initialise(self) -> None:
        """Note the pose and time of the start."""
        odometry: Odometry | None = self.percepts.odometry
        self._from: Pose2D | None = None if odometry is None else odometry.pose
        self._since = self.now

    def update(self) -> Status:
        """Drive backwards; RUNNING until far enough or out of time, then SUCCESS."""
        odometry: Odometry | None = self.percepts.odometry
        gone = 0.0
        if odometry is not None and self._from is not None:
            gone = odometry.pose.distance_to(self._from.x, self._from.y)
        if gone >= _BACK_M or self.now - self._since > from_seconds(_BACK_S):
            if self.stands:
                self.drive(0.0, 0.0)
            return Status.SUCCESS
        self.drive(-_BACK_SPEED, 0.0)
        return Status.RUNNING
