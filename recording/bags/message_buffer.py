"""A bag that is not written yet: its newest messages, in memory."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from arena_trees.recording.bags.writer import BagWriter, RecordingError, Topic
from arena_trees.robot.clock import SECOND

__all__ = ["BufferedMessage", "MessageBuffer"]

_BACK = SECOND
"""Messages that are later by so much (ns) than one that comes after them are of another clock."""

_LOGGER = logging.getLogger(__name__)


class BufferedMessage(NamedTuple):
    """One message.

    Attributes:
        topic: number of its topic
        instant: when it was recorded, ns
        data: serialised
    """

    topic: int
    instant: int
    data: bytes


class MessageBuffer:
    """Keeps the messages of a bag, and writes them when that is wanted; fills like a :class:`BagWriter`.

    Those of latched topics are kept for ever, for a player needs them to make sense of the others. Where the clock goes
    back, as it does when a simulated arena starts anew, what was before is dropped but for these.

    Attributes:
        topics: of the bag; messages name them by their place in here
        failed: number of messages that could not be made

    Args:
        topics: of the bag
        kept: age from which on a message is dropped, ns; None to drop none
    """

    def __init__(self, topics: Sequence[Topic], kept: int | None = None) -> None:
        self.topics = tuple(topics)
        self.failed = 0
        self._kept = kept
        self._latched: list[BufferedMessage] = []
        self._passing: deque[BufferedMessage] = deque()

    def write(self, topic: int, instant: int, data: bytes) -> None:
        """Take a message of an instant (ns), serialised."""
        if self._passing and instant < self._passing[-1].instant - _BACK:
            self._passing.clear()
            self._latched = [message._replace(instant=instant) for message in self._latched]
        kind = self._latched if self.topics[topic].latched else self._passing
        kind.append(BufferedMessage(topic, instant, data))
        while self._kept is not None and self._passing and self._passing[0].instant < instant - self._kept:
            self._passing.popleft()

    def extend(self, messages: Iterable[BufferedMessage]) -> None:
        """Take messages."""
        for message in messages:
            self.write(*message)

    def take(self) -> list[BufferedMessage]:
        """Return all messages, and keep none of them."""
        taken = [*self._latched, *self._passing]
        self._latched.clear()
        self._passing.clear()
        return taken

    def copy(self, more: Sequence[Topic] = ()) -> MessageBuffer:
        """Return a buffer of the same messages.

        Args:
            more: topics that it has in addition to those of this one
        """
        copied = MessageBuffer((*self.topics, *more), self._kept)
        copied._latched, copied._passing = list(self._latched), self._passing.copy()
        return copied

    def fail(self, error: Exception) -> None:
        """Count what could not be made a message of."""
        if not self.failed:
            _LOGGER.warning("recording: %s: %s", type(error).__name__, error)
        self.failed += 1

    def close(self) -> None:
        """Do nothing: what nobody saves is lost."""

    def save(self, path: Path) -> None:
        """Write a bag.

        Args:
            path: of the rosbag2 directory, which must not exist

        Raises:
            RecordingError: the directory exists, or not all could be written there
        """
        bag = BagWriter(path, self.topics)
        for message in sorted((*self._latched, *self._passing), key=lambda message: message.instant):
            bag.write(*message)
        bag.close()
        if bag.failed:
            raise RecordingError(f"{path}: {bag.failed} messages could not be written")
