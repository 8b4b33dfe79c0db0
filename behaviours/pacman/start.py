"""PacMan's start theatrics: a spin on the spot that ends where the first way begins."""

from __future__ import annotations

import math
from collections.abc import Callable

from arena_trees.behaviours.pacman.parameters import PacmanParameters
from arena_trees.behaviours.pacman.plan_request import PlanRequest
from arena_trees.behaviours.pacman.show import TimedShow
from arena_trees.games.pacman.blackboard import FIRST_GOAL, MAP_POSE
from arena_trees.games.pacman.messages import Finished
from arena_trees.robot.background import Background
from arena_trees.robot.clock import to_seconds
from arena_trees.robot.configuration.parameters import Live

__all__ = ["StartSpin"]

_STOPPING = 0.15
"""s that a turn goes on after a stop was commanded."""


class StartSpin(TimedShow):
    """The start theatrics: spin on the spot for ``spin_s``, then report STARTED. RUNNING always.

    In its last revolution the spin ends where the robot looks to its first goal, so that the game begins well.

    Blackboard Variables:
        * inbox (Inbox) [r]: ``pacman``
        * map_pose (Pose2D) [r]
        * first_goal [w]: where the first way leads, once the last revolution has begun
        * command [w]: a turn on the spot
        * cues [w]: START_THEATRICAL when it begins
        * outbox [w]: ``pacman_status`` STARTED

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters
        plans: returns the line to the planner; called when the tree is set up
    """

    plans: Background

    def __init__(self, name: str, robot: str, live: Live[PacmanParameters], plans: Callable[[], Background]) -> None:
        super().__init__(name, robot, live, "START_THEATRICAL", Finished.STARTED, (MAP_POSE,), (FIRST_GOAL,))
        self._find_plans = plans
        self._request: PlanRequest | None = None
        self._aimed = False

    def setup(self, **kwargs: object) -> None:
        """Have the planner made.

        Raises:
            ConfigError: it cannot be made from the map
        """
        self.plans = self._find_plans()
        self.outputs.first_goal = None

    def initialise(self) -> None:
        """Begin to spin."""
        super().initialise()
        self.outputs.first_goal = None
        self._request = None
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
        received, pose = self.newest_game(), self.percepts.map_pose
        if pose is None or received is None or not received.message.pellets:
            return False
        if self.outputs.first_goal is None:
            if self._request is None:
                reply = self.plans.call("plan", pose, received.message, received.arrival)
                self._request = PlanRequest(reply, self.now, self.live.value.planning_delay)
            if not self._request.is_ready(self.now):
                return False
            self.outputs.first_goal = self._request.value().plan.goal
        return bool(0.0 <= pose.bearing_to(*self.outputs.first_goal) < _STOPPING * speed)
