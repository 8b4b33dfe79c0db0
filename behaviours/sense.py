"""Show at a glance which percepts a robot lacks."""

from __future__ import annotations

from py_trees.common import Status

from arena_trees.behaviours.base import PerceptBehaviour
from arena_trees.robot import keys
from arena_trees.robot.clock import from_seconds

__all__ = ["Sense"]

_LIMITS = {
    keys.SCAN: from_seconds(0.5),
    keys.ODOMETRY: from_seconds(0.3),
    keys.POSE: from_seconds(0.5),
    "detections": from_seconds(0.7),
}

_PERIOD = from_seconds(0.1)
"""Between two looks, ns."""


class Sense(PerceptBehaviour):
    """Name the percepts that are missing or stale in the feedback. Returns SUCCESS always.

    Blackboard Variables:
        * scan, odometry, pose, detections [r]
    """

    def __init__(self, name: str, robot: str) -> None:
        super().__init__(name, robot, tuple(_LIMITS))
        self._next = 0

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._next = 0

    def update(self) -> Status:
        """Look at the ages, now and then: this is for people, and decides nothing."""
        now = self.now
        if self._next - _PERIOD <= now < self._next:
            return Status.SUCCESS
        self._next = now + _PERIOD
        lacking = []
        for key, limit in _LIMITS.items():
            percept = getattr(self.percepts, key)
            if percept is None or percept.age(now) > limit:
                lacking.append(key)
        self.feedback_message = f"waiting for {', '.join(lacking)}" if lacking else "all percepts fresh"
        return Status.SUCCESS
