"""``arena-trees sweep``: plays a scenario at every point of a grid, and goes on where it was killed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from arena_trees import __version__
from arena_trees.commands.console import Camera, Jobs, MapFile, Profile, Quiet, Strategy, Trees, plain_console
from arena_trees.commands.experiments.plot_sweep import draw
from arena_trees.commands.experiments.varied import Varied
from arena_trees.commands.run_request import RunRequest, number_of_processes, read_request, whole_number
from arena_trees.robot.configuration.hints import no_such
from arena_trees.robot.errors import ArenaTreesError, ConfigError

if TYPE_CHECKING:
    from rich.console import Console

    from arena_trees.experiments.plan import TrialPlan
    from arena_trees.experiments.sweeps.grid import Grid
    from arena_trees.experiments.sweeps.records import Record
    from arena_trees.experiments.sweeps.sweep_plan import SweepPlan
    from arena_trees.experiments.workers import Workers
    from arena_trees.games.metrics import Metric

__all__ = ["sweep_scenario"]

_FOLDER = Path("results")


def sweep_scenario(
    name_or_file: Annotated[str, typer.Argument(help="Scenario: a name of `arena-trees list`, or a file.")],
    grid: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUES", help="Values of a key of --set: a,b,c or start:stop:n; repeatable."),
    ] = None,
    trials: Annotated[str | None, typer.Option(metavar="NUMBER", help="Number of trials at each point.")] = None,
    seed: Annotated[str | None, typer.Option(metavar="NUMBER", help="Seed of the first trial of each point.")] = None,
    jobs: Jobs = None,
    cluster: Annotated[str | None, typer.Option(help="Play on a cluster: dask or ray (extras of these names).")] = None,
    address: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Of the cluster: tcp://host:8786 (dask), host:6379 (ray).")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder of the sweep; results/<scenario>_sweep if absent.")
    ] = None,
    changes: Annotated[
        list[str] | None, typer.Option("--set", help="Change at every point, as `run` takes it; repeatable.")
    ] = None,
    strategy: Strategy = None,
    camera: Camera = None,
    profile: Profile = None,
    map_file: MapFile = None,
    trees: Trees = None,
    plot: Annotated[
        list[str] | None,
        typer.Option(metavar="METRIC", help="Draw this over the grid's keys; repeatable; the game's first if absent."),
    ] = None,
    parquet: Annotated[
        bool, typer.Option("--parquet", help="Write the tables as Parquet, too (extra `parquet`).")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Play a scenario over a grid of parameters.

    The same command goes on with what was interrupted.
    """
    from arena_trees.experiments.clusters import equipment
    from arena_trees.experiments.sweeps.grid import parse_grid

    options = {"trials": whole_number(trials), "seed": whole_number(seed), "strategy": strategy, "camera": camera}
    order = read_request(name_or_file, {**options, "map": map_file, "profile": profile}, changes or [])
    values = parse_grid(grid or [], taken=order.settings)
    varied = Varied.of(order, trees or [], values.keys, "--grid")
    workers = _workers(jobs, cluster, address)
    base = varied.base()
    plan = _plan(order, values, varied, base)
    _check_metrics(plot or [], base)
    if parquet:
        _check_parquet()
    folder = out or _FOLDER / f"{Path(order.name).stem}_sweep"
    console = None if quiet else plain_console()
    if workers.cluster:
        workers = replace(workers, needed=equipment(set(varied.files.values())))
    _play(plan, varied, folder, workers, console)
    _leave(plan, folder, base.game.metrics, plot or [], parquet, console)


def _workers(jobs: str | None, cluster: str | None, address: str | None) -> Workers:
    """Return the workers that play the trials."""
    from arena_trees.experiments.clusters import CLUSTERS
    from arena_trees.experiments.workers import Workers

    if cluster is None:
        if address is not None:
            raise ConfigError("is of a cluster: --cluster says of which kind", key="--address", value=address)
        return Workers(number_of_processes(jobs))
    if cluster not in CLUSTERS:
        raise ConfigError(no_such("kind of cluster", cluster, CLUSTERS), key="--cluster", value=cluster)
    if jobs is not None:
        raise ConfigError("is of this machine; a cluster plays with all it has", key="--jobs", value=jobs)
    if not address:
        raise ConfigError("needs --address", key="--cluster", value=cluster)
    return Workers(cluster=cluster, address=address)


