"""Search: look for a lost target where it was last seen."""

from __future__ import annotations

import math

from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour
from arena_trees.behaviours.wolf_rabbit.parameters import WolfParameters
from arena_trees.control.heading import drive_towards
from arena_trees.control.steering import clear_heading
from arena_trees.robot import keys
from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.geometry import wrap
from arena_trees.robot.percepts import Odometry, Target

__all__ = ["SearchLastBearing"]


class SearchLastBearing(ActionBehaviour):
    """Drive to where the target was last seen, then spin once the way it went.

    RUNNING while it searches; FAILURE when there is nothing to search for, when ``search_s`` is
    over, or when the spin is done. Only a confirmed target is searched for, and each loss once.

    Blackboard Variables:
        * target (Target) [r]: where it was
        * odometry (Odometry) [r]
        * scan (Scan) [r]: what is in the way
        * command [w]
    """

    def __init__(self, name: str, robot: str, live: Live[WolfParameters]) -> None:
        super().__init__(name, robot, (keys.ODOMETRY, keys.SCAN, keys.TARGET))
        self.live = live
        self._reset()

    def _reset(self) -> None:
        self._lost: Target | None = None
        self._done: int | None = None
        self._until: int = 0
        self._spun: float = 0.0
        self._yaw: float | None = None
        self._arrived: bool = False

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._reset()

    def initialise(self) -> None:
        """Begin the search."""
        self._until = self.now + from_seconds(self.live.value.search_s)
        self._spun = 0.0
        self._yaw = None
        self._arrived = False

    def update(self) -> Status:
        """Drive to the last known place, then spin; RUNNING until given up, then FAILURE."""
        seen: Target | None = self.percepts.target
        # A single false alarm does not call the search off.
        if seen is not None and seen.confirmed:
            self._lost = seen
        target = self._lost
        odometry: Odometry | None = self.percepts.odometry
        parameters = self.live.value
        if target is None or odometry is None or not self._worth(target, parameters):
            return Status.FAILURE
        if self.now >= self._until:
            return self._give_up(target)
        if not self._arrived and target.position is not None:
            self._arrived = not self._approach(target.position, odometry, parameters)
        else:
            self._arrived = True
        if self._arrived and not self._spin(target, odometry, parameters):
            return self._give_up(target)
        return Status.RUNNING

    def _worth(self, target: Target, parameters: WolfParameters) -> bool:
        """Return whether this loss is recent and not yet searched for."""
        if target.in_sight:
            return False
        lost_for = to_seconds(self.now - target.seen)
        return target.stamp != self._done and lost_for < parameters.search_s + parameters.vision_timeout + 1.0

    def _give_up(self, target: Target) -> Status:
        self._done = target.stamp
        self.feedback_message = "not found"
        return Status.FAILURE

    def _approach(self, position: tuple[float, float], odometry: Odometry, parameters: WolfParameters) -> bool:
        """Drive towards the last position; return False once it is reached or no way leads on."""
        scan = self.percepts.scan
        bearing = odometry.pose.bearing_to(*position)
        if scan is None or odometry.pose.distance_to(*position) < parameters.search_reach:
            return False
        heading = clear_heading(scan, bearing, 0.5, 0.21)
        if heading is None:
            return False
        twist = drive_towards(heading, parameters.chase_linear_speed, 2.0, parameters.max_angular_speed, 0.6, 0.5)
        self.feedback_message = "to where it was"
        self.drive(twist.linear, twist.angular)
        return True

    def _spin(self, target: Target, odometry: Odometry, parameters: WolfParameters) -> bool:
        """Turn once, first to the side to which the target went; return False when done."""
        yaw = odometry.pose.yaw
        self._spun += 0.0 if self._yaw is None else abs(wrap(yaw - self._yaw))
        self._yaw = yaw
        if self._spun >= math.tau:
            return False
        # A column that moved right means that the target went to the right: turn clockwise.
        side = -1.0 if target.velocity_px > 0.0 else 1.0
        self.feedback_message = "looking round"
        self.drive(0.0, side * parameters.scan_turn_speed)
        return True
