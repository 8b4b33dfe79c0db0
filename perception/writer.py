"""The perception writer: one consistent, checked snapshot of percepts on the blackboard before each tick."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from arena_trees.perception.parameters import PerceptionParameters
from arena_trees.perception.percept_filter import Localiser, PerceptFilter
from arena_trees.perception.supervisor import GeofenceSupervisor
from arena_trees.robot import keys
from arena_trees.robot.messaging.game_message import GameMessage
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.percepts import Percepts, Readings
from arena_trees.robot.ticking.board_client import BoardClient

__all__ = ["PerceptionBlackboardWriter"]


class PerceptionBlackboardWriter:
    """Writes the percepts of one robot; implements :class:`~arena_trees.robot.ports.PerceptionWriter`.

    A reading that is refused leaves the last good percept, whose age grows; so does one that
    does not come any more.

    Blackboard Variables:
        * every name that :func:`arena_trees.robot.keys.percept_keys` has [w], under ``/<robot>/``

    Attributes:
        percept_filter: checks the readings

    Args:
        robot: the robot's name
        supervisor: of the robot's geofence; None where the robot has none
        parameters: tolerances
        localiser: estimates the pose in place of the readings' own
        subscribes: messages that the robot reads
        known: further messages of its game, which it passes over; a topic that is neither is refused
    """

    def __init__(
        self,
        robot: str,
        supervisor: GeofenceSupervisor | None = None,
        parameters: PerceptionParameters | None = None,
        localiser: Localiser | None = None,
        subscribes: Iterable[type[GameMessage]] = (),
        known: Iterable[type[GameMessage]] = (),
    ) -> None:
        self.percept_filter = PerceptFilter(supervisor, parameters, localiser, subscribes, known)
        self._board = BoardClient(f"{robot} perception", keys.namespace(robot), writes=keys.percept_keys())
        for key in keys.percept_keys():
            setattr(self._board, key, self.percept_filter.percepts.get(key))

    @property
    def refusals(self) -> Counter[str]:
        """How many readings were refused, by stream and reason, such as ``scan: malformed``."""
        return self.percept_filter.refusals

    def write(self, readings: Readings, messages: Sequence[Message]) -> Percepts:
        """Check the readings, write every percept's key and return the same snapshot."""
        before = self.percept_filter.percepts
        percepts = self.percept_filter.take(readings, messages)
        # Most percepts do not change from tick to tick.
        for key in keys.FIELDS:
            percept = getattr(percepts, key)
            if percept is not getattr(before, key):
                setattr(self._board, key, percept)
        if percepts.more is not before.more:
            for key, percept in percepts.more.items():
                if percept is not before.more.get(key):
                    setattr(self._board, key, percept)
        return percepts

    def close(self) -> None:
        """Unregister the robot's percept keys."""
        self._board.unregister(clear=True)
