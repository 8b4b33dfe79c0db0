"""Chapters of the book of results: by which runs a game is measured, and what tables and pictures are made of them.

A chapter is data: a game states it as ``Game.chapter``, and ``arena-trees book`` plays it and writes it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

__all__ = [
    "PICTURES",
    "Cell",
    "Chapter",
    "Figure",
    "Measurement",
    "Number",
    "Picture",
    "Reading",
    "Run",
    "Table",
    "Trials",
    "changes_table",
    "field_run",
]

PICTURES = "pictures"
"""Name of the file that lists the runs of a chapter's pictures; no table's."""

_NAME = re.compile(r"\w+\Z")
_QUICK_TRIALS = 2
_QUICK_S = 2.0
"""Longest trial of a quick run, s."""
_REPORTS = 1000
"""Seeds from here on are for reports; a quick run reports nothing."""


@dataclass(frozen=True, slots=True)
class Run:
    """What is played: the options of ``arena-trees run``, or of ``arena-trees sweep`` where there is a grid.

    Attributes:
        scenario: name of the scenario
        trials: number of trials; of each point where there is a grid
        seed: of the first trial
        compare: strategy that is played besides, in the same worlds; empty for none
        strategy: that is played; empty for the scenario's own
        camera: of every robot; empty for the scenario's own
        settings: ``key=value`` texts, as ``--set`` takes them
        grid: ``key=values`` texts, as ``--grid`` takes them
    """

    scenario: str
    trials: int
    seed: int = 1000
    compare: str = ""
    strategy: str = ""
    camera: str = ""
    settings: tuple[str, ...] = ()
    grid: tuple[str, ...] = ()

    @property
    def options(self) -> Mapping[str, str]:
        """What is asked for besides trials, seed, settings and grid, by the option's name."""
        options = {"strategy": self.strategy, "camera": self.camera, "compare": self.compare}
        return {name: value for name, value in options.items() if value}

    @property
    def command(self) -> str:
        """The command line that plays it."""
        words = ["arena-trees", "sweep" if self.grid else "run", self.scenario]
        for text in self.grid:
            words += ["--grid", text]
        words += ["--trials", str(self.trials), "--seed", str(self.seed)]
        for name, value in self.options.items():
            words += [f"--{name}", value]
        for text in self.settings:
            words += ["--set", text]
        return shlex.join(words)

    @property
    def seeds(self) -> str:
        """The seeds of its trials, in words."""
        return str(self.seed) if self.trials == 1 else f"{self.seed} to {self.seed + self.trials - 1}"

    def quick(self) -> Run:
        """Return a run that shows in seconds whether this one can be played: few trials, and short ones."""
        settings = tuple(text for text in self.settings if not text.startswith("duration_s="))
        return replace(
            self,
            trials=1 if self.grid else min(self.trials, _QUICK_TRIALS),
            seed=self.seed % _REPORTS,
            settings=(*settings, f"duration_s={_QUICK_S}"),
        )


def field_run(scenario: str, trials: int, compare: str = "", strategy: str = "", settings: tuple[str, ...] = ()) -> Run:
    """Return a run under the field's disturbances (``profile=field``), on seeds that no chapter uses else."""
    return Run(scenario, trials, 30_000, compare, strategy, settings=("profile=field", *settings))


@dataclass(frozen=True, slots=True)
class Figure:
    """A cell with a figure of a run: of all its trials, with the 95 % interval.

    Attributes:
        run: name of the run; of one with a grid, the figure is that of all points together
        metric: name of the metric; with part ``sum``, of any value of the trials
        arm: of the run; empty for its first
        part: empty for the metric as summaries have it; ``p10`` for the 10th percentile of the trials, ``least`` and
            ``most`` for the smallest and the greatest trial (with a grid: point), ``sum`` for the sum over all trials,
            ``n`` for the number of trials, or of pairs of them, that have a value, ``p`` for the p-value of a
            difference (``less``), corrected for the number of metrics that are tested
        among: name of a yes or no of the trials: only the worlds count in which every arm has a yes
        less: an arm whose value of the same world is taken off before the mean; empty for none

    Raises:
        ValueError: a p-value is asked for, and no difference
    """

    run: str
    metric: str
    arm: str = ""
    part: Literal["", "p10", "least", "most", "sum", "n", "p"] = ""
    among: str = ""
    less: str = ""

    def __post_init__(self) -> None:
        if self.part == "p" and not self.less:
            raise ValueError(f"{self.metric}: a p-value is of a difference")


@dataclass(frozen=True, slots=True)
class Trials:
    """A cell with the number of trials that each arm of a run has.

    Attributes:
        run: name of the run
    """

    run: str


