"""A limit for each test, as a plugin of pytest: what takes longer is ended, and tells where it stood.

Stacks of this process and of its children are printed, then the test fails. Where not even that is possible, because
its main thread waits in compiled code for ever, the process ends half a minute later, and pytest-xdist goes on in
another one.
"""

import faulthandler
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

NAME = "time limit"
"""Of the thread that measures a test."""

GRACE_S = 30.0
"""From a test's limit to the end of the process, where the test does not end meanwhile."""


class TimeLimit:
    """Takes the place of pytest-timeout's own timers."""

    def __init__(self) -> None:
        # When plugins are made, the real stderr is not captured.
        self._report = os.fdopen(os.dup(sys.stderr.fileno()), "w")
        self._timer: threading.Timer | None = None
        self._late = ""
        self._may_fail = False
        signal.signal(signal.SIGALRM, self._fail)

    def close(self) -> None:
        """Let go of stderr."""
        self._report.close()

    @pytest.hookimpl(tryfirst=True)
    def pytest_timeout_set_timer(self, item: pytest.Item, settings: Any) -> bool:
        """Begin to measure a test."""
        self._late = ""
        faulthandler.dump_traceback_later(settings.timeout + GRACE_S, exit=True, file=self._report)
        self._timer = threading.Timer(settings.timeout, self._expire, (item.nodeid, settings.timeout))
        self._timer.name = NAME
        self._timer.start()
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_timeout_cancel_timer(self, item: pytest.Item) -> bool:
        """Stop measuring it."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
            self._timer = None
            faulthandler.cancel_dump_traceback_later()
        return True

    def _expire(self, test: str, limit_s: float) -> None:
        """Print all stacks, and have the main thread fail."""
        print(f"\n{'+' * 20} {test}: longer than {limit_s:g} s {'+' * 20}", file=self._report, flush=True)
        faulthandler.dump_traceback(file=self._report, all_threads=True)
        for child in descendants(os.getpid()):
            self._report.write(stacks_of(child))
            self._report.flush()
        self._late = f"longer than {limit_s:g} s; its stacks are on stderr"
        signal.pthread_kill(threading.main_thread().ident, signal.SIGALRM)  # type: ignore[arg-type]

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_setup(self) -> Generator[None, object, object]:
        """Let a fixture fail."""
        return (yield from self._interruptible())

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_call(self) -> Generator[None, object, object]:
        """Let a test fail."""
        return (yield from self._interruptible())

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_teardown(self) -> Generator[None, object, object]:
        """Let the end of a fixture fail."""
        return (yield from self._interruptible())

    def _interruptible(self) -> Generator[None, object, object]:
        self._may_fail = True
        try:
            return (yield)
        finally:
            self._may_fail = False

    def _fail(self, *_: object) -> None:
        # Raised elsewhere, it would end pytest itself.
        if self._may_fail:
            pytest.fail(self._late)


def descendants(process: int) -> Iterator[int]:
    """Yield the processes that a process has started, and those that these have."""
    for children in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            found = [int(child) for child in children.read_text().split()]
        except OSError:
            continue
        for child in found:
            yield child
            yield from descendants(child)


def stacks_of(process: int) -> str:
    """Return a process's command and, where py-spy may look into it, its stacks."""
    try:
        command = Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""
    said = f"\n-- child {process}: {command[:300]}\n"
    spy = shutil.which("py-spy", path=os.pathsep.join((sysconfig.get_path("scripts"), os.environ.get("PATH", ""))))
    if spy is None:
        return f"{said}(no py-spy here)\n"
    try:
        done = subprocess.run([spy, "dump", "--pid", str(process)], capture_output=True, text=True, timeout=10.0)
    except subprocess.TimeoutExpired:
        return f"{said}(py-spy found no end)\n"
    return said + (done.stdout or done.stderr)
