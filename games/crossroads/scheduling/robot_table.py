"""What the scheduler of a crossing knows of each robot, from numbered messages in any order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from arena_trees.games.crossroads.layout.plan import CrossingPlan
from arena_trees.games.crossroads.layout.words import Key
from arena_trees.games.crossroads.messages import Claim, CrossingClaim, Holder, Stage, Urgency
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.messaging.inbox import Received
from arena_trees.robot.messaging.order import is_silent

__all__ = ["RequestRecord", "RobotTable"]

_MOST_STRANGERS = 64
"""Entries of robots that nobody has named beforehand."""


@dataclass(slots=True)
class RequestRecord:
    """The newest request of a robot.

    Attributes:
        claim: newest message about it, or what another robot remembers of it
        heard: instant of that message's arrival, ns
        since: instant at which the robot asked, by its own message and the scheduler's clock, ns
        progress: the least that the robot has covered, m
        held: whether it may be inside, or may enter on a lease
        over: whether nothing is granted to this request any more: it has left, or was seen to be away
        left_at: instant at which its LEFT was received last, ns; None before
        held_up: how much longer it waits, as was foreseen, because later ones went past it, s
    """

    claim: Claim
    heard: int
    since: int
    progress: float
    held: bool = False
    over: bool = False
    left_at: int | None = None
    held_up: float = 0.0

    @property
    def key(self) -> Key:
        """Name of its movement."""
        return self.claim.key

    def row(self, lease: float) -> Holder:
        """Return the entry as the scheduler tells it, with a lease (s)."""
        claim = self.claim
        return Holder(
            claim.robot,
            claim.epoch,
            claim.request,
            claim.approach,
            claim.movement,
            self.progress,
            claim.sequence,
            lease,
            claim.crossing,
        )


class RobotTable:
    """Keeps one entry for each robot.

    Old and repeated messages change nothing. A request with a higher number, or of a robot's new life, ends whatever
    the earlier one held: a robot inside asks for nothing, and its body is where its newest life reports it.

    Of a robot that has been silent for a while and holds nothing, a lower number counts, too
    (:mod:`~arena_trees.robot.messaging.order`). What one holds is given back by a higher number alone, or by somebody
    who looks: an old message that is played back frees no place in the crossing.

    Robots that were named always have room. Of others there is room for some; a further one takes the place of the one
    that has been silent for longest and holds nothing, and is refused where all of them hold something.

    Args:
        plan: of the crossing; movements that it does not have are refused
        known: names of the robots that always have room

    Attributes:
        entries: by the robot's name
        refused: claims of another sender, or that cannot be
    """

    def __init__(self, plan: CrossingPlan, known: Iterable[str] = ()) -> None:
        self.entries: dict[str, RequestRecord] = {}
        self.refused = 0
        self._plan = plan
        self._known = frozenset(known)

    def receive(self, now: int, received: Received[Any]) -> RequestRecord | None:
        """Take in a message (now: ns). Return the entry that it changed, or None."""
        claim = received.message
        if not isinstance(claim, Claim):
            return None
        if claim.robot != received.sender or not self._is_possible(claim):
            self.refused += 1
            return None
        entry = self.entries.get(claim.robot)
        if entry is not None and _order(claim) <= _order(entry.claim):
            if entry.held or not is_silent(entry.heard, now):
                return None
            entry = None
        if entry is not None and _contradicts(claim, entry.claim):
            self.refused += 1
            return None
        if entry is None and not self._has_room(claim.robot):
            self.refused += 1
            return None
        return self._note(now, claim, entry)

    def remember(self, now: int, holder: Holder) -> None:
        """Take in what a robot remembers of another one that held the crossing, where nothing newer is known of it."""
        if holder.key not in self._plan.movements:
            return
        entry = self.entries.get(holder.robot)
        if entry is None and not self._has_room(holder.robot):
            return
        if entry is None or (holder.epoch, holder.request) > _request(entry.claim):
            self.entries[holder.robot] = RequestRecord(_remembered(holder), now, now, holder.progress, held=True)
        elif (holder.epoch, holder.request) == _request(entry.claim) and not entry.over:
            # Its own word may be from before it was let in.
            entry.held = True

    def _has_room(self, robot: str) -> bool:
        """Return whether there is room for a robot, and make it where that is needed."""
        if robot in self._known or robot in self.entries:
            return True
        strangers = [name for name in self.entries if name not in self._known]
        if len(strangers) < _MOST_STRANGERS:
            return True
        idle = [name for name in strangers if not self.entries[name].held]
        if not idle:
            return False
        del self.entries[min(idle, key=lambda name: self.entries[name].heard)]
        return True

    def _is_possible(self, claim: Claim) -> bool:
        """Return whether the plan has the movement; a new life that has asked for nothing yet names none."""
        asked_for_none = claim.request == 0 and claim.stage is Stage.LEFT
        return asked_for_none or claim.key in self._plan.movements

    def _note(self, now: int, claim: Claim, entry: RequestRecord | None) -> RequestRecord:
        """Write down what is new."""
        if entry is None or _request(claim) > _request(entry.claim):
            entry = RequestRecord(claim, now, now - from_seconds(claim.waited), claim.progress)
            self.entries[claim.robot] = entry
        entry.claim = claim
        entry.heard = now
        entry.progress = max(entry.progress, claim.progress)
        if claim.stage is Stage.LEFT:
            entry.held, entry.over, entry.left_at = False, True, now
        elif claim.stage is Stage.PASSING or claim.lease > 0.0:
            entry.held = True
        return entry


def _remembered(holder: Holder) -> CrossingClaim:
    """Return the claim of a holder of the crossing as another robot remembers it."""
    return CrossingClaim(
        robot=holder.robot,
        epoch=holder.epoch,
        sequence=0,
        request=holder.request,
        stage=Stage.PASSING,
        approach=holder.approach,
        movement=holder.turn,
        urgency=Urgency.NORMAL,
        first=False,
        progress=0.0,
        waited=0.0,
        lease=0.0,
        scheduler=None,
        heard=(),
        crossing=holder.crossing,
    )


def _order(claim: Claim) -> tuple[int, int]:
    return claim.epoch, claim.sequence


def _request(claim: Claim) -> tuple[int, int]:
    return claim.epoch, claim.request


def _contradicts(claim: Claim, known: Claim) -> bool:
    """Return whether a newer message goes back to an older request, or changes the movement of the same one."""
    if _request(claim) != _request(known):
        return _request(claim) < _request(known)
    return claim.key != known.key