def _plan(order: RunRequest, grid: Grid, varied: Varied, base: TrialPlan) -> SweepPlan:
    """Return the plan of the sweep, after a look whether each key has a value that is accepted."""
    from arena_trees.experiments.sweeps.sweep_plan import SweepPlan, fingerprint

    plan = SweepPlan(
        order.name, base.game.name, __version__, grid, base.scenario.trials, base.scenario.seed,
        varied.settings(order), fingerprint(base, varied.files.values()),
    )  # fmt: skip
    plan.check()
    for axis in grid.axes:
        _check_axis(varied, axis.key, axis.values)
    return plan


def _check_axis(varied: Varied, key: str, values: Sequence[Any]) -> None:
    """Refuse a key none of whose values is accepted where no other key of the grid is changed: a typing error."""
    refused: ConfigError | None = None
    for value in values:
        try:
            varied({key: value})
        except ConfigError as error:
            refused = refused or error
        else:
            return
    assert refused is not None
    raise refused


def _check_metrics(asked: Sequence[str], base: TrialPlan) -> None:
    """Refuse a metric that the game has not."""
    from arena_trees.experiments.metrics import metrics_by_name

    known = metrics_by_name(base.game.metrics, base.robots)
    for name in asked:
        if name not in known:
            raise ConfigError(no_such("metric", name, known), key="--plot", value=name)


def _check_parquet() -> None:
    from importlib.util import find_spec

    if find_spec("pyarrow") is None:
        raise ConfigError("needs pyarrow: pip install 'arena-trees[parquet]'", key="--parquet")


def _play(plan: SweepPlan, varied: Varied, folder: Path, workers: Workers, console: Console | None) -> None:
    """Play what is missing, and show how far it is."""
    from arena_trees.commands.experiments.progress import SweepProgress
    from arena_trees.experiments.sweeps.records import Records
    from arena_trees.experiments.sweeps.sweep import play_sweep

    with (
        Records(folder, plan) as records,
        SweepProgress(plan.scenario, plan.jobs, len(records.done), console) as progress,
    ):
        play_sweep(plan, records, varied, workers, progress.note)


def _leave(
    plan: SweepPlan,
    folder: Path,
    known: Sequence[Metric],
    drawn: Sequence[str],
    parquet: bool,
    console: Console | None,
) -> None:
    """Write tables and pictures, and print what came out."""
    from arena_trees.commands.experiments.tables import print_sweep
    from arena_trees.experiments.sweeps.records import read_records
    from arena_trees.experiments.sweeps.table import point_table, trial_table, write_csv, write_parquet

    records: list[Record] = list(read_records(folder))
    tables = {"trials": trial_table(plan.grid, records), "points": point_table(plan.grid, records, known)}
    written = []
    for name, table in tables.items():
        write_csv(table, folder / f"{name}.csv")
        written.append(folder / f"{name}.csv")
        if parquet:
            write_parquet(table, folder / f"{name}.parquet")
            written.append(folder / f"{name}.parquet")
    if console is not None:
        print_sweep(plan, tables["points"], records, known, console)
    faults = []
    points = tables["points"]
    # Where every trial failed, there is none.
    first = next(([one.name] for one in known if f"{one.name}_n" in points.columns), [])
    for metric in dict.fromkeys(drawn) or first:
        try:
            draw(plan, points, metric, known, folder / f"{metric}.png", (None, None, False))
            written.append(folder / f"{metric}.png")
        except ConfigError as error:
            faults.append(f"no picture of {error}")
    if console is not None:
        console.print(Text(f"written: {', '.join(map(str, written))}", style="dim"))
    if faults:
        raise ArenaTreesError("; ".join(faults))
