"""The scheduler of the Crossroads report (``protocol: source``): first come, first go, one at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from arena_trees.games.crossroads.layout.plan import CrossingPlan
from arena_trees.games.crossroads.messages import Crossing, Done, SchedulerState, Stage
from arena_trees.games.crossroads.scheduling.protocol import ProtocolParameters
from arena_trees.games.crossroads.scheduling.robot_table import RequestRecord, RobotTable
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.messaging.inbox import Received
from arena_trees.robot.repeat import Repeat

__all__ = ["SourceScheduler"]

_FOR_EVER = 3600.0
"""A lease that no crossing outlasts, s: the document has none."""

_ACKNOWLEDGED_FOR = from_seconds(3.0)


class SourceScheduler:
    """Keeps a queue of the robots that wait, and lets its head in when nobody passes.

    The document's rule as written, not the faults of its code: a third robot is queued like the second. A robot is
    queued when it stands at its line and reports WAITING. The document takes a robot off the queue on "passing" in its
    description of the scheduler and on leaving in its running logic. Read here as **on leaving**: on "passing" the next
    one would be let in on top of it. Leaving is read as the hull's leaving the box. There is no class, no
    heartbeat and no lease: a robot that dies inside closes the crossing for good.

    Args:
        name: of the scheduler
        epoch: number of its life
        plan: of the crossing
        parameters: times of the protocol
        known: names of robots that always have room in its table
    """

    def __init__(
        self,
        name: str,
        epoch: int,
        plan: CrossingPlan,
        parameters: ProtocolParameters | None = None,
        known: Iterable[str] = (),
    ) -> None:
        self.name = name
        self.epoch = epoch
        self.plan = plan
        self.parameters = parameters or ProtocolParameters()
        self._table = RobotTable(plan, known)
        self._queue: list[str] = []
        self._passing: str | None = None
        self._repeat = Repeat()
        self._sent = 0

    @property
    def refused(self) -> int:
        """Claims of another sender, or that cannot be."""
        return self._table.refused

    @property
    def holders(self) -> tuple[RequestRecord, ...]:
        """The one that passes, if any."""
        return () if self._passing is None else (self._table.entries[self._passing],)

    @property
    def waiting(self) -> tuple[str, ...]:
        """Those who wait for their turn, in order."""
        return tuple(self._queue)

    def step(self, now: int, received: Sequence[Received[Any]]) -> Crossing | None:
        """Advance to an instant (ns) with what arrived; return the state of the crossing where it is due."""
        for one in received:
            entry = self._table.receive(now, one)
            if entry is not None:
                self._receive(entry)
        while self._passing is None and self._queue:
            robot = self._queue.pop(0)
            # One that has been silent for long may have been forgotten.
            if robot in self._table.entries:
                self._passing = robot
                self._table.entries[robot].held = True
                self._repeat.at_once()
        if not self._repeat.due(now, self.parameters.publish_period):
            return None
        self._sent += 1
        return self.crossing(now)

    def crossing(self, now: int) -> Crossing:
        """Return the state of the crossing at an instant (ns)."""
        return Crossing(
            scheduler=self.name,
            epoch=self.epoch,
            sequence=self._sent,
            state=SchedulerState.OPEN,
            holders=tuple(entry.row(_FOR_EVER) for entry in self.holders),
            done=tuple(
                Done(entry.claim.robot, entry.claim.epoch, entry.claim.request)
                for entry in self._table.entries.values()
                if entry.left_at is not None and 0 <= now - entry.left_at < _ACKNOWLEDGED_FOR
            ),
        )

    def _receive(self, entry: RequestRecord) -> None:
        robot = entry.claim.robot
        if entry.claim.stage is Stage.LEFT:
            self._repeat.at_once()
        if robot == self._passing:
            if entry.over or not entry.held or entry.progress >= self.plan.movements[entry.key].outside:
                entry.held, entry.over = False, True
                self._passing = None
        elif not entry.over and robot not in self._queue and entry.claim.stage is Stage.WAITING and entry.claim.first:
            # Whoever stands behind another one waits, too, but not at its line: it would close the crossing for all.
            self._queue.append(robot)
