"""Catch: see that the rabbit is within reach, claim it, and pause."""

from __future__ import annotations

from collections.abc import Callable

from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour, PerceptBehaviour
from arena_trees.behaviours.wolf_rabbit.parameters import WolfParameters
from arena_trees.games.wolf_rabbit.messages import CatchClaim, game_of
from arena_trees.robot import keys
from arena_trees.robot.clock import SECOND, from_seconds
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.percepts import Target

__all__ = ["CatchConfirmed", "ClaimCatch", "near_enough", "wide_enough"]

_REPEAT = SECOND // 10
"""Period (ns) at which a claim is sent again until the referee has answered: messages get lost."""

_NEAR_IMAGE = from_seconds(0.3)
"""An image older than this on arrival's clock is no evidence of reach."""


Reach = Callable[[Target, WolfParameters], bool]


def near_enough(target: Target, parameters: WolfParameters) -> bool:
    """Return whether a target is within reach by its range."""
    return target.range is not None and target.range <= parameters.catch_range


def wide_enough(target: Target, parameters: WolfParameters) -> bool:
    """Return whether a target is within reach by the width of its box, as in the Wolf and Rabbit report."""
    return target.box.width >= parameters.catch_bbox_width_px


class CatchConfirmed(PerceptBehaviour):
    """SUCCESS in the tick in which a catch is confirmed. FAILURE otherwise.

    Confirmed means ``catch_confirm_frames`` images in a row with the target within reach: its range
    at most ``catch_range``, or its box at least ``catch_bbox_width_px`` wide. After a confirmation nothing is confirmed
    for ``catch_cooldown_sec``.

    Blackboard Variables:
        * target (Target) [r]

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters
        within_reach: tells by a target whether it is within reach: :func:`near_enough` or :func:`wide_enough`
    """

    def __init__(self, name: str, robot: str, live: Live[WolfParameters], within_reach: Reach) -> None:
        super().__init__(name, robot, (keys.TARGET,))
        self.live = live
        self._within_reach = within_reach
        self._reset()

    def _reset(self) -> None:
        self._frames: int = 0
        self._stamp: int = -1
        self._confirmed: int | None = None

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._reset()

    def update(self) -> Status:
        """Count new images within reach; SUCCESS when they confirm a catch, FAILURE otherwise."""
        target: Target | None = self.percepts.target
        parameters = self.live.value
        if target is None or target.hits == 0:
            self._frames = 0
            return Status.FAILURE
        if target.stamp != self._stamp:
            self._stamp = target.stamp
            self._frames = self._frames + 1 if self._within_reach(target, parameters) else 0
        now = self.now
        if self._frames < parameters.catch_confirm_frames or self.within(
            self._confirmed, parameters.catch_cooldown_sec
        ):
            return Status.FAILURE
        if now - target.seen > _NEAR_IMAGE or not self._within_reach(target, parameters):
            return Status.FAILURE
        self._frames = 0
        self._confirmed = now
        self.feedback_message = f"{target.box.label} within reach"
        return Status.SUCCESS


class ClaimCatch(ActionBehaviour):
    """Stand still and claim the catch. RUNNING for ``catch_pause_sec``, then SUCCESS.

    The claim is repeated until the referee answers. Without a referee nobody answers, and the wolf
    goes back to its patrol after the pause, as the Wolf and Rabbit report's isolated wolf does.

    Blackboard Variables:
        * inbox (Inbox) [r]: the referee's messages, round and verdicts
        * command [w]: zero
        * outbox [w]: ``catch_claim`` with the numbers of the claim and the round
        * cues [w]: CATCH when it begins
    """

    def __init__(self, name: str, robot: str, live: Live[WolfParameters]) -> None:
        super().__init__(name, robot, (keys.INBOX,))
        self.live = live
        self._claim = 0
        self._until = self._next = 0

    def setup(self, **kwargs: object) -> None:
        """Number claims from 1 again."""
        self._claim = 0

    def initialise(self) -> None:
        """Begin a new claim, of a number that has no verdict yet: a tree that was built before may have had some."""
        judged = game_of(self.percepts.inbox).verdicts_for(self.robot)
        self._claim = max(self._claim, *judged) + 1 if judged else self._claim + 1
        self._next = self.now
        self._until = self.now + from_seconds(self.live.value.catch_pause_sec)
        self.feedback_message = f"claim {self._claim}"
        self.show("CATCH")

    def update(self) -> Status:
        """Stand and send the claim until there is a verdict; RUNNING until the pause is over, then SUCCESS."""
        now = self.now
        if now >= self._until:
            return Status.SUCCESS
        game = game_of(self.percepts.inbox)
        verdict = game.verdicts_for(self.robot).get(self._claim)
        if verdict is not None:
            self.feedback_message = f"claim {self._claim} {'accepted' if verdict else 'rejected'}"
        elif now >= self._next:
            self._next = now + _REPEAT
            self.send(CatchClaim(claim=self._claim, round=game.round))
        self.drive(0.0, 0.0)
        return Status.RUNNING
