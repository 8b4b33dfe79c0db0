"""A crossing as it is seen on ROS from outside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from arena_trees.games.crossroads.glimpse import Glimpse, claims_of
from arena_trees.games.crossroads.messages import CrossingClaim
from arena_trees.games.crossroads.scenario import Crossroads
from arena_trees.games.crossroads.witness import CrossingWitness
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.messages import Message
from arena_trees.robot.timing import TICK
from arena_trees.simulation.plan import TrialPlan
from arena_trees.simulation.results import TrialResult

__all__ = ["CrossingRecord"]

_LATE_S = 0.1
"""No message takes longer on one machine: a tick of who sends it, one of who reads it, and the network."""


class CrossingRecord:
    """One trial, judged by the arena's truth and by what robots say, as without ROS.

    The truth is told every second tick; between two words of it robots are taken to be where they were. Who had a
    contact is not told, so a contact spoils the ways of all robots that are on one. Implements
    :class:`~arena_trees.nodes.game_record.SeenGame`.

    Args:
        plan: what is played
        start: when the trees begin to tick, ns

    Attributes:
        outcome: over
        ends_at: None: nobody ends it
        refereed: whether somebody ends the game; no: the trial does, when time is up
    """

    outcome = "over"
    ends_at: int | None = None
    refereed = False

    def __init__(self, plan: TrialPlan, start: int) -> None:
        # The plan was checked.
        assert isinstance(plan.rules, Crossroads)
        self._witness = CrossingWitness(plan, plan.rules, _LATE_S)
        self._start = self._looked = start
        self._truths: dict[int, dict[str, Glimpse]] = {}
        self._last: Mapping[str, Glimpse] = {}
        self._claims: dict[str, list[CrossingClaim]] = {name: [] for name in plan.robots}
        self._contacts: Mapping[str, int] = {}
        self._touched = False

    @property
    def reason(self) -> str:
        """What ended the trial."""
        return self._witness.judge.reason

    def note_truth(self, robot: str, now: int, pose: Pose2D, twist: Twist2D) -> None:
        """A robot is there at that time, and moves so."""
        if now < self._looked:
            return
        truths = self._truths.setdefault(now, {})
        truths[robot] = Glimpse(pose, twist)
        if len(truths) == len(self._claims):
            self._look(now, truths)

    def note_cue(self, robot: str, event: str, now: int) -> None:
        """Cues are for people."""

    def note_contacts(self, counts: Mapping[str, int]) -> None:
        """The arena has counted so many contacts altogether."""
        self._touched |= sum(counts.values()) > sum(self._contacts.values())
        self._contacts = dict(counts)

    def note_message(self, message: Message) -> None:
        """A robot says where it is and what it wants."""
        for claim in claims_of([message]):
            if claim.robot in self._claims:
                self._claims[claim.robot].append(claim)

    def values(self) -> dict[str, Any]:
        """Return what the trial is judged by."""
        return {**self._witness.values(), **self._contacts}

    def tell(self, result: TrialResult) -> TrialResult:
        """Return the result with when trips ended and how long they were held up."""
        return replace(result, crossing=self._witness.judge.story())

    def _look(self, now: int, truths: Mapping[str, Glimpse]) -> None:
        """Look at all ticks up to one of which the truth is known."""
        if self._last:
            for tick in range(self._looked, now, TICK):
                self._witness.look(tick - self._start, self._last)
        spoken = {
            name: replace(glimpse, claims=tuple(self._claims[name]), touched=self._touched)
            for name, glimpse in truths.items()
        }
        self._witness.look(now - self._start, spoken)
        for claims in self._claims.values():
            claims.clear()
        self._touched = False
        self._last, self._looked = truths, now + TICK
        self._truths = {instant: later for instant, later in self._truths.items() if instant > now}
