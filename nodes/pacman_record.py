"""PacMan as it is seen on ROS from outside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena_trees.games.pacman.messages import PACMAN_TOPIC, PacmanGame, PacmanPhase
from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.messages import Message
from arena_trees.simulation.plan import TrialPlan
from arena_trees.simulation.results import TrialResult

__all__ = ["PacmanRecord"]

_AFTER_S = 0.5
"""A trial goes on for this long after its end, as in the embedded arena."""


class PacmanRecord:
    """One round, by the word of the game controller.

    What the embedded arena's judge finds out from every tick of the truth, false and missed deaths and the delay of
    cues, cannot be seen in messages. Implements :class:`~arena_trees.nodes.game_record.SeenGame`.

    Args:
        plan: what is played
        start: when the tree begins to tick, ns

    Attributes:
        outcome: complete, died, or over
        reason: what ended it
        ends_at: when the trial is over, ns
        refereed: whether somebody ends the game; no: the trial does, when time is up
    """

    refereed = False

    def __init__(self, plan: TrialPlan, start: int) -> None:
        self.outcome = "over"
        self.reason = "time is up"
        self.ends_at: int | None = None
        self._start = start
        self._deaths = 0
        self._begun: int | None = None
        self._completed: int | None = None
        self._last: PacmanGame | None = None
        self._scored: set[int] = set()
        self._contacts: Mapping[str, int] = {}

    def note_truth(self, robot: str, now: int, pose: Pose2D, twist: Twist2D) -> None:
        """The game controller alone knows who touched what."""

    def note_cue(self, robot: str, event: str, now: int) -> None:
        """Cues are for people."""

    def note_contacts(self, counts: Mapping[str, int]) -> None:
        """The arena has counted so many contacts altogether."""
        self._contacts = dict(counts)

    def note_message(self, message: Message) -> None:
        """The game controller says how the game stands."""
        if message.topic != PACMAN_TOPIC or self.ends_at is not None:
            return
        game = PacmanGame.from_payload(message.payload, message.stamp, message.stamp, message.sequence)
        before, self._last = self._last, game
        if before is not None and game.score > before.score:
            self._scored |= {pellet.id for pellet in before.pellets} - {pellet.id for pellet in game.pellets}
        if game.phase is PacmanPhase.RUNNING and self._begun is None:
            self._begun = message.stamp
        if game.phase is PacmanPhase.DYING and (before is None or before.phase is not PacmanPhase.DYING):
            self._deaths += 1
        if game.phase is PacmanPhase.COMPLETE:
            self._complete(message.stamp, game)
        elif game.phase is PacmanPhase.DYING and game.lives == 0:
            self._end(message.stamp, "died", f"{len(game.pellets)} pellets left")

    def values(self) -> dict[str, Any]:
        """Return what the trial is judged by, the arena's contacts with it."""
        time_s = None
        if self._completed is not None and self._begun is not None:
            time_s = to_seconds(self._completed - self._begun)
        spawned = None if self._last is None else self._last.spawned
        return {
            "completed": self._completed is not None,
            "all_but_one": spawned is not None and spawned - len(self._scored) <= 1,
            "deaths": self._deaths,
            "pellets_collected": len(self._scored),
            "completion_time_s": time_s,
            "collisions": self._contacts.get("collisions"),
        }

    def tell(self, result: TrialResult) -> TrialResult:
        """Return the result as it is."""
        return result

    def _complete(self, now: int, game: PacmanGame) -> None:
        missing = game.spawned - len(self._scored)
        if missing:
            self._end(now, "over", f"declared complete with {missing} pellets left")
        else:
            self._completed = now
            self._end(now, "complete", f"all {game.spawned} pellets")

    def _end(self, now: int, outcome: str, reason: str) -> None:
        self.outcome, self.reason, self.ends_at = outcome, reason, now + from_seconds(_AFTER_S)
