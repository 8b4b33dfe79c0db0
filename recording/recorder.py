"""The recorder: messages are packed and written in a thread of its own, and never where a robot ticks."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable

from arena_trees.recording.bag_writer import BagWriter

__all__ = ["Recorder"]

_LOGGER = logging.getLogger(__name__)

_FULL = 6 << 20
"""Bytes of messages after which they are handed to the thread; the more at once, the smaller they become."""

_LONGEST = 10.0
"""Seconds after which they are handed over though they are fewer: what a crash may cost."""

_MOST = 8
"""Batches that wait for the disk."""

_LOOK_EVERY = 64 << 10
"""Bytes of messages from one look at the clock to the next."""

_PATIENCE = 30.0
"""Seconds that closing waits for a disk that does not answer."""


class Recorder:
    """Takes messages without ever waiting, and writes them in their order in a thread of its own.

    The caller serialises, which takes some microseconds a message; the thread packs and writes, and holds the
    interpreter for neither. Where the disk is slow and the queue is full, the newest batch is dropped; where the
    disk is full, what comes then is lost, and what was written before stays. Either is counted, and logged once.

    Attributes:
        dropped: messages that found the queue full
        failed: messages that could not be made, and batches that could not be written

    Args:
        bag: where the messages go
        full: bytes of a batch
        most: batches that may wait
    """

    def __init__(self, bag: BagWriter, full: int = _FULL, most: int = _MOST) -> None:
        self.dropped = 0
        self.failed = 0
        self._bag = bag
        self._full = full
        self._most = most
        self._pending = bag.pending()
        self._handed_over = time.monotonic()
        self._look_at = min(full, _LOOK_EVERY)
        self._queue: deque[Callable[[], None]] = deque()
        self._waiting = threading.Semaphore(0)
        self._told = False
        # A daemon, so that a disk that hangs cannot keep the process from ending.
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)
        self._thread.start()

    def write(self, channel: int, instant: int, data: bytes) -> None:
        """Take a message, as :meth:`~arena_trees.recording.mcap_writer.Pending.add` does. Never waits."""
        pending = self._pending
        pending.add(channel, instant, data)
        if pending.size >= self._look_at:
            self._look_at = min(self._full, pending.size + _LOOK_EVERY)
            if pending.size >= self._full or time.monotonic() - self._handed_over > _LONGEST:
                self._hand_over()

    def fail(self, error: Exception) -> None:
        """Count what could not be made a message of; it costs its own messages, and no robot stops for it."""
        self._fail(f"{type(error).__name__}: {error}")

    def close(self) -> None:
        """Write what waits, and the index; then end the thread."""
        self._hand_over(always=True)
        self._enqueue(self._bag.close)
        self._thread.join(_PATIENCE)
        if self._thread.is_alive():
            self._tell("the disk does not answer, and the recording is not finished")

    def _hand_over(self, always: bool = False) -> None:
        pending, self._pending = self._pending, self._bag.pending()
        self._handed_over = time.monotonic()
        self._look_at = min(self._full, _LOOK_EVERY)
        if len(self._queue) >= self._most and not always:
            self.dropped += pending.count
            self._tell("the disk is too slow, and the newest messages are dropped")
            return
        self._enqueue(lambda: self._bag.write(pending))

    def _enqueue(self, job: Callable[[], None]) -> None:
        self._queue.append(job)
        self._waiting.release()

    def _run(self) -> None:
        while True:
            self._waiting.acquire()
            # Only the oldest is taken out when it is done: what is being written counts as waiting.
            job = self._queue[0]
            try:
                job()
            except OSError as error:
                self._fail(f"cannot be written: {error.strerror}")
            self._queue.popleft()
            if job == self._bag.close:
                return

    def _fail(self, reason: str) -> None:
        self.failed += 1
        self._tell(reason)

    def _tell(self, reason: str) -> None:
        if not self._told:
            self._told = True
            _LOGGER.warning("recording %s: %s", self._bag.path, reason)
