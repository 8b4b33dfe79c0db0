"""``arena-trees faults``: plays the matrix of faults, and goes on where it was killed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from arena_trees import __version__
from arena_trees.commands.console import Jobs, Quiet, plain_console
from arena_trees.commands.run_request import number_of_processes, whole_number
from arena_trees.robot.configuration.hints import no_such
from arena_trees.robot.errors import ConfigError

if TYPE_CHECKING:
    from rich.console import Console

    from arena_trees.experiments.faults.matrix import Cell, MatrixPlan
    from arena_trees.experiments.faults.rows import FaultMatrix
    from arena_trees.experiments.sweeps.records import Record

__all__ = ["play_faults"]

_MOST_BEYOND = 10
"""Cells of which the command that plays the worst trial again is printed."""


def play_faults(
    scenarios: Annotated[
        list[str] | None, typer.Argument(help="Scenarios: names of `arena-trees list`, or files; those of the matrix.")
    ] = None,
    rows: Annotated[
        list[str] | None, typer.Option("--row", metavar="NAME", help="Play this row alone; repeatable.")
    ] = None,
    trials: Annotated[str | None, typer.Option(metavar="NUMBER", help="Number of trials of each cell; 5.")] = None,
    seed: Annotated[
        str | None, typer.Option(metavar="NUMBER", help="Seed of the first trial of each cell; 1000.")
    ] = None,
    jobs: Jobs = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the matrix.")] = Path("results/faults"),
    matrix_file: Annotated[
        Path | None,
        typer.Option("--matrix", metavar="FILE", help="Matrix of your own; config/faults.yaml if absent."),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Play scenarios with every fault of a matrix.

    The same command goes on with what was interrupted. It exits with 1 where a robot went beyond a bound.
    """
    from arena_trees.commands.experiments.progress import SweepProgress
    from arena_trees.experiments.faults.matrix import MatrixPlan, cells, play_matrix
    from arena_trees.experiments.faults.rows import load_matrix
    from arena_trees.experiments.sweeps.records import Records, read_records
    from arena_trees.experiments.workers import Workers

    matrix = load_matrix(matrix_file)
    for row in rows or []:
        if row not in matrix.played:
            raise ConfigError(_no_row(matrix, row), key="--row", value=row)
    numbers = {"trials": whole_number(trials), "seed": whole_number(seed)}
    given = {key: value for key, value in numbers.items() if value is not None}
    matrix = matrix.with_changes(given, "command line")
    played = [row for row in matrix.played if not rows or row in rows]
    plan = MatrixPlan.of(__version__, matrix, scenarios or list(matrix.scenarios), played)
    console = None if quiet else plain_console()
    with (
        Records(out, plan) as records,
        SweepProgress("faults", plan.jobs, len(records.done), console) as progress,
    ):

        def note(record: Record) -> None:
            # What a robot cannot have is no failure.
            progress.note({**record, "status": "played"} if record["status"] == "refused" else record)

        play_matrix(plan, matrix, records, Workers(number_of_processes(jobs)), note)
    found = cells(plan, matrix, read_records(out))
    _leave(plan, matrix, found, out, console)
    if not all(cell.kept for cell in found):
        raise typer.Exit(1)


def _no_row(matrix: FaultMatrix, row: str) -> str:
    if row in matrix.rows:
        return f"cannot be played: {matrix.rows[row].elsewhere}; see {', '.join(matrix.rows[row].tested_by)}"
    return no_such("row", row, matrix.played)


def _leave(plan: MatrixPlan, matrix: FaultMatrix, cells: Sequence[Cell], folder: Path, console: Console | None) -> None:
    """Write table and picture, and print what came out."""
    from arena_trees.commands.tables import number_of_trials
    from arena_trees.experiments.faults.table import write_table
    from arena_trees.experiments.plots.fault_plot import draw_faults

    words = {name: row.what for name, row in matrix.rows.items()}
    title = f"Faults: {number_of_trials(plan.trials)} a cell from seed {plan.seed}"
    write_table(plan, matrix, cells, folder / "matrix.csv")
    draw_faults(cells, words, title, folder / "matrix.png")
    if console is not None:
        _print(plan, matrix, cells, title, console)
        console.print(Text(f"written: {folder / 'matrix.csv'}, {folder / 'matrix.png'}", style="dim"))


def _print(plan: MatrixPlan, matrix: FaultMatrix, cells: Sequence[Cell], title: str, console: Console) -> None:
    from arena_trees.experiments.faults.matrix import again
    from arena_trees.experiments.plots.fault_plot import cell_words

    table = Table(title=title, title_justify="left", title_style="bold", header_style="bold", box=box.SIMPLE_HEAD)
    table.add_column("row")
    for scenario in plan.scenarios:
        table.add_column(scenario, justify="right")
    places = {(cell.row, cell.scenario): cell for cell in cells}
    for row in plan.rows:
        several = [places[row, scenario] for scenario in plan.scenarios]
        table.add_row(row, *(Text(cell_words(cell) or "-", style="" if cell.kept else "red") for cell in several))
    console.print(table)
    played, beyond = sum(cell.trials for cell in cells), [cell for cell in cells if not cell.kept]
    console.print(
        f"{played} trials with a fault in {sum(cell.trials > 0 for cell in cells)} cells; beyond a bound "
        f"{sum(cell.beyond for cell in cells)}, raised {sum(cell.raised for cell in cells)}",
        highlight=False,
    )
    for cell in sorted(beyond, key=lambda cell: -cell.share)[:_MOST_BEYOND]:
        if cell.worst is not None:
            command = again(matrix, cell.scenario, cell.row, cell.worst, plan.seed)
            console.print(Text(f"{cell.row}, {cell.bounds}: {command}"), soft_wrap=True)
