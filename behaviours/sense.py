"""Show at a glance which percepts a robot lacks."""

from __future__ import annotations

from collections.abc import Iterable

from py_trees.common import Status

from arena_trees.behaviours.base import PerceptBehaviour
from arena_trees.robot import keys
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.sensor_registry import sensors

__all__ = ["Sense"]

_LIMITS = {keys.SCAN: 0.5, keys.ODOMETRY: 0.3, keys.POSE: 0.5}
"""Ages from which these are stale, s; every tree needs them."""

_PERIOD = from_seconds(0.1)
"""Between two looks, ns."""


class Sense(PerceptBehaviour):
    """Name the percepts that are missing or stale in the feedback. Returns SUCCESS always.

    Scan, odometry and pose are stale after 0.5, 0.3 and 0.5 s, percepts of other sensors when
    :attr:`~arena_trees.robot.sensor.Sensor.stale_s` specifies; one without a limit is named until it has come.

    Args:
        name: of the behaviour
        robot: whose blackboard it reads
        needs: keys of the sensors that the tree needs besides scan, odometry and pose

    Raises:
        ConfigError: there is no such sensor

    Blackboard Variables:
        * scan, odometry, pose [r]; and those of ``needs``

    Attributes:
        given_keys: those of ``needs``, which no docstring can list
    """

    def __init__(self, name: str, robot: str, needs: Iterable[str] = ()) -> None:
        needs = tuple(needs)
        unknown = [key for key in needs if key not in sensors()]
        if unknown:
            raise ConfigError(
                f"there is no such sensor; there are {', '.join(sensors())}", key="needs", value=unknown[0]
            )
        super().__init__(name, robot, (*_LIMITS, *needs))
        self.given_keys = needs
        limits = _LIMITS | {key: sensors()[key].stale_s for key in needs}
        self._limits = {key: None if limit is None else from_seconds(limit) for key, limit in limits.items()}
        self._next = 0

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._next = 0

    def update(self) -> Status:
        """Check the ages of the percepts periodically, for the feedback only; SUCCESS always."""
        now = self.now
        if self._next - _PERIOD <= now < self._next:
            return Status.SUCCESS
        self._next = now + _PERIOD
        lacking = []
        for key, limit in self._limits.items():
            percept = getattr(self.percepts, key)
            if percept is None or (limit is not None and percept.age(now) > limit):
                lacking.append(key)
        self.feedback_message = f"waiting for {', '.join(lacking)}" if lacking else "all percepts fresh"
        return Status.SUCCESS
