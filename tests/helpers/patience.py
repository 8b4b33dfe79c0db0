"""How long a test waits for what may never come: by what this machine, as busy as it is, does meanwhile."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

LEAST_S = 20.0
"""Seconds that everything may take, however idle the machine is."""

STARTS = 20
"""So many programs, started one after the other once those seconds are over, come to their end as well."""

YARDSTICK = (sys.executable, "-m", "arena_trees", "list")
"""Costs about as much work as the start of a node: 0.9 s of a processor, almost all of it imports."""


class Patience:
    """The patience of one wait, which is over only where the machine had the time for much else.

    No limit in seconds is right for every machine, nor for one machine at every time. So once a wait has lasted for
    :data:`LEAST_S`, programs are started beside it, one after the other, and patience is over when all have ended: on
    an idle machine after 40 s in all, at a load of fifteen on two processors after some minutes. Where the wait is not
    in vain, nothing is started.

    Args:
        what: is waited for; asked when patience is over where it is a function
        starts: how many programs are started
    """

    def __init__(self, what: str | Callable[[], str], starts: int = STARTS) -> None:
        self._what = what
        self._measured = time.monotonic() + LEAST_S
        self._left = starts
        self._start: threading.Thread | None = None

    @property
    def over(self) -> bool:
        """Whether it is over; to be asked again and again."""
        if time.monotonic() < self._measured or (self._start is not None and self._start.is_alive()):
            return False
        if self._left <= 0:
            return True
        self._left -= 1
        # The thread waits for the program even where nobody waits for the thread any more.
        self._start = threading.Thread(target=subprocess.run, args=(YARDSTICK,), kwargs=_QUIETLY, daemon=True)
        self._start.start()
        return False

    def check(self) -> None:
        """Do nothing as long as there is patience.

        Raises:
            AssertionError: it is over
        """
        assert not self.over, f"waited in vain for {self._what if isinstance(self._what, str) else self._what()}"


_QUIETLY = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "check": False}


def until(
    done: Callable[[], Any], what: str | Callable[[], str], turn: Callable[[], object] = lambda: time.sleep(0.02)
) -> Any:
    """Return what a function returns once it is true.

    Args:
        done: looked at again and again
        what: is waited for
        turn: called between two looks; by default it sleeps for a little while

    Raises:
        AssertionError: patience is over, see :class:`Patience`
    """
    patience = Patience(what)
    while not (result := done()):
        patience.check()
        turn()
    return result


def exit_code(process: subprocess.Popen[Any]) -> int:
    """Return the exit code of a process that ends by itself.

    Raises:
        AssertionError: patience is over
    """
    until(lambda: process.poll() is not None, f"the end of {process.args!r}")
    return int(process.returncode)


def run(command: Sequence[str], **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, as :func:`subprocess.run` does, and return its exit code and what it wrote.

    Raises:
        AssertionError: patience is over; the program is killed
    """
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, **options) as process:
        try:
            out, err = output(process)
        finally:
            process.kill()
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def output(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Return what a process that ends by itself writes to stdout and stderr, each as far as it is a pipe.

    Raises:
        AssertionError: patience is over
    """
    patience = Patience(f"the end of {process.args!r}")
    while True:
        try:
            out, err = process.communicate(timeout=0.1)
        except subprocess.TimeoutExpired:
            patience.check()
        else:
            return out or "", err or ""


def is_running(identity: int) -> bool:
    """Return whether the process of that number has not ended."""
    try:
        # A process that has ended and that nobody has waited for is still there, as a zombie.
        return Path(f"/proc/{identity}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
