"""What a run shows while it plays: each trial, its simulated time, every robot's active behaviour, and the score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from arena_trees.experiments.progress import Progress, ProgressBoard

if TYPE_CHECKING:
    from arena_trees.experiments.results import TrialResult
    from arena_trees.experiments.runner import Job

__all__ = ["LiveView"]

_ENDINGS = 8
"""Finished trials shown under those that are being played."""
_BAR = 60
"""Longest bar, characters."""
_LEAF = 24
"""Characters for the name of a leaf; longer ones are cut."""
_TIME = 9
"""Characters for a simulated time."""
_GAP = 2
"""Spaces between columns."""
_AHEAD = 64
"""After this many trials in a row that have not begun, later ones are taken as not handed out yet."""


class LiveView:
    """A display that is redrawn in place; where the output is no terminal, a line a finished trial.

    Each trial that is being played has a line, with a column a robot; where the terminal is too narrow for that, a line
    and its robots under it. What is too much for the terminal's height is counted in a line of its own.

    Args:
        title: of the run
        jobs: of the run
        path: of the progress board
        console: to show it on; nothing is shown if None
    """

    def __init__(self, title: str, jobs: Sequence[Job], path: Path, console: Console | None) -> None:
        self._title = title
        self._jobs = jobs
        self._board = ProgressBoard(path)
        self._finished: dict[int, TrialResult] = {}
        self._console = console
        self._live: Live | None = None
        self._robots = list(jobs[0].plan.robots)

    def __enter__(self) -> LiveView:
        """Start the live display, on a terminal."""
        if self._console is not None and self._console.is_terminal:
            self._live = Live(get_renderable=self._draw, console=self._console, refresh_per_second=8, transient=True)
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove the live display."""
        if self._live is not None:
            self._live.stop()
        self._board.close()

    def note(self, job: Job, result: TrialResult) -> None:
        """Add a finished trial to the display."""
        self._finished[job.number] = result
        if self._console is not None and self._live is None:
            self._console.print(self._line(job.number, result), highlight=False, soft_wrap=True)

    def _draw(self) -> Group:
        assert self._console is not None
        width, height = self._console.size
        total, done = len(self._jobs), len(self._finished)
        head = Text.assemble((self._title, "bold"), f"   {done} of {total} trials   ", self._score())
        # In a grid, for a bar alone does not end its line.
        bar = Table.grid()
        bar.add_row(ProgressBar(total=total, completed=done, width=min(_BAR, width)))
        # The last line of a terminal is the cursor's.
        played = self._played(width, height - 3)
        newest = list(self._finished.items())[: -_ENDINGS - 1 : -1][: max(0, height - 3 - len(played))]
        endings = [Text(self._line(number, result), style="dim") for number, result in newest]
        lines = [head, *played, *endings]
        for line in lines:
            line.no_wrap, line.overflow = True, "ellipsis"
        return Group(head, bar, *lines[1:])

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

    def _played(self, width: int, height: int) -> list[Text]:
        """Return the lines of the trials that are being played, as many as there is room for."""
        trials = list(self._trials())
        if not trials:
            return []
        first = max(len(place) for place, _ in trials)
        cells = [max(_LEAF, len(robot)) for robot in self._robots]
        if first + _TIME + sum(cells) + _GAP * (len(cells) + 1) <= width:
            blocks = self._in_columns(trials, first, cells)
        else:
            blocks = self._in_blocks(trials, first, width)
        lines: list[Text] = []
        for number, block in enumerate(blocks):
            # The line that counts the others needs room, too.
            if len(lines) + len(block) + (number + 1 < len(blocks)) > height:
                return [*lines[:height], Text(f"and {len(blocks) - max(number, 1)} more", style="dim")]
            lines += block
        return lines

    def _in_columns(self, trials: Sequence[tuple[str, Progress]], first: int, cells: Sequence[int]) -> list[list[Text]]:
        """Return a line a trial, with a column a robot; the heading goes with the first."""
        heads = zip(self._robots, cells, strict=True)
        head = _columns([("trial".ljust(first)), "time, s".rjust(_TIME), *(_cut(name, cell) for name, cell in heads)])
        rows = []
        for place, progress in trials:
            leaves = (_cut(progress.active.get(name, ""), cell) for name, cell in zip(self._robots, cells, strict=True))
            rows.append([Text(_columns([place.ljust(first), f"{progress.simulated_s:{_TIME}.1f}", *leaves]))])
        rows[0].insert(0, Text(head, style="bold"))
        return rows

    def _in_blocks(self, trials: Sequence[tuple[str, Progress]], first: int, width: int) -> list[list[Text]]:
        """Return a line for each trial, and its robots below, as many side by side as there is room for."""
        longest = max(map(len, self._robots))
        cell = longest + _GAP + _LEAF
        abreast = max(1, width // (cell + _GAP))
        blocks = []
        for place, progress in trials:
            block = [Text(f"{place.ljust(first)}{progress.simulated_s:{_TIME}.1f} s", style="bold")]
            shown = [
                f"{name.ljust(longest)}{' ' * _GAP}{_cut(progress.active.get(name, ''), _LEAF)}"
                for name in self._robots
            ]
            rows = (shown[start : start + abreast] for start in range(0, len(shown), abreast))
            blocks.append([*block, *(Text(f"{' ' * _GAP}{_columns(row)}") for row in rows)])
        return blocks

    def _trials(self) -> Iterator[tuple[str, Progress]]:
        """Give the places and the progress of the trials that are being played."""
        idle = 0
        for job in self._jobs:
            if job.number in self._finished:
                continue
            progress = self._board.read(job.number)
            if progress is not None:
                yield _place(job, len(self._jobs)), progress
            idle = 0 if progress is not None else idle + 1
            if idle == _AHEAD:
                return


def _columns(texts: Sequence[str]) -> str:
    return (" " * _GAP).join(texts)


def _cut(text: str, width: int) -> str:
    """Return a text as wide as a column."""
    return text.ljust(width) if len(text) <= width else f"{text[: width - 1]}…"


def _place(job: Job, total: int) -> str:
    arm = f" {job.arm}" if job.arm else ""
    return f"{job.number + 1}/{total} seed {job.plan.scenario.seed + job.index}{arm}"


def _ending(result: TrialResult) -> str:
    return f"{result.ending} ({result.reason})"
