"""The table of a matrix of faults: a line a cell, with the command that plays its worst trial again."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from arena_trees.experiments.faults.matrix import Cell, MatrixPlan, again
from arena_trees.experiments.faults.rows import FaultMatrix
from arena_trees.robot.configuration.files import write_atomically

__all__ = ["write_table"]

_HEADINGS = (
    "row", "what", "scenario", "trials", "bounds", "beyond", "raised", "worst_share", "moved_s", "fastest", "outside_m",
    "contacts", "outcomes", "not_played", "tested_by", "again",
)  # fmt: skip


def write_table(plan: MatrixPlan, matrix: FaultMatrix, cells: Sequence[Cell], path: Path) -> None:
    """Write the cells of a matrix as CSV, and after them the rows that no scenario can have.

    Args:
        plan: of the matrix
        matrix: its rows
        cells: of it
        path: of the file

    Raises:
        ConfigError: it cannot be written
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, _HEADINGS, restval="")
    writer.writeheader()
    for cell in cells:
        row = matrix.rows[cell.row]
        none = "" if cell.trials else cell.refused or "no robot has had the fault"
        values = {
            "row": cell.row, "what": row.what, "scenario": cell.scenario, "trials": cell.trials, "bounds": cell.bounds,
            "beyond": cell.beyond, "raised": cell.raised, "worst_share": round(cell.share, 3), "moved_s": cell.moved_s,
            "fastest": cell.fastest, "outside_m": cell.outside_m, "contacts": cell.contacts,
            "outcomes": ", ".join(f"{name} {count}" for name, count in cell.outcomes.items()), "not_played": none,
            "tested_by": ", ".join(matrix.tests_of(row)),
        }  # fmt: skip
        if cell.worst is not None:
            values["again"] = again(matrix, cell.scenario, cell.row, cell.worst, plan.seed)
        writer.writerow(values)
    for name, row in matrix.rows.items():
        if row.elsewhere:
            tests = ", ".join(matrix.tests_of(row))
            writer.writerow({"row": name, "what": row.what, "not_played": row.elsewhere, "tested_by": tests})
    write_atomically(path, lambda stream: stream.write(text.getvalue().encode()))
