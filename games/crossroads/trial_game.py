"""A crossing in a trial: the scheduler on the bus, and the judge of robots that drive."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from arena_trees.games.crossroads.clearing import tell_clear
from arena_trees.games.crossroads.faults import CrossingFaults
from arena_trees.games.crossroads.glimpse import Glimpse, claims_of
from arena_trees.games.crossroads.messages import CROSSING_TOPIC
from arena_trees.games.crossroads.order import RoadUser
from arena_trees.games.crossroads.scenario import Crossroads
from arena_trees.games.crossroads.scheduler import CrossingScheduler
from arena_trees.games.crossroads.source import SourceScheduler
from arena_trees.games.crossroads.witness import MOVING, CrossingWitness
from arena_trees.games.observers import ContactObserver
from arena_trees.robot.clock import to_seconds
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.message_bus import MessageBus
from arena_trees.robot.messages import Message
from arena_trees.robot.record import TickRecord
from arena_trees.robot.timing import TICK
from arena_trees.simulation.arena import Arena
from arena_trees.simulation.plan import TrialPlan
from arena_trees.simulation.results import TrialResult

__all__ = ["CrossingTrial"]

_SCHEDULER = "scheduler"

_BESIDE = 0.5
"""Between robots that were carried away, m, and to the floor's edge."""

_CORNERS = ((1, 1), (1, -1), (-1, -1), (-1, 1))
"""Of the floor; the one in which the picture of a run has its legend comes last."""


class CrossingTrial:
    """Robots that drive, cross and come again; implements :class:`~arena_trees.simulation.game.TrialGame`.

    Args:
        plan: what is played
        arena: where
        bus: line between the robots and the scheduler
        switch_off: a robot's computer dies

    Attributes:
        scheduler: of the crossing; None while it is down
        witness: judges by the truth
        outcome: over
        over: whether the trial is over
    """

    outcome = "over"

    def __init__(self, plan: TrialPlan, arena: Arena, bus: MessageBus, switch_off: Callable[[str], object]) -> None:
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
        self._switch_off = switch_off
        self._names = list(plan.robots)
        self._epoch = 0
        self._to_clear: list[str] = []
        self._faults = CrossingFaults(scenario, self, MOVING)

    @property
    def bodies(self) -> Sequence[RoadUser]:
        """The robots, as they were seen last."""
        return self.witness.robots

    @property
    def reason(self) -> str:
        """What ended the trial."""
        return self.witness.judge.reason

    def begin(self, now: int) -> None:
        """Start the scheduler."""
        self.start_scheduler()

    def step(self, now: int) -> Message | None:
        """Let the scheduler act; return what it said, or None."""
        self._faults.step(now)
        if self.scheduler is None:
            return None
        if isinstance(self.scheduler, CrossingScheduler):
            tell_clear(self.scheduler, now, self._to_clear)
        payload = self.scheduler.step(now, self._port.receive())
        return None if payload is None else self._port.send(CROSSING_TOPIC, payload)

    def observe(self, now: int, records: Mapping[str, TickRecord]) -> None:
        """Look at one tick, before the arena moves on."""
        self._contacts.observe(now, self._arena.contacts)
        touching = {name for pair in self._arena.contacts for name in pair}
        glimpses = {
            name: Glimpse(
                self._arena.true_pose(name),
                self._arena.true_twist(name),
                claims_of(records[name].sent) if name in records else (),
                name in touching,
            )
            for name in self._names
        }
        self.witness.look(now, glimpses)
        self._faults.look(now)
        self.over = to_seconds(now + TICK) >= self._scenario.duration_s

    def values(self) -> dict[str, float | int | bool | None]:
        """Return what the trial is judged by."""
        return {
            **self.witness.values(),
            "collisions": self._contacts.collisions,
            "robot_contacts": self._contacts.robot_contacts,
            **self._faults.values(self._arena.now),
        }

    def kill(self, name: str) -> None:
        """Let a robot's computer die: its base stops by itself, and nothing more is said."""
        self._switch_off(name)
        self.witness.mourn(name)

    def remove(self, name: str) -> None:
        """Carry a dead robot off the arena, for good, and tell the scheduler that it was seen to be away."""
        self._arena.carry(name, self._beside(self._names.index(name)))
        self.witness.forget(name)
        self._to_clear.append(name)

    def stop_scheduler(self) -> None:
        """Let the scheduler die."""
        self.scheduler = None

    def tell(self, result: TrialResult) -> TrialResult:
        """Return the result with when trips ended and how long they were held up."""
        return replace(result, crossing=self.witness.judge.story())

    def start_scheduler(self) -> None:
        """Start a scheduler that knows nothing, in place of the one that may run."""
        self._epoch += 1
        self._port.receive()
        scenario, plan = self._scenario, self.witness.plan
        if scenario.protocol == "source":
            self.scheduler = SourceScheduler(_SCHEDULER, self._epoch, plan, scenario.times)
            return
        roster = scenario.names if scenario.roster else ()
        self.scheduler = CrossingScheduler(_SCHEDULER, self._epoch, plan, scenario.times, roster)

    def _beside(self, index: int) -> Pose2D:
        """Return a place of its own on the floor behind the walls, in a corner between two arms."""
        row, corner = divmod(index, len(_CORNERS))
        out = self._scenario.plan.size - _BESIDE * (1 + row)
        right, up = _CORNERS[corner]
        return Pose2D(out * right, out * up)
