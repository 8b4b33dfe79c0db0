"""The recorder's thread: what is recorded is written there, and never where a robot ticks."""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from collections.abc import Callable

from arena_trees.recording.bag_writer import BagWriter

__all__ = ["Recorder"]

Job = Callable[[], None]

_MOST = 20_000
"""Jobs that wait; some minutes of two robots in real time, and a few tens of megabytes."""

_PERIOD = 0.1
"""Seconds from one look at the queue to the next: the thread does not wake for each tick."""

_FLUSH = 10.0
"""Seconds after which a chunk is written though it is not full: what a crash may cost."""

_PATIENCE = 30.0
"""Seconds that closing waits for a disk that does not answer."""


class Recorder:
    """Takes jobs without ever waiting, and does them in their order in a thread of its own.

    Where the queue is full, because the disk is slow, the newest job is dropped; where the disk is full, what
    comes then is lost, and what was written before stays. Either is counted, and told once on standard error.

    Attributes:
        dropped: jobs that found the queue full
        failed: jobs and chunks that could not be written

    Args:
        bag: where the jobs write
        most: jobs that may wait
    """

    def __init__(self, bag: BagWriter, most: int = _MOST) -> None:
        self.dropped = 0
        self.failed = 0
        self._bag = bag
        self._most = most
        self._queue: deque[Job] = deque()
        self._closing = threading.Event()
        self._told = False
        # A daemon, so that a disk that hangs cannot keep the process from ending.
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)
        self._thread.start()

    def put(self, job: Job) -> None:
        """Have a job done soon. Never waits."""
        if len(self._queue) >= self._most:
            self.dropped += 1
            self._tell("the disk is too slow, and the newest messages are dropped")
            return
        self._queue.append(job)

    def close(self, last: Job | None = None) -> None:
        """Write what waits, one last job after it, and the index; then end the thread.

        Args:
            last: done even where the queue is full
        """
        if last is not None:
            self._queue.append(last)
        self._closing.set()
        self._thread.join(_PATIENCE)
        if self._thread.is_alive():
            self._tell("the disk does not answer, and the recording is not finished")

    def _run(self) -> None:
        flushed = time.monotonic()
        while True:
            closing = self._closing.wait(_PERIOD)
            while self._queue:
                self._attempt(self._queue.popleft())
            if closing:
                self._attempt(self._bag.close)
                return
            if time.monotonic() - flushed > _FLUSH:
                self._attempt(self._bag.flush)
                flushed = time.monotonic()

    def _attempt(self, job: Job) -> None:
        try:
            job()
        except OSError as error:
            self.failed += 1
            self._tell(f"cannot be written: {error.strerror}")
        except Exception as error:
            # A value that has no place in a message costs that message, not the recording.
            self.failed += 1
            self._tell(f"{type(error).__name__}: {error}")

    def _tell(self, reason: str) -> None:
        if not self._told:
            self._told = True
            print(f"warning: {self._bag.path}: {reason}", file=sys.stderr)
