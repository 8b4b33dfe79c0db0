"""How a robot drives along its round: a base that owns steering and traffic, and leaves that say how far."""

from __future__ import annotations

from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour
from arena_trees.behaviours.crossroads.mind import CrosserMind
from arena_trees.control.lane_law import along_way

__all__ = ["ApproachLine", "BeginRound", "Cross", "DriveOut", "PauseAtEnd", "TurnRound", "WayFollower"]

_THERE = 0.02
"""A place is reached within this, m."""


class WayFollower(ActionBehaviour):
    """Follow the round's way, and stop behind what is on it. The base of every leaf that drives along it.

    Blackboard Variables:
        * command [w]

    Args:
        name: of the behaviour
        robot: name of the robot
        mind: shared with the other leaves
        reads: percept keys
    """

    def __init__(self, name: str, robot: str, mind: CrosserMind, reads: tuple[str, ...] = ()) -> None:
        super().__init__(name, robot, reads)
        self.mind = mind

    def follow(self, room: float = float("inf")) -> None:
        """Drive on, at most so far (m)."""
        p = self.mind.live.value
        speed = self.mind.speed_for(min(room, self.mind.room()))
        beside = self.mind.beside(p.look_ahead_s * speed)
        if beside is None or speed <= 0.0:
            self.drive(0.0, 0.0)
            return
        twist = along_way(beside, speed, p.aside_gain, p.turned_gain)
        self.drive(twist.linear, twist.angular)


class ApproachLine(WayFollower):
    """Follow the lane to the place before the stop line, and stand there. RUNNING always."""

    def update(self) -> Status:
        """Drive on."""
        self.follow(-self.mind.progress)
        return Status.RUNNING


class Cross(WayFollower):
    """Drive through the crossing, whatever its lease, and say that it has left. RUNNING until then, then SUCCESS."""

    def update(self) -> Status:
        """Drive on; the crossing is left when the robot surely is where the next one fits behind it."""
        mind = self.mind
        self.follow()
        movement, client = mind.crossing, mind.client
        if movement is None or client is None:
            return Status.FAILURE
        if mind.progress < movement.length + mind.live.value.place_margin:
            return Status.RUNNING
        client.leave()
        mind.left = True
        return Status.SUCCESS


class DriveOut(WayFollower):
    """Follow the lane outwards to where robots turn round. RUNNING until it is near, then SUCCESS."""

    def update(self) -> Status:
        """Drive on."""
        mind = self.mind
        if mind.round is None:
            return Status.FAILURE
        if mind.progress >= mind.round.turning - mind.braking_distance() - _THERE:
            return Status.SUCCESS
        self.follow()
        return Status.RUNNING


class PauseAtEnd(WayFollower):
    """Stand at the end of the arm for a while. RUNNING until it is over, then SUCCESS."""

    def initialise(self) -> None:
        """Draw how long; one that has begun to turn has paused."""
        turning = None if self.mind.round is None else self.mind.round.turning
        begun = turning is not None and self.mind.progress > turning + 2.0 * _THERE
        self._until = self.now + (0 if begun else self.mind.draw_pause())

    def update(self) -> Status:
        """Wait."""
        mind = self.mind
        if mind.round is None:
            return Status.FAILURE
        if self.now >= self._until:
            return Status.SUCCESS
        self.follow(mind.round.turning - mind.progress)
        return Status.RUNNING


class TurnRound(WayFollower):
    """Drive the half circle into the lane that leads back. RUNNING until it is there, then SUCCESS."""

    def update(self) -> Status:
        """Drive on."""
        mind = self.mind
        if mind.round is None:
            return Status.FAILURE
        if mind.progress >= mind.round.end - _THERE:
            return Status.SUCCESS
        self.follow()
        return Status.RUNNING


class BeginRound(WayFollower):
    """Choose which way to go, and ask. SUCCESS always."""

    def update(self) -> Status:
        """Begin."""
        movement = self.mind.crossing
        if movement is None:
            return Status.FAILURE
        self.mind.begin_round(self.now, movement.exit)
        self.feedback_message = str(self.mind.round)
        self.follow(-self.mind.progress)
        return Status.SUCCESS
