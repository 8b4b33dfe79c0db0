"""Tables of a sweep: a row a trial, and a row a point with every metric and its interval; as CSV and as Parquet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from arena_trees.experiments.metrics import metrics_of, summarise
from arena_trees.experiments.sweeps.records import Record
from arena_trees.games.metrics import Metric
from arena_trees.robot.configuration.files import write_atomically
from arena_trees.robot.errors import ArenaTreesError

__all__ = ["Points", "Table", "point_table", "trial_table", "write_csv", "write_parquet"]

_TRIAL = ("point", "trial", "seed", "status", "outcome", "reason", "simulated_s", "played_s")
_POINT = ("point", "played", "failed", "reason")
_MEASURED = "measured_"
"""Prefix of the name of a value that a column has already."""


class Points(Protocol):
    """Points that were played, such as those of a grid."""

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys whose values differ from point to point."""

    @property
    def points(self) -> Sequence[Mapping[str, Any]]:
        """The values of each point by key, in the order of the keys."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        columns: their names, all different
        rows: plain values, None where there is none, as long as the columns
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def column(self, name: str) -> tuple[Any, ...]:
        """Return the values of a column.

        Raises:
            KeyError: there is no such column
        """
        if name not in self.columns:
            raise KeyError(name)
        place = self.columns.index(name)
        return tuple(row[place] for row in self.rows)


def trial_table(points: Points, records: Iterable[Record]) -> Table:
    """Return a row a trial: which, with which values of the keys, how it ended, and every value that it was judged by.

    Args:
        points: that were played
        records: in the order of the rows
    """
    kept = list(records)
    names = _named(name for record in kept for name in record if name not in _TRIAL)
    columns = _unlike((*_TRIAL[:3], *points.keys, *_TRIAL[3:]), names)
    rows = []
    for record in kept:
        values = [record.get(name) for name in _TRIAL]
        keys = points.points[record["point"]].values()
        rows.append((*values[:3], *keys, *values[3:], *(record.get(name) for name in names)))
    return Table(columns, tuple(rows))


def point_table(points: Points, records: Iterable[Record], metrics: Sequence[Metric]) -> Table:
    """Return a row a point: what was played there, and every metric.

    After the values of the keys come how many trials were played and failed, and why the first one failed; then each
    metric with the ends of its 95 % interval and the number of trials that had a value. Points without any record have
    a row, too, in which nothing was played.

    Args:
        points: of the sweep
        records: of its jobs, trials in the order of their seeds
        metrics: of the game
    """
    played: dict[int, list[Record]] = {}
    failed: dict[int, list[Record]] = {}
    for record in records:
        side = played if record["status"] == "played" else failed
        side.setdefault(record["point"], []).append(record)
    names = _named(metric.name for metric in metrics_of([one for point in played.values() for one in point], metrics))
    cells = [f"{name}{end}" for name in names for end in ("", "_low", "_high", "_n")]
    rows = []
    for point, keys in enumerate(points.points):
        own, lost = played.get(point, []), failed.get(point, [])
        row: list[Any] = [point, *keys.values(), len(own), len(lost), lost[0]["reason"] if lost else None]
        summary = summarise(own, metrics)
        for name in names:
            one = summary.get(name)
            row += [None, None, None, 0] if one is None else [one.value, one.low, one.high, one.n]
        rows.append(tuple(row))
    return Table(_unlike((_POINT[0], *points.keys, *_POINT[1:]), cells), tuple(rows))


def write_csv(table: Table, path: Path) -> None:
    """Write a table as CSV: yes and no as true and false, nothing as an empty cell, lists and maps as JSON.

    Raises:
        ConfigError: the file cannot be written
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows([_cell(value) for value in row] for row in table.rows)
    write_atomically(path, lambda stream: stream.write(text.getvalue().encode()))


def write_parquet(table: Table, path: Path) -> None:
    """Write a table as Parquet: whole numbers as int64, other numbers as double, yes and no as bool, all else as text.

    Raises:
        ArenaTreesError: pyarrow is not installed
        ConfigError: the file cannot be written
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError as error:
        raise ArenaTreesError("Parquet needs pyarrow: pip install 'arena-trees[parquet]'") from error
    arrays = [_typed(table.column(name), pyarrow) for name in table.columns]
    made = pyarrow.table(arrays, names=list(table.columns))
    buffer = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(made, buffer)
    write_atomically(path, lambda stream: stream.write(buffer.getvalue().to_pybytes()))


def _typed(values: Sequence[Any], pyarrow: Any) -> Any:
    """Return a column as an array of the one kind that holds all its values."""
    kinds = {type(value) for value in values} - {type(None)}
    if kinds == {bool}:
        kind = pyarrow.bool_()
    elif kinds == {int} and all(value is None or abs(value) < 1 << 63 for value in values):
        kind = pyarrow.int64()
    elif kinds and kinds <= {int, float}:
        kind = pyarrow.float64()
        values = [None if value is None else float(value) for value in values]
    else:
        kind = pyarrow.string()
        values = [None if value is None else str(_cell(value)) for value in values]
    return pyarrow.array(values, type=kind)


def _cell(value: Any) -> Any:
    """Return a value as CSV holds it."""
    return json.dumps(value) if isinstance(value, bool | dict | list) else value


def _named(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _unlike(first: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """Return all names, those of values that a column has already with another one."""
    return (*first, *(f"{_MEASURED}{name}" if name in first else name for name in others))
