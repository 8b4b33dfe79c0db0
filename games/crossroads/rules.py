"""The rules of a crossing: they host its scheduler, and let die and come back whom the scenario names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from arena_trees.games.crossroads.evaluation.judge import watch_of
from arena_trees.games.crossroads.evaluation.road_observer import RoadWatch
from arena_trees.games.crossroads.evaluation.trips import Vehicle
from arena_trees.games.crossroads.kinematics.deaths import Deaths, tell_clear
from arena_trees.games.crossroads.layout.plan import plan_of
from arena_trees.games.crossroads.messages import Claim, Crossing, SchedulerState
from arena_trees.games.crossroads.parameters import CrossroadsRules
from arena_trees.games.crossroads.scheduling.scheduler import SCHEDULER, CrossingScheduler
from arena_trees.games.crossroads.scheduling.source_scheduler import SourceScheduler
from arena_trees.games.game import Carry, GameContext, Rules, SwitchOff
from arena_trees.games.truth import End, Truth
from arena_trees.robot.errors import ArenaTreesError
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.messaging.game_message import GameMessage
from arena_trees.robot.messaging.inbox import Inbox

__all__ = ["CrossingRules"]

_ROW_SPACING = 0.5
"""Between robots that were carried away, m, and to the floor's edge."""

_CORNERS = ((1, 1), (1, -1), (-1, -1), (-1, 1))
"""Of the floor; the one in which the picture of a run has its legend comes last."""


