"""A crossing in a trial: the scheduler on the bus, and the judge of robots that drive."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from arena_trees.games.crossing_scheduler import CrossingScheduler
from arena_trees.games.crossing_source import SourceScheduler
from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.robot.crossing import CROSSING_TOPIC
from arena_trees.robot.messages import Message
from arena_trees.robot.record import TickRecord
from arena_trees.simulation.arena import Arena
from arena_trees.simulation.bus import MessageBus
from arena_trees.simulation.crossing_glimpse import Glimpse, claims_of
from arena_trees.simulation.crossing_witness import CrossingWitness
from arena_trees.simulation.crossroads import Crossroads, CrossroadsFault
from arena_trees.simulation.observers import ContactObserver
from arena_trees.simulation.plan import TrialPlan
from arena_trees.simulation.results import TrialResult
from arena_trees.simulation.timing import TICK

__all__ = ["CrossingTrial"]

_SCHEDULER = "scheduler"


class CrossingTrial:
    """Robots that drive, cross and come again; implements :class:`~arena_trees.simulation.game.TrialGame`.

    Args:
        plan: what is played
        arena: where
        bus: line between the robots and the scheduler

    Attributes:
        scheduler: of the crossing; None while it is down
        witness: judges by the truth
        outcome: over
        over: whether the trial is over
    """

    outcome = "over"

    def __init__(self, plan: TrialPlan, arena: Arena, bus: MessageBus) -> None:
        scenario = plan.rules
        # The plan was checked.
        assert isinstance(scenario, Crossroads)
        self.over = False
        self.scheduler: CrossingScheduler | SourceScheduler | None = None
        self.witness = CrossingWitness(plan, scenario, scenario.bus.delay_s + scenario.bus.jitter_s)
        self._scenario = scenario
        self._arena = arena
        self._port = bus.port(_SCHEDULER)
        self._contacts = ContactObserver(plan.robots)
        self._epoch = 0
        self._pending = list(scenario.faults)
        self._back_at: int | None = None

    @property
    def reason(self) -> str:
        """What ended the trial."""
        return self.witness.judge.reason

    def begin(self, now: int) -> None:
        """Start the scheduler."""
        self._start()

    def step(self, now: int) -> Message | None:
        """Let the scheduler act; return what it said, or None."""
        self._fail(now)
        if self.scheduler is None:
            return None
        payload = self.scheduler.step(now, self._port.receive())
        return None if payload is None else self._port.send(CROSSING_TOPIC, payload)

    def observe(self, now: int, records: Mapping[str, TickRecord]) -> None:
        """Look at one tick, before the arena moves on."""
        self._contacts.observe(now, self._arena.contacts)
        touching = {name for pair in self._arena.contacts for name in pair}
        glimpses = {
            name: Glimpse(
                self._arena.true_pose(name), self._arena.true_twist(name), claims_of(record.sent), name in touching
            )
            for name, record in records.items()
        }
        self.witness.look(now, glimpses)
        self.over = to_seconds(now + TICK) >= self._scenario.duration_s

    def values(self) -> dict[str, float | int | bool | None]:
        """Return what the trial is judged by."""
        return {
            **self.witness.values(),
            "collisions": self._contacts.collisions,
            "robot_contacts": self._contacts.robot_contacts,
        }

    def tell(self, result: TrialResult) -> TrialResult:
        """Return the result with when trips ended and how long they were held up."""
        return replace(result, crossing=self.witness.judge.story())

    def _start(self) -> None:
        self._epoch += 1
        self._port.receive()
        scenario, plan = self._scenario, self.witness.plan
        if scenario.protocol == "source":
            self.scheduler = SourceScheduler(_SCHEDULER, self._epoch, plan, scenario.times)
            return
        roster = scenario.names if scenario.roster else ()
        self.scheduler = CrossingScheduler(_SCHEDULER, self._epoch, plan, scenario.times, roster)

    def _fail(self, now: int) -> None:
        """Let the scheduler die and come again as the scenario says."""
        if self._back_at is not None and now >= self._back_at:
            self._back_at = None
            self._start()
        due: list[CrossroadsFault] = [fault for fault in self._pending if now >= from_seconds(fault.at_s)]
        for fault in due:
            self._pending.remove(fault)
            self.scheduler = None
            if fault.for_s is not None:
                self._back_at = now + from_seconds(fault.for_s)
