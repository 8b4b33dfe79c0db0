"""A thread that works on what a node's callbacks hand over, so that these do not wait."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod

__all__ = ["WorkerThread"]


class WorkerThread(ABC):
    """Base of what works in a thread of its own, which begins with the first thing to do; its owner ends it.

    A subclass states in ``_work`` what is done: in a loop that waits on ``_changed``, and returns where ``_ends`` is
    true.

    Args:
        name: of the thread
    """

    def __init__(self, name: str) -> None:
        self._changed = threading.Condition()
        self._ends = False
        self._name = name
        self._thread: threading.Thread | None = None

    def close(self) -> None:
        """End the thread; what is handed over afterwards is not worked on."""
        with self._changed:
            self._ends = True
            self._changed.notify()
            thread = self._thread
        if thread is not None:
            thread.join()

    def _wake(self) -> None:
        """Let the thread look for work; its caller holds ``_changed``."""
        self._changed.notify()
        if self._thread is None and not self._ends:
            self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
            self._thread.start()

    @abstractmethod
    def _work(self) -> None:
        """Work until the end."""