class CrossingRules(Rules):
    """Robots drive, cross and come again; nobody wins, so that the game has no end of its own.

    The scheduler begins by itself, and anew with each :meth:`begin`.

    Args:
        context: what is played

    Attributes:
        scheduler: of the crossing; None while it is down
    """

    def __init__(self, context: GameContext) -> None:
        assert isinstance(context.rules, CrossroadsRules)
        self.scheduler: CrossingScheduler | SourceScheduler | None = None
        self._wanted = context.rules
        self._plan = plan_of(context.rules.plan)
        self._names = list(context.players)
        self._crossers = context.all_with_role("crosser")
        self._now = 0
        self._life = 0
        self._begun = False
        self._deaf = False
        self._published: Crossing | None = None
        self._to_clear: list[str] = []
        self._actions: list[SwitchOff | Carry] = []
        self._watch: RoadWatch | None = None
        self._deaths: Deaths | None = None
        if context.rules.deaths:
            self._watch = watch_of(context)
            self._deaths = Deaths(context.rules.deaths, context.rules.plan.lane_width, self)

    def begin(self, now: int) -> None:
        """Start a scheduler."""
        self.end = None
        self.start_scheduler()

    def stop(self, now: int, reason: str) -> None:
        """Let nobody in any more: leases run out by themselves, and who is inside finishes."""
        self._begun = True
        self.stop_scheduler()
        self.end = End("over", reason, now)

    @property
    def state(self) -> GameMessage | None:
        """The newest message of the scheduler."""
        return self._published

    def step(self, now: int, truth: Truth, inbox: Inbox) -> Iterable[GameMessage | SwitchOff | Carry]:
        """Advance to an instant; return the scheduler's message, who dies and who is carried away."""
        if not self._begun:
            self.start_scheduler()
        self._actions = []
        if self._watch is not None and self._deaths is not None:
            self._now = now
            self._watch.observe(now, truth, _claims(inbox))
            self._deaths.step(now)
        # A scheduler that starts has not received earlier messages.
        received = () if self._deaf else inbox.received
        self._deaf = False
        if self.scheduler is None:
            return self._actions
        if isinstance(self.scheduler, CrossingScheduler):
            tell_clear(self.scheduler, now, self._to_clear)
        state = self.scheduler.step(now, received)
        if state is None:
            return self._actions
        self._published = state
        return [*self._actions, state]

    @property
    def bodies(self) -> Sequence[Vehicle]:
        """The robots, as they were seen last."""
        return () if self._watch is None else self._watch.robots

    def kill(self, name: str) -> None:
        """Let a robot's computer die: its base stops by itself, and it sends nothing more."""
        self._actions.append(SwitchOff(name))
        if self._watch is not None:
            self._watch.mark_dead(name)

    def remove(self, name: str) -> None:
        """Have a dead robot carried off the arena, for good, and tell the scheduler that it was seen to be away."""
        self._actions.append(Carry(name, self._set_down_place(self._names.index(name))))
        if self._watch is not None:
            self._watch.forget(self._now, name)
        self._to_clear.append(name)

    def stop_scheduler(self) -> None:
        """Let the scheduler die."""
        self.scheduler = None

    def start_scheduler(self) -> None:
        """Start a scheduler that knows nothing, in place of the one that may run."""
        self._begun = self._deaf = True
        self._life = max(self._life + 1, self.epoch)
        rules = self._wanted
        if rules.protocol == "source":
            self.scheduler = SourceScheduler(SCHEDULER, self._life, self._plan, rules.times, self._crossers)
            return
        roster = self._crossers if rules.roster else ()
        self.scheduler = CrossingScheduler(SCHEDULER, self._life, self._plan, rules.times, roster, self._crossers)

    @property
    def controls(self) -> Mapping[str, Callable[[int], str]]:
        """People say that they see nobody silent in the crossing."""
        return MappingProxyType({"seen_clear": self._clear_all})

    @property
    def settings(self) -> Mapping[str, Callable[[int, Any], str]]:
        """People name a robot that they see to be away."""
        return MappingProxyType({"seen_clear": self._clear})

    def diagnostics(self, now: int) -> tuple[bool, str, Mapping[str, str]]:
        """Return whether the scheduler lets robots in and none is silent, and what it knows."""
        scheduler = self.scheduler
        if scheduler is None:
            return False, "no scheduler", {}
        silent = self._silent(now)
        state, rivals = SchedulerState.OPEN, 0
        missing: tuple[str, ...] = ()
        if isinstance(scheduler, CrossingScheduler):
            state, rivals, missing = scheduler.state, scheduler.rivals, scheduler.missing
            queue = tuple(entry.claim.robot for _, entry in scheduler.queue(now))
        else:
            queue = scheduler.waiting
        phrase = state.value
        if state is SchedulerState.REBUILDING and missing:
            phrase += f", waits for {', '.join(missing)}"
        if silent:
            phrase += f", silent inside: {', '.join(silent)}"
        values = {
            "state": state.value,
            "epoch": str(scheduler.epoch),
            "holders": ", ".join(entry.claim.robot for entry in scheduler.holders),
            "queue": ", ".join(queue),
            "silent": ", ".join(silent),
            "not yet answered": ", ".join(missing),
            "refused": str(scheduler.refused),
            "messages of other schedulers": str(rivals),
        }
        return state is SchedulerState.OPEN and not silent, phrase, values

    def _silent(self, now: int) -> tuple[str, ...]:
        """Return the robots that hold the crossing and have fallen silent."""
        if not isinstance(self.scheduler, CrossingScheduler):
            return ()
        return tuple(entry.claim.robot for entry in self.scheduler.closed(now))

    def _clear_all(self, now: int) -> str:
        """Take in that nobody who is silent is in the crossing or driving into it."""
        silent = self._silent(now)
        for robot in silent:
            self._clear(now, robot)
        return f"seen to be away: {', '.join(silent)}" if silent else "nobody in the crossing is silent"

    def _clear(self, now: int, robot: Any) -> str:
        """Take in that somebody has seen a robot to be away.

        Raises:
            ArenaTreesError: that is no name, the robot may still enter on a lease, or the protocol is the
                Crossroads report's, which knows no such thing
        """
        if not isinstance(robot, str) or not robot:
            raise ArenaTreesError(f"seen_clear takes the name of a robot, not {robot!r}")
        if not isinstance(self.scheduler, CrossingScheduler):
            raise ArenaTreesError("the Crossroads report's protocol waits for ever: start the scheduler anew")
        self.scheduler.seen_clear(now, robot)
        return f"{robot} was seen to be away"

    def _set_down_place(self, index: int) -> Pose2D:
        """Return a place of its own on the floor behind the walls, between two arms of the first crossing."""
        row, corner = divmod(index, len(_CORNERS))
        out = self._wanted.plan.size - _ROW_SPACING * (1 + row)
        right, up = _CORNERS[corner]
        return Pose2D(self._wanted.plan.centre(0) + out * right, out * up)


def _claims(inbox: Inbox) -> dict[str, list[Claim]]:
    """Return each robot's claims that came in, in the order of arrival."""
    claims: dict[str, list[Claim]] = {}
    for one in inbox.received:
        claim = one.message
        if isinstance(claim, Claim) and claim.robot == one.sender:
            claims.setdefault(claim.robot, []).append(claim)
    return claims
