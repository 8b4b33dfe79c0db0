"""How long a machine that is busy, or stands still as a whole, keeps processes from running."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from pathlib import Path
from typing import Any

__all__ = ["Stalls"]

_PERIOD_S = 0.005


class Stalls:
    """Watches for time in which processes should have run and did not; a context manager.

    Linux counts for how long each thread was ready and waited for a processor. A thread here that wants to
    wake up every 5 ms sees the machine as a whole stand still, as a virtual one does that gets no processor.
    For how long anything waited for memory or a disk, Linux counts for the whole machine
    (https://docs.kernel.org/accounting/psi.html). What a process is late by of itself is seen by none of these.

    Args:
        processes: :class:`~arena_trees.nodes.programs.processes.Processes` to watch, beside this one
    """

    def __init__(self, processes: Any) -> None:
        self._processes = processes
        self._late = 0.0
        self._before: dict[int, dict[str, int]] = {}
        self._pressure = 0.0
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Stalls:
        self._thread.start()
        self.reset()
        return self

    def __exit__(self, *_: object) -> None:
        self._closed.set()
        self._thread.join()

    def reset(self) -> None:
        """Count from now on."""
        self._late = 0.0
        self._before = self._waits()
        self._pressure = _pressure()

    def seconds(self) -> float:
        """Return how long the processes have waited since the last reset, or the whole machine stood if that is longer.

        Of each process its longest-waiting thread counts; what one does may hang on another, so they add up.
        """
        waited = 0
        for name, threads in self._waits().items():
            before = self._before.get(name, {})
            waited += max((wait - before.get(thread, 0) for thread, wait in threads.items()), default=0)
        return max(self._late, waited / 1e9 + _pressure() - self._pressure)

    def _waits(self) -> dict[int, dict[str, int]]:
        """Return for how long each thread of each process has waited for a processor, ns."""
        waits: dict[int, dict[str, int]] = {}
        for process in (*(self._processes.identity(name) for name in self._processes.names), os.getpid()):
            threads = waits[process] = {}
            for file in Path(f"/proc/{process}/task").glob("*/schedstat"):
                # A thread may end meanwhile.
                with contextlib.suppress(OSError):
                    threads[file.parent.name] = int(file.read_text(encoding="ascii").split()[1])
        return waits

    def _watch(self) -> None:
        before = time.monotonic()
        while not self._closed.wait(_PERIOD_S):
            now = time.monotonic()
            self._late = max(self._late, now - before - _PERIOD_S)
            before = now


def _pressure() -> float:
    """Return for how long (s) some task of the machine has waited for memory or a disk; 0 where that is not counted."""
    total = 0.0
    for resource in ("memory", "io"):
        # Kernels without the count lack the file, or refuse to read it.
        with contextlib.suppress(OSError):
            some = Path(f"/proc/pressure/{resource}").read_text(encoding="ascii").splitlines()[0]
            total += int(some.rpartition("total=")[2]) / 1e6
    return total
