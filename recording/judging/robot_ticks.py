"""The ticks of one robot as a judge wants them, of what is published or recorded of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from arena_trees.recording.traces.decided_ticks import with_decisions
from arena_trees.recording.traces.tick import Tick
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.plain_values import restored_value
from arena_trees.robot.record import TickRecord
from arena_trees.robot.ros_messages.gate_decisions import RecordedDecision

__all__ = ["RobotTicks"]

_STALE = from_seconds(0.5)
"""A robot whose newest tick is older (ns) does not tick any more."""
_DECISIONS = 200
"""Decisions of a gate that are kept: a few seconds."""


class RobotTicks:
    """Makes a :class:`~arena_trees.robot.record.TickRecord` of the ticks between two instants.

    Of the blackboard it has the keys that the role's ``estimates`` name: of other values the type is not known.

    Args:
        robot: its name
        estimates: keys of the blackboard and the types of their values
    """

    def __init__(self, robot: str, estimates: Mapping[str, type]) -> None:
        self._robot = robot
        self._estimates = estimates
        self._waiting: deque[Tick] = deque()
        self._decisions: deque[RecordedDecision] = deque(maxlen=_DECISIONS)
        self._last: Tick | None = None
        self._board: dict[str, Any] = {}

    def note(self, tick: Tick) -> None:
        """Note a tick; one that is no newer than the newest is ignored."""
        newest = self._waiting[-1] if self._waiting else self._last
        if newest is None or tick.now > newest.now:
            self._waiting.append(tick)

    def note_decision(self, decision: RecordedDecision) -> None:
        """Note what a gate decided that is a process of its own."""
        self._decisions.append(decision)

    def take(self, now: int) -> TickRecord | None:
        """Return the newest tick up to an instant (ns), with the cues and shots of all since the last call.

        None where the robot does not tick.
        """
        cues: list[str] = []
        fired = False
        while self._waiting and self._waiting[0].now <= now:
            self._last = self._waiting.popleft()
            cues += self._last.cues
            fired = fired or self._last.fired
            self._keep(self._last.blackboard)
        last = self._last
        if last is None or now - last.now > _STALE:
            return None
        (tick,) = with_decisions((last,), self._decisions)
        return TickRecord(
            robot=self._robot,
            tick=tick.number,
            now=tick.now,
            sequences=tick.sequences,
            received=(),
            sent=(),
            command=tick.command,
            twist=tick.twist,
            reasons=tick.reasons,
            statuses=tick.statuses,
            active=tick.active,
            cues=tuple(cues),
            tracking=tick.tracking,
            fault=tick.fault,
            aim=tick.aim,
            turret=tick.turret,
            trigger=tick.trigger,
            fired=fired,
            blackboard=dict(self._board),
            pose=tick.pose,
        )

    def _keep(self, values: Mapping[str, Any]) -> None:
        for key in self._estimates.keys() & values.keys():
            try:
                self._board[key] = restored_value(self._estimates[key], values[key])
            except ValueError:
                self._board.pop(key, None)
