"""Files of tables: a CSV file a table, with a line a figure, which pages and other documents quote."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from arena_trees.experiments.book.documents import Document, RunDocument, SweepDocument
from arena_trees.experiments.book.figures import reckon
from arena_trees.experiments.intervals import Estimate
from arena_trees.games.book import Chapter, Measurement, Number, Reading, Run, Table, Trials
from arena_trees.games.metrics import Metric
from arena_trees.robot.configuration.files import write_atomically
from arena_trees.robot.errors import ConfigError

__all__ = ["TableEntry", "entries_of", "read_entries", "write_entries"]

Documents = Mapping[str, Document]
"""Documents by the name of their run."""


@dataclass(frozen=True, slots=True)
class TableEntry:
    """One figure of a table: a line of its file.

    Attributes:
        row: name of its row
        column: name of its column
        value: the figure; None where it was not played, or no trial has a value
        low: lower end of the 95 % interval, None where there is none
        high: upper end
        n: trials, or pairs of them, that had a value
        metric: name of the metric, and which part of it; empty for a number of trials
        run: name of the run
        seeds: of its trials; empty where it was not played
        version: of Arena Trees that played it; empty where it was not played
        origin: where the figure was taken from, where that is not a document of the run
        command: that plays the run
    """

    row: str
    column: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    metric: str
    run: str
    seeds: str
    version: str
    origin: str
    command: str

    @property
    def played(self) -> bool:
        """Whether the run was played."""
        return bool(self.version)


_NAMES = tuple(one.name for one in fields(TableEntry))
_NUMBERS = ("value", "low", "high")


def entries_of(
    table: Table, chapter: Chapter, documents: Documents, metrics: Sequence[Metric], before: Sequence[TableEntry]
) -> list[TableEntry]:
    """Return the figures of a table, in the order of its cells.

    What has no document stays as it was before, if it was made by the very command; or else it is not played yet.

    Args:
        table: of the chapter
        chapter: that defines how runs are played
        documents: of the runs that were played
        metrics: of the game
        before: of the table's file

    Raises:
        ConfigError: a document has no such arm or metric
    """
    known = {(entry.row, entry.column): entry for entry in before}
    entries = []
    for row, column, cell in table.figures():
        run, document = chapter.sources[cell.run], documents.get(cell.run)
        old = known.get((row, column))
        if document is not None:
            entries.append(_played(row, column, cell, run, document, reckon(cell, document, metrics)))
        elif old is not None and _is_of(old, cell, run):
            entries.append(old)
        else:
            nothing = (None, None, None, 0, _metric_text(cell), cell.run, "", "", "", run.command)
            entries.append(TableEntry(row, column, *nothing))
    return entries


def _played(
    row: str, column: str, cell: Number, run: Run | Measurement, document: Document, figure: Estimate
) -> TableEntry:
    numbers = (figure.value, figure.low, figure.high, figure.n)
    seeds = document.seeds if isinstance(document, RunDocument) else run.seeds
    version = document.run.version if isinstance(document, SweepDocument) else document.version
    return TableEntry(row, column, *numbers, _metric_text(cell), cell.run, seeds, version, "", run.command)


def _is_of(entry: TableEntry, cell: Number, run: Run | Measurement) -> bool:
    """Return whether a figure was made by what a cell asks for now."""
    return (entry.metric, entry.run, entry.command) == (_metric_text(cell), cell.run, run.command)


def _metric_text(cell: Number) -> str:
    """Return what is measured, in words."""
    if isinstance(cell, Trials):
        return ""
    if isinstance(cell, Reading):
        return " ".join((cell.value, *(f"{key}={value}" for key, value in cell.where)))
    words = [cell.metric, {"": "", "p10": "10th percentile"}.get(cell.part, cell.part)]
    words.append(f"among {cell.among}" if cell.among else "")
    words.append(f"of {cell.arm}" if cell.arm else "")
    words.append(f"less {cell.less}" if cell.less else "")
    return " ".join(word for word in words if word)


def read_entries(path: Path) -> list[TableEntry]:
    """Return the figures of a table's file; none where there is no file.

    Raises:
        ConfigError: it is no such file; names the line
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError("cannot be read", file=path) from error
    rows = csv.reader(io.StringIO(text))
    if tuple(next(rows, ())) != _NAMES:
        raise ConfigError(f"must begin with {','.join(_NAMES)}", file=path, line=1)
    return [_entry(row, path, number) for number, row in enumerate(rows, 2)]


def _entry(row: Sequence[str], path: Path, line: int) -> TableEntry:
    try:
        values = dict(zip(_NAMES, row, strict=True))
        numbers = {name: float(values[name]) if values[name] else None for name in _NUMBERS}
        if not all(math.isfinite(value) for value in numbers.values() if value is not None):
            raise ValueError("must be finite")
        texts = {name: value for name, value in values.items() if name not in numbers}
        return TableEntry(**{**texts, **numbers, "n": int(values["n"])})  # type: ignore[arg-type]  # values by name
    except ValueError as error:
        raise ConfigError(f"is no figure: {error}", file=path, line=line, value=",".join(row)) from error


def write_entries(entries: Sequence[TableEntry], path: Path) -> None:
    """Write the file of a table.

    Raises:
        ConfigError: it cannot be written
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_NAMES)
    writer.writerows([_cell(value) for value in astuple(entry)] for entry in entries)
    write_atomically(path, lambda stream: stream.write(text.getvalue().encode()))


def _cell(value: object) -> object:
    """Return a value as the file holds it: numbers so that reading them gives the same again."""
    if isinstance(value, float):
        return f"{value:.6g}"
    return "" if value is None else value
