"""How long a test waits for what may never come."""

import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

LIMIT_S = 60.0
"""Longest wait for one thing: half of a test's limit, so that the test itself can say what it waited for."""


class Patience:
    """The patience of one wait.

    Args:
        what: is waited for; asked when patience is over where it is a function
        limit_s: how long it lasts, s; :data:`LIMIT_S` where not given
    """

    def __init__(self, what: str | Callable[[], str], limit_s: float | None = None) -> None:
        self._what = what
        self._ends = time.monotonic() + (LIMIT_S if limit_s is None else limit_s)

    def check(self) -> None:
        """Do nothing as long as there is patience.

        Raises:
            AssertionError: it is over
        """
        if time.monotonic() >= self._ends:
            raise AssertionError(f"waited in vain for {self._what if isinstance(self._what, str) else self._what()}")


def until(
    done: Callable[[], Any], what: str | Callable[[], str], turn: Callable[[], object] = lambda: time.sleep(0.02)
) -> Any:
    """Return what a function returns once it is true.

    Args:
        done: looked at again and again
        what: is waited for
        turn: called between two looks; by default it sleeps for a little while

    Raises:
        AssertionError: patience is over
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
