"""What a run shows while it plays: each trial, its simulated time, every robot's active behaviour, and the score."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from arena_trees.simulation.experiments.progress import ProgressBoard

if TYPE_CHECKING:
    from arena_trees.simulation.experiments.results import TrialResult
    from arena_trees.simulation.experiments.runner import Job

__all__ = ["LiveView"]

_ROWS = 8
"""Finished trials shown under those that are being played."""
_COLUMNS = 4
"""Robots that there is room for."""


class LiveView:
    """A display that is redrawn in place; where the output is no terminal, a line a finished trial.

    Args:
        title: of the run
        jobs: of the run
        path: of the progress board
    """

    def __init__(self, title: str, jobs: Sequence[Job], path: Path) -> None:
        self._title = title
        self._jobs = jobs
        self._board = ProgressBoard(path)
        self._finished: dict[int, TrialResult] = {}
        self._console = Console()
        self._live: Live | None = None
        self._entered = False

    def __enter__(self) -> LiveView:
        """Begin to show."""
        self._entered = True
        if self._console.is_terminal:
            self._live = Live(get_renderable=self._draw, console=self._console, refresh_per_second=8, transient=True)
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the display away."""
        if self._live is not None:
            self._live.stop()

    def close(self) -> None:
        """Let go of the progress board."""
        self._board.close()

    def note(self, job: Job, result: TrialResult) -> None:
        """Take a finished trial in."""
        self._finished[job.number] = result
        if self._entered and self._live is None:
            self._console.print(self._line(job.number, result), highlight=False, soft_wrap=True)

    def _draw(self) -> Group:
        total, done = len(self._jobs), len(self._finished)
        head = Text.assemble((self._title, "bold"), f"   {done} of {total} trials   ", self._score())
        newest = list(self._finished.items())[: -_ROWS - 1 : -1]
        endings = (Text(self._line(number, result), style="dim", no_wrap=True) for number, result in newest)
        return Group(head, ProgressBar(total=total, completed=done, width=60), self._trials(), *endings)

    def _line(self, number: int, result: TrialResult) -> str:
        return f"{_place(self._jobs[number], len(self._jobs))}: {_ending(result)}"

    def _score(self) -> Text:
        counts: dict[str, int] = {}
        for result in self._finished.values():
            counts[result.outcome] = counts.get(result.outcome, 0) + 1
        score = Text()
        for outcome, count in counts.items():
            score.append(f"{outcome} {count}  ", style=self._jobs[0].plan.game.outcomes.get(outcome, ""))
        return score

    def _trials(self) -> Table:
        robots = list(self._jobs[0].plan.robots)[:_COLUMNS]
        table = Table(box=None, pad_edge=False)
        table.add_column("trial")
        table.add_column("time, s", justify="right")
        for robot in robots:
            table.add_column(robot, min_width=20)
        for job in self._jobs:
            progress = None if job.number in self._finished else self._board.read(job.number)
            if progress is not None:
                active = [progress.active.get(robot, "") for robot in robots]
                table.add_row(_place(job, len(self._jobs)), f"{progress.simulated_s:.1f}", *active)
        return table


def _place(job: Job, total: int) -> str:
    arm = f" {job.arm}" if job.arm else ""
    return f"{job.number + 1}/{total} seed {job.plan.scenario.seed + job.index}{arm}"


def _ending(result: TrialResult) -> str:
    return f"{result.ending} ({result.reason})"
