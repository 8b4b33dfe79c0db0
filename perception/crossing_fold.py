"""The messages of a crossing's schedulers, folded into the ``crossing`` percept."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from arena_trees.games.crossroads.messages import CROSSING_TOPIC, Crossing, CrossingMessageError, CrossingNews
from arena_trees.perception.checks import RefusedReadingError
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.messages import Message

__all__ = ["CrossingFold"]

_FORGOTTEN = from_seconds(10.0)
"""ns after which a scheduler that says nothing is forgotten, so that one with a lower number may follow it."""

_MOST = 8
"""Schedulers that are remembered."""


class CrossingFold:
    """Keeps the newest state that each scheduler has told.

    A message that is older than the newest of its scheduler, by (epoch, sequence), is ignored: it came late or twice.

    Attributes:
        news: what they say; None before the first message
    """

    def __init__(self) -> None:
        self.news: CrossingNews | None = None

    def hear(self, messages: Sequence[Message], now: int) -> tuple[Crossing, ...]:
        """Take in the ``crossing`` messages of several, those that are none dropped; return the newest states."""
        for message in messages:
            if message.topic == CROSSING_TOPIC:
                with suppress(RefusedReadingError):
                    self.fold(message, now)
        return () if self.news is None else self.news.states

    def fold(self, message: Message, now: int) -> None:
        """Take a ``crossing`` message in.

        Args:
            message: from a scheduler
            now: ns; a sender's clock is another's, so the percept is stamped with its arrival

        Raises:
            RefusedReadingError: the payload is malformed, or is another's
        """
        try:
            state = Crossing.from_payload(message.payload, now, now)
        except CrossingMessageError as error:
            raise RefusedReadingError("malformed") from error
        if message.sender != state.scheduler:
            raise RefusedReadingError("of another sender")
        known = () if self.news is None else self.news.states
        kept = [one for one in known if 0 <= now - one.arrival <= _FORGOTTEN]
        before = next((one for one in kept if one.scheduler == state.scheduler), None)
        if before is not None:
            if (state.epoch, state.sequence) <= (before.epoch, before.sequence):
                return
            kept.remove(before)
        sequence = 1 if self.news is None else self.news.sequence + 1
        self.news = CrossingNews(now, now, sequence, (*kept, state)[-_MOST:])
