"""``arena-trees plot-sweep``: draws any metric of a sweep over any of its keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from arena_trees.commands.console import Force, plain_console
from arena_trees.robot.configuration.figure_file import FIGURE_ENDINGS
from arena_trees.robot.configuration.hints import no_such
from arena_trees.robot.configuration.output_files import check_ending, place_files
from arena_trees.robot.configuration.yaml_files import parse_yaml
from arena_trees.robot.errors import ConfigError

if TYPE_CHECKING:
    from arena_trees.experiments.sweeps.grid import Grid
    from arena_trees.experiments.sweeps.sweep_plan import SweepPlan
    from arena_trees.experiments.sweeps.table import Table
    from arena_trees.games.metrics import Metric

__all__ = ["draw", "plot_sweep_folder"]


def plot_sweep_folder(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a sweep, finished or not.")],
    metric: Annotated[str, typer.Argument(help="Metric to draw.")],
    x: Annotated[str | None, typer.Option(metavar="KEY", help="Key along the x axis; the grid's first.")] = None,
    y: Annotated[
        str | None, typer.Option(metavar="KEY", help="Key along the y axis, or of the lines; the grid's second.")
    ] = None,
    lines: Annotated[bool, typer.Option("--lines", help="Draw lines in place of a heat map.")] = False,
    at: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="Draw the points with this value alone; repeatable."),
    ] = None,
    picture_file: Annotated[
        Path | None, typer.Option("-o", metavar="FILE", help="Picture: .png, .svg or .pdf; DIR/<metric>.png if absent.")
    ] = None,
    force: Force = False,
) -> None:
    """Draw a metric of a sweep over its keys.

    Each value of further keys has a panel of its own.
    """
    from arena_trees.experiments.sweeps.records import read_plan, read_records
    from arena_trees.experiments.sweeps.sweep_plan import SweepPlan
    from arena_trees.experiments.sweeps.table import point_table
    from arena_trees.games.registry import find_game

    if picture_file is not None:
        check_ending(picture_file, FIGURE_ENDINGS, "-o")
    plan = read_plan(folder, SweepPlan)
    known = find_game(plan.game).metrics
    table = _at(point_table(plan.grid, read_records(folder), known), plan.grid, at or [])
    _check_drawn(metric, table)
    (path,) = place_files([picture_file or folder / f"{metric}.png"], force)
    draw(plan, table, metric, known, path, (x, y, lines))
    plain_console().print(Text(f"written: {path}", style="dim"))


def draw(
    plan: SweepPlan,
    table: Table,
    metric: str,
    known: Sequence[Metric],
    path: Path,
    wanted: tuple[str | None, str | None, bool],
) -> None:
    """Draw a metric over one or two keys; each value of the other keys has a panel.

    Args:
        plan: of the sweep
        table: of its points
        metric: to draw
        known: metrics of the game
        path: of the picture
        wanted: key of the x axis and of the y axis, None for the first ones that have several values; whether lines
            are drawn in place of a heat map

    Raises:
        ConfigError: a key is none of the grid's, the metric cannot be drawn, or the file cannot be written
    """
    from arena_trees.experiments.plots.sweep_plot import SweepPicture, plot_sweep

    x, y, lines = wanted
    keys = plan.grid.keys
    for option, key in (("--x", x), ("--y", y)):
        if key is not None and key not in keys:
            raise ConfigError(no_such("key in the grid", key, keys), key=option, value=key)
    if x is not None and x == y:
        raise ConfigError("is the key of the x axis, too", key="--y", value=y)
    varied = [key for key in keys if len({str(value) for value in table.column(key)}) > 1] or [keys[0]]
    x = x or next((key for key in varied if key != y), keys[0])
    y = y or next((key for key in varied if key != x), None)
    panels = tuple(key for key in varied if key not in (x, y))
    label = next((one.text for one in known if one.name == metric), "")
    plot_sweep(table, SweepPicture(metric, x, y, panels, lines, plan.title, label), path)


def _at(table: Table, grid: Grid, texts: Sequence[str]) -> Table:
    """Return the rows in which keys have these values."""
    for text in texts:
        key, sign, value = text.partition("=")
        if not sign:
            raise ConfigError("must have the form key=value", key="--at", value=text)
        if key not in grid.keys:
            raise ConfigError(no_such("key in the grid", key, grid.keys), key="--at", value=text)
        wanted = parse_yaml(value, "--at")
        rows = tuple(row for row, own in zip(table.rows, table.column(key), strict=True) if own == wanted)
        if not rows:
            values = ", ".join(str(one) for one in dict.fromkeys(map(str, table.column(key))))
            raise ConfigError(f"no point has this value; there are {values}", key="--at", value=text)
        table = replace(table, rows=rows)
    return table


def _check_drawn(metric: str, table: Table) -> None:
    """Refuse a metric that the table has not."""
    names = [name.removesuffix("_n") for name in table.columns if name.endswith("_n")]
    if metric not in names:
        raise ConfigError(no_such("metric in the sweep", metric, names), key="METRIC", value=metric)