@dataclass(frozen=True, slots=True)
class Measurement:
    """What another command measures; the book reads the document that it leaves, and does not play it.

    Attributes:
        command: that measures, and writes a JSON document with its ``version``
        seeds: of what it looks at, in words
        number: entry of the document with the number of things that were looked at
    """

    command: str
    seeds: str
    number: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A cell with a number of a measurement's document.

    Attributes:
        run: name of the measurement
        value: key of the number
        table: entry of the document that is a list of maps, of which one has the number; empty for the document itself
        where: keys and values of that one
    """

    run: str
    value: str
    table: str = ""
    where: tuple[tuple[str, str], ...] = ()


Number = Figure | Trials | Reading
"""A cell that is no text."""

Cell = str | Number


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        name: of its file
        caption: what it shows, a heading
        columns: heads; all different but for those over the texts that a row begins with
        rows: as long as the columns; a row is known by the texts that it begins with
    """

    name: str
    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def figures(self) -> Iterator[tuple[str, str, Number]]:
        """Yield the names of row and column, and the cell, of each cell that is no text."""
        for row in self.rows:
            for head, cell in zip(self.columns, row, strict=True):
                if not isinstance(cell, str):
                    yield row_name(row), plain(head), cell


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture.

    Attributes:
        name: of its file
        caption: what it shows, a sentence without its stop
        run: name of the run
        kind: ``trials`` for a bar a trial of every arm, ``ways`` for what ``run --plot`` draws of a run of one trial,
            ``sweep`` for what ``plot-sweep`` draws of a run with a grid
        metric: that a sweep's picture shows
        lines: whether that has lines in place of a heat map
    """

    name: str
    caption: str
    run: str
    kind: Literal["trials", "ways", "sweep"]
    metric: str = ""
    lines: bool = False


@dataclass(frozen=True)
class Chapter:
    """The part of the book about a game.

    Attributes:
        runs: by name
        tables: in the order of the page
        pictures: in the order of the page
        measurements: by name; no run has the same

    Raises:
        ValueError: it contradicts itself
    """

    runs: Mapping[str, Run]
    tables: tuple[Table, ...] = ()
    pictures: tuple[Picture, ...] = ()
    measurements: Mapping[str, Measurement] = field(default_factory=dict)

    def __post_init__(self) -> None:
        files = [*(table.name for table in self.tables), *(picture.name for picture in self.pictures)]
        if self.runs.keys() & self.measurements.keys():
            raise ValueError("a run and a measurement have one name")
        for name in (*self.runs, *self.measurements, *files):
            if not _NAME.match(name) or name == PICTURES:
                raise ValueError(f"{name!r} is no name of a file")
        if len(set(files)) < len(files):
            raise ValueError(f"names of tables and pictures must differ: {files}")
        for table in self.tables:
            self._check_table(table)
        for picture in self.pictures:
            self._check_picture(picture)

    def _check_table(self, table: Table) -> None:
        for row in table.rows:
            if len(row) != len(table.columns) or not isinstance(row[0], str):
                raise ValueError(f"{table.name}: a row begins with a text and is as long as the columns: {row}")
        places = [(row, column) for row, column, _ in table.figures()]
        if len(set(places)) < len(places):
            raise ValueError(f"{table.name}: two cells have the names of one row and one column")
        for _, _, cell in table.figures():
            if cell.run not in (self.measurements if isinstance(cell, Reading) else self.runs):
                raise ValueError(f"{table.name}: no such run: {cell.run}")

    def _check_picture(self, picture: Picture) -> None:
        run = self.runs.get(picture.run)
        if run is None:
            raise ValueError(f"{picture.name}: no such run: {picture.run}")
        if bool(run.grid) is not (picture.kind == "sweep") or (picture.kind == "ways" and run.trials != 1):
            raise ValueError(f"{picture.name}: the run does not fit a picture of {picture.kind}")

    @property
    def sources(self) -> dict[str, Run | Measurement]:
        """Every run and every measurement, by name."""
        return {**self.runs, **self.measurements}

    def quick(self) -> Chapter:
        """Return the chapter with runs that show in minutes whether it can be played."""
        return replace(self, runs={name: run.quick() for name, run in self.runs.items()})


def changes_table(run: str, changes: tuple[str, ...], metrics: tuple[str, ...]) -> Table:
    """Return the table of a scenario whose variants are changes that a measurement must tell from the first arm.

    Args:
        run: name of the run, in which both arms meet the same worlds
        changes: its arms besides the first
        metrics: by which they are told
    """

    def rows() -> Iterator[tuple[Cell, ...]]:
        for change in changes:
            for metric in metrics:
                pairs = Figure(run, metric, change, "n", less="as it is")
                difference = Figure(run, metric, change, less="as it is")
                p = Figure(run, metric, change, "p", less="as it is")
                yield change, f"`{metric}`", pairs, Figure(run, metric), Figure(run, metric, change), difference, p

    heads = ("what is changed", "metric", "pairs", "as it is", "changed", "changed less as it is", "p")
    return Table("changes", "Known changes, told from the default", heads, tuple(rows()))


def row_name(row: tuple[Cell, ...]) -> str:
    """Return the name of a row: the texts that it begins with."""
    texts: list[str] = []
    for cell in row:
        if not isinstance(cell, str):
            break
        texts.append(plain(cell))
    return ", ".join(text for text in texts if text)


def plain(text: str) -> str:
    """Return a text of a cell without its Markdown."""
    return text.replace("`", "").replace("*", "")
