"""The true poses of robots a moment ago, interpolated between two messages: at a shot, or whenever a judge looks."""

from __future__ import annotations

from collections import defaultdict, deque

from arena_trees.control.odometry_buffer import OdometryBuffer
from arena_trees.control.turret_history import TurretHistory
from arena_trees.games.truth import TruthSample
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D, wrap
from arena_trees.robot.percepts import Odometry
from arena_trees.sensors.turret.sensor import TurretState

__all__ = ["PATIENCE", "TruthHistory"]

PATIENCE = from_seconds(0.1)
"""Time (ns) after an instant until all messages of it have come: one tick of the sender, one of the reader."""


_KEPT = 256
"""Messages of a robot that are kept: two seconds of a tracking system's 120 Hz."""


class TruthHistory:
    """Poses and turrets of robots over the last seconds, by the stamps of the messages that reported them."""

    def __init__(self) -> None:
        self._poses: defaultdict[str, OdometryBuffer] = defaultdict(lambda: OdometryBuffer(_KEPT))
        self._turrets: defaultdict[str, TurretHistory] = defaultdict(TurretHistory)
        self._twists: defaultdict[str, deque[tuple[int, Twist2D]]] = defaultdict(lambda: deque(maxlen=_KEPT))
        self._newest: dict[str, int] = {}

    def note_pose(self, robot: str, stamp: int, pose: Pose2D, twist: Twist2D) -> None:
        """Note a robot's true pose and velocity at an instant (ns, map frame); one that is no newer is ignored."""
        newest = self._newest.get(robot)
        if newest is not None and stamp <= newest:
            return
        self._poses[robot].add(Odometry(stamp, stamp, 0, pose, twist))
        self._twists[robot].append((stamp, twist))
        self._newest[robot] = stamp

    def note_turret(self, robot: str, state: TurretState) -> None:
        """Note the state of a robot's turret, by its stamp."""
        self._turrets[robot].add(state)

    def reaches(self, instant: int) -> bool:
        """Return whether something of each robot was received at an instant (ns) or later."""
        return all(newest >= instant for newest in self._newest.values())

    def at(self, robot: str, instant: int) -> TruthSample | None:
        """Return what was true of a robot at an instant (ns); None where nothing is known of it.

        The pose is interpolated between messages, and carried on a little after the newest; the velocity is that of the
        newest message by then.
        """
        pose = self._poses[robot].at(instant)
        if pose is None:
            return None
        twist = next((twist for stamp, twist in reversed(self._twists[robot]) if stamp <= instant), ZERO)
        turret = self._turrets[robot].at(instant)
        return TruthSample(robot, instant, Pose2D(pose.x, pose.y, wrap(pose.yaw)), twist, turret=turret)

    def near(self, robot: str, instant: int, longest: int) -> bool:
        """Return whether a message tells of a robot at an instant, or one before and one after that are not far apart.

        Args:
            robot: its name
            instant: ns
            longest: time without a message, ns
        """
        stamps = [stamp for stamp, _ in self._twists[robot]]
        before = max((stamp for stamp in stamps if stamp <= instant), default=None)
        after = min((stamp for stamp in stamps if stamp >= instant), default=None)
        if before is None or after is None:
            one = after if before is None else before
            return one is not None and abs(instant - one) <= longest // 2
        return after - before <= longest
