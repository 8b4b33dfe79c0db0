"""The referee's ``game`` messages, folded into the ``game`` percept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena_trees.perception.checks import RefusedReadingError
from arena_trees.robot.messages import Message
from arena_trees.robot.percepts import Game, GamePhase

__all__ = ["TOPIC", "GameFold"]

TOPIC = "game"
"""Topic of the messages."""

_KEYS = frozenset(
    ("phase", "round", "rabbit_alive", "inside_wolf_territory", "rabbit_escaped", "verdicts")
)  # fmt: skip
_MAXIMUM_VERDICTS = 10_000
_PHASES = {phase.value: phase for phase in GamePhase}


class GameFold:
    """Keeps the newest state of the game.

    A message that is older than the newest by its sender's (epoch, sequence) is ignored: it came late
    or twice.

    Attributes:
        game: the newest state
    """

    def __init__(self) -> None:
        self.game = Game(0, 0, 0)
        self._newest = (-1, -1)

    def fold(self, message: Message, now: int) -> None:
        """Take a ``game`` message in.

        Args:
            message: from the referee
            now: ns; a sender's clock is another's, so the percept is stamped with its arrival

        Raises:
            RefusedReadingError: the payload is malformed
        """
        newest = (message.epoch, message.sequence)
        if newest <= self._newest:
            return
        values = _checked(message.payload)
        self.game = Game(now, now, self.game.sequence + 1, **values, referee=True)
        self._newest = newest


def _checked(payload: Any) -> dict[str, Any]:
    if not isinstance(payload, Mapping) or payload.keys() != _KEYS:
        raise RefusedReadingError("malformed")
    phase, number = payload["phase"], payload["round"]
    flags = {key: payload[key] for key in ("rabbit_alive", "inside_wolf_territory", "rabbit_escaped")}
    if not isinstance(phase, str) or phase not in _PHASES:
        raise RefusedReadingError("malformed")
    if type(number) is not int or number < 0 or not all(type(flag) is bool for flag in flags.values()):
        raise RefusedReadingError("malformed")
    return {"phase": _PHASES[phase], "round": number, **flags, "verdicts": _checked_verdicts(payload["verdicts"])}


def _checked_verdicts(verdicts: Any) -> dict[int, bool]:
    if not isinstance(verdicts, Mapping) or len(verdicts) > _MAXIMUM_VERDICTS:
        raise RefusedReadingError("malformed")
    checked = {}
    for claim, verdict in verdicts.items():
        # JSON knows only text as keys.
        if not (isinstance(claim, str) and claim.isascii() and claim.isdigit()) or type(verdict) is not bool:
            raise RefusedReadingError("malformed")
        checked[int(claim)] = verdict
    return checked
