"""Plays the runs of the book: each trial is kept as soon as it is finished, and a run that was killed goes on."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from arena_trees import __version__
from arena_trees.commands.experiments.progress import SweepProgress
from arena_trees.commands.experiments.sweep import sweep_scenario
from arena_trees.commands.run import run_scenario
from arena_trees.commands.run_request import RunRequest, plans_of, read_request
from arena_trees.games.book import Run
from arena_trees.robot.errors import ArenaTreesError

if TYPE_CHECKING:
    from arena_trees.experiments.plan import TrialPlan
    from arena_trees.experiments.sweeps.records import Record

__all__ = ["play_run", "request_of"]


def play_run(name: str, run: Run, folder: Path, jobs: int, draws_ways: bool, console: Console | None) -> None:
    """Play the missing trials of a run, and write its document.

    Args:
        name: of the run
        run: of that name
        folder: of all documents
        jobs: processes that play at a time
        draws_ways: leave a picture of its ways, too; of a run of one trial
        console: to show progress on, or None

    Raises:
        ConfigError: it cannot be played, or another one has been begun in its place
        ArenaTreesError: a trial could not be played to its end
    """
    strategy, camera = run.strategy or None, run.camera or None
    if run.grid:
        sweep_scenario(
            run.scenario, list(run.grid), str(run.trials), str(run.seed), str(jobs), out=folder / name,
            changes=list(run.settings), strategy=strategy, camera=camera, quiet=console is None,
        )  # fmt: skip
    elif draws_ways:
        from arena_trees.experiments.book.pictures import way_file

        run_scenario(
            run.scenario, str(run.trials), str(run.seed), list(run.settings), strategy, camera,
            compare=run.compare or None, jobs=str(jobs), json_file=folder / f"{name}.json",
            plot_file=way_file(folder, name), force=True, quiet=True,
        )  # fmt: skip
    else:
        _play_trials(name, run, folder, jobs, console)


def request_of(run: Run) -> tuple[RunRequest, Mapping[str, TrialPlan]]:
    """Return what a run without a grid plays, and the plan of each arm.

    Raises:
        ConfigError: it cannot be played
    """
    options: dict[str, Any] = {
        "trials": run.trials, "seed": run.seed, "strategy": run.strategy or None, "camera": run.camera or None,
    }  # fmt: skip
    request = read_request(run.scenario, options, list(run.settings))
    return request, plans_of(request, run.strategy or None, run.compare or None)


def _play_trials(name: str, run: Run, folder: Path, jobs: int, console: Console | None) -> None:
    """Play the trials of all arms as a sweep plays its points, and write what ``run --json`` would of them."""
    from arena_trees.experiments.results import Arm, RunResult, TrialResult, write_json
    from arena_trees.experiments.sweeps.grid import Axis, Grid
    from arena_trees.experiments.sweeps.records import Records, read_records
    from arena_trees.experiments.sweeps.sweep import play_sweep
    from arena_trees.experiments.sweeps.sweep_plan import SweepPlan, fingerprint
    from arena_trees.experiments.workers import Workers

    request, plans = request_of(run)
    first = next(iter(plans.values()))
    settings = request.settings | ({"compare": run.compare} if run.compare else {})
    marks = " ".join(map(fingerprint, plans.values()))
    grid = Grid((Axis("arm", tuple(plans)),))
    plan = SweepPlan(request.name, first.game.name, __version__, grid, run.trials, run.seed, settings, marks)
    with (
        Records(folder / name, plan) as records,
        SweepProgress(name, plan.jobs, len(records.done), console) as progress,
    ):
        play_sweep(plan, records, lambda point: plans[point["arm"]], Workers(jobs), progress.note)
    played: dict[str, list[TrialResult]] = {arm: [] for arm in plans}
    for record in read_records(folder / name):
        _check_played(record, folder / name)
        played[plan.grid.point(record["point"])["arm"]].append(TrialResult.from_dict(_values(record)))
    arms = [Arm(arm, tuple(played[arm]), one.game.metrics, one.loosened) for arm, one in plans.items()]
    result = RunResult(request.name, __version__, run.seed, run.trials, arms, settings, first.game.outcomes)
    write_json(result, folder / f"{name}.json")
    # The document has them all.
    shutil.rmtree(folder / name)


def _check_played(record: Record, folder: Path) -> None:
    """Refuse a trial that raised: a book of the others would flatter."""
    if record["status"] != "played":
        reason = f"trial {record['trial']} (seed {record['seed']}) was {record['status']}: {record['reason']}"
        raise ArenaTreesError(f"{folder}: {reason}")


def _values(record: Record) -> Mapping[str, Any]:
    """Return a trial as results files hold it: a record without its place."""
    return {name: value for name, value in record.items() if name not in ("point", "status", "loosened")}
