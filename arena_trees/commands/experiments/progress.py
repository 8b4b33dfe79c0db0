"""What a sweep shows while it plays: how many trials are done, how many failed, and how long the others will take."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from arena_trees.experiments.sweeps.records import Record

__all__ = ["SweepProgress", "time_in_words"]

_LINES = 20
"""Most lines of progress where the output is no terminal."""
_MEMORY_S = 3600.0
"""Time over which the speed is averaged."""


class SweepProgress:
    """A bar with the time left; where the output is no terminal, a line now and then.

    Args:
        title: of the sweep
        total: trials in all
        done: trials that are done already
        console: to show it on; nothing is shown if None
    """

    def __init__(self, title: str, total: int, done: int, console: Console | None) -> None:
        self._total = total
        self._before = self._done = done
        self._failed = 0
        self._console = console
        self._begun = time.monotonic()
        self._step = max(1, -(-(total - done) // _LINES))
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("trials{task.fields[failed]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("left"),
            console=console,
            transient=True,
            speed_estimate_period=_MEMORY_S,
            disable=console is None or not console.is_terminal,
        )
        self._task = self._bar.add_task(title, total=total, completed=done, failed="")

    def __enter__(self) -> SweepProgress:
        """Start the progress bar."""
        self._bar.start()
        if self._before and self._console is not None:
            self._console.print(f"{self._before} of {self._total} trials were played before", highlight=False)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove the bar, and print how far an interrupted sweep got."""
        self._bar.stop()
        if kind is not None and self._console is not None:
            kept = f"{self._done} of {self._total} trials are kept; the same command goes on with the others"
            self._console.print(
                kept if self._done else "nothing was played, and nothing is left behind",
                highlight=False,
                soft_wrap=True,
            )

    def less(self, trials: int) -> None:
        """Reduce the total by trials that need not be played."""
        self._total -= trials
        self._bar.update(self._task, total=self._total)

    def note(self, record: Record) -> None:
        """Count a finished trial."""
        self._done += 1
        self._failed += record["status"] != "played"
        failed = f", {self._failed} failed" if self._failed else ""
        self._bar.update(self._task, completed=self._done, failed=failed)
        new = self._done - self._before
        if self._console is not None and self._bar.disable and (new % self._step == 0 or self._done == self._total):
            left_s = (time.monotonic() - self._begun) / new * (self._total - self._done)
            text = f"{self._done} of {self._total} trials{failed}, {time_in_words(left_s)} left"
            self._console.print(text, highlight=False, soft_wrap=True)


def time_in_words(seconds: float) -> str:
    """Return a time as text: in its largest unit that is not zero, and the next smaller one."""
    whole = round(seconds)
    minutes, rest = divmod(whole, 60)
    hours, more = divmod(minutes, 60)
    if hours:
        return f"{hours} h {more} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
