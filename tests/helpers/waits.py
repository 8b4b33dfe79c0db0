"""How long processes are kept from running by a machine that is busy."""

from __future__ import annotations

import contextlib
import itertools
import os
import subprocess
from pathlib import Path


class Waits:
    """How long a process and this one have waited for a processor since: no program keeps a bound meanwhile.

    Linux tells; elsewhere it is nothing.

    Args:
        process: the other one
    """

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._folders = [Path(f"/proc/{pid}/task") for pid in (process.pid, os.getpid())]
        self._before = self._read()

    def milliseconds(self) -> float:
        """Return the sum over all threads."""
        return sum(max(0, waited - self._before.get(thread, 0)) for thread, waited in self._read().items()) / 1e6

    def _read(self) -> dict[str, int]:
        waits = {}
        for path in itertools.chain.from_iterable(folder.glob("*/schedstat") for folder in self._folders):
            with contextlib.suppress(OSError):
                waits[path.parent.name] = int(path.read_text().split()[1])
        return waits
