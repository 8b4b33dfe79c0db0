"""PacMan's start theatrics: a spin on the spot that ends where the first way begins."""

from __future__ import annotations

import math

from arena_trees.behaviours.pacman.mind import PacmanMind
from arena_trees.behaviours.pacman.show import TimedShow
from arena_trees.games.pacman.messages import Finished
from arena_trees.robot.clock import to_seconds

__all__ = ["StartSpin"]

_STOPPING = 0.15
"""s that a turn goes on after it was told to stop."""


class StartSpin(TimedShow):
    """The start theatrics: spin on the spot for ``spin_s``, then say STARTED. RUNNING always.

    In its last revolution the spin ends where the robot looks to its first goal, so that the game begins well.

    Blackboard Variables:
        * inbox (Inbox) [r]: ``pacman``
        * command [w]: a turn on the spot
        * cues [w]: START_THEATRICAL when it begins
        * outbox [w]: ``pacman_status`` STARTED

    Args:
        name: of the behaviour
        robot: name of the robot
        mind: shared with the other leaves
    """

    def __init__(self, name: str, robot: str, mind: PacmanMind) -> None:
        super().__init__(name, robot, mind.live, "START_THEATRICAL", Finished.STARTED)
        self.mind = mind
        self._goal: tuple[float, float] | None = None
        self._aimed = False

    def initialise(self) -> None:
        """Begin to spin."""
        super().initialise()
        self._goal = None
        self._aimed = False

    def length(self) -> float:
        """Return how long it takes, s."""
        return self.live.value.spin_s

    def rate(self, elapsed: int) -> float:
        """Return the yaw rate, rad/s."""
        speed = self.live.value.spin_speed
        left = self.live.value.spin_s - to_seconds(elapsed)
        self._aimed = self._aimed or (left * speed < math.tau and self._looks_ahead(speed))
        return 0.0 if self._aimed else speed

    def _looks_ahead(self, speed: float) -> bool:
        """Return whether a spin that is stopped now ends in the direction of the first goal."""
        heard, pose = self.heard(), self.mind.where.pose()
        if pose is None or heard is None or not heard.message.pellets:
            return False
        if self._goal is None:
            self._goal = self.mind.planner.decide(pose, heard.message, heard.arrival).goal
        return 0.0 <= pose.bearing_to(*self._goal) < _STOPPING * speed
