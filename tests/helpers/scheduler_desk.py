"""A scheduler of a crossing, what robots tell it, and what it says."""

from typing import Any

from arena_trees.games.crossroads.messages import Stage
from arena_trees.games.crossroads.scheduling.scheduler import CrossingScheduler
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.messaging.inbox import Received
from helpers.crossing_model import PLAN
from helpers.crossing_words import claim, heard

LISTENED = from_seconds(13.0)
"""By then it has listened for a lease, ns."""


class Desk:
    """Asks a scheduler that has listened for long enough."""

    def __init__(self, kind: Any = CrossingScheduler, **options: Any) -> None:
        self.scheduler = kind("s", 1, PLAN, **options)
        self.now = 0
        self.scheduler.step(0, [])
        self.now = LISTENED
        self.scheduler.step(self.now, [])
        self.sequences: dict[str, int] = {}

    def say(self, robot, approach, turn, stage=Stage.WAITING, **more):
        self.sequences[robot] = sequence = self.sequences.get(robot, 0) + 1
        values = {"first": stage is not Stage.PASSING, **more}
        said = claim(robot, approach, turn, stage, sequence=sequence, **values)
        return heard(said, robot, self.now, sequence=sequence)

    def hear(self, *messages: Received[Any], after: float = 0.1) -> set[str]:
        """Advance (s), and return who holds the crossing then."""
        self.now += from_seconds(after)
        self.scheduler.step(self.now, messages)
        return {entry.claim.robot for entry in self.scheduler.holders}
