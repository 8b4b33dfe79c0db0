"""``arena-trees tune``: searches for the best values of parameters, and plays what it found on fresh seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from arena_trees import __version__
from arena_trees.commands.console import Camera, Jobs, MapFile, Params, Profile, Quiet, Strategy, Trees, plain_console
from arena_trees.commands.experiments.varied import Varied
from arena_trees.commands.run_request import (
    RunRequest,
    number_of_processes,
    number_option,
    read_request,
    whole_number,
)
from arena_trees.robot.configuration.assignments import parse_assignments
from arena_trees.robot.configuration.hints import no_such
from arena_trees.robot.errors import ArenaTreesError, ConfigError

if TYPE_CHECKING:
    from rich.console import Console

    from arena_trees.experiments.plan import TrialPlan
    from arena_trees.experiments.sweeps.records import Record
    from arena_trees.experiments.tuning.objective import Objective
    from arena_trees.experiments.tuning.space import Dimension
    from arena_trees.experiments.tuning.study import Point, Study
    from arena_trees.experiments.tuning.study_plan import StudyPlan
    from arena_trees.experiments.workers import Workers

__all__ = ["tune_scenario"]

_FOLDER = Path("results")
_POINTS, _TRIALS, _SEED, _LOOK, _REPORT_TRIALS = 40, 24, 100, 6, 60


@dataclass(frozen=True, slots=True)
class _Task:
    """What is tuned, checked.

    Attributes:
        plan: of the study
        space: that is searched
        objectives: of the study
        start: the scenario with all changes: where the search begins
        default: the scenario without the changes of the keys that are tuned
    """

    plan: StudyPlan
    space: tuple[Dimension, ...]
    objectives: tuple[Objective, ...]
    start: Varied
    default: Varied


def tune_scenario(
    name_or_file: Annotated[str, typer.Argument(help="Scenario: a name of `arena-trees list`, or a file.")],
    maximise: Annotated[
        list[str] | None, typer.Option(metavar="METRIC", help="Make this metric large; repeatable.")
    ] = None,
    minimise: Annotated[
        list[str] | None, typer.Option(metavar="METRIC", help="Make this metric small; repeatable.")
    ] = None,
    params: Params = None,
    points: Annotated[str | None, typer.Option(metavar="NUMBER", help=f"Points to try; {_POINTS} if absent.")] = None,
    trials: Annotated[
        str | None, typer.Option(metavar="NUMBER", help=f"Trials of each point; {_TRIALS} if absent.")
    ] = None,
    seed: Annotated[
        str | None,
        typer.Option(metavar="NUMBER", help=f"Seed of each point's first trial, and of the search; {_SEED} if absent."),
    ] = None,
    look: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER", help=f"Give clearly worse points up after as many trials; {_LOOK} if absent, 0 for never."
        ),
    ] = None,
    missing: Annotated[
        list[str] | None,
        typer.Option(metavar="METRIC=VALUE", help="What a trial without a value of the metric counts as; repeatable."),
    ] = None,
    report_trials: Annotated[
        str | None,
        typer.Option(metavar="NUMBER", help=f"Trials of the report; {_REPORT_TRIALS} if absent, 0 for no report."),
    ] = None,
    report_seed: Annotated[
        str | None, typer.Option(metavar="NUMBER", help="Seed of the report's first trial; 1000 if absent.")
    ] = None,
    jobs: Jobs = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder of the study; results/<scenario>_study if absent.")
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", help="Change, as `run` takes it; of a tuned key, where the search begins; repeatable."),
    ] = None,
    strategy: Strategy = None,
    camera: Camera = None,
    profile: Profile = None,
    map_file: MapFile = None,
    trees: Trees = None,
    quiet: Quiet = False,
) -> None:
    """Search for the parameters that a metric likes best.

    Nothing is tuned on seeds from 1000 on: what was found is played there, beside the default.
    The same command goes on with what was interrupted.
    """
    options = {"seed": _whole(seed, _SEED), "trials": _whole(trials, _TRIALS), "strategy": strategy, "camera": camera}
    options |= {"map": map_file, "profile": profile}
    numbers = {
        "points": number_option(points, _POINTS, "--points"),
        "look": None if look is None else number_option(look, 0, "--look"),
        "report_trials": number_option(report_trials, _REPORT_TRIALS, "--report-trials"),
        "report_seed": number_option(report_seed, 1000, "--report-seed"),
    }
    orders = _orders(name_or_file, options, changes or [], params or [])
    wanted = [(name, True) for name in maximise or []] + [(name, False) for name in minimise or []]
    task = _task(orders, trees or [], params or [], wanted, missing or [], numbers)
    workers = _workers(jobs)
    _check_optuna()
    folder = out or _FOLDER / f"{Path(orders[0].name).stem}_study"
    _play(task, workers, folder, None if quiet else plain_console())


def _orders(
    name_or_file: str, options: dict[str, Any], changes: list[str], params: Sequence[str]
) -> tuple[RunRequest, RunRequest]:
    """Return what is played at the start, and without the changes of the keys that are tuned."""
    parse_assignments(changes)
    tuned = {text.partition("=")[0].strip() for text in params}
    others = [text for text in changes if text.partition("=")[0].strip() not in tuned]
    return read_request(name_or_file, options, changes), read_request(name_or_file, options, others)


def _task(
    orders: tuple[RunRequest, RunRequest],
    trees: list[str],
    params: Sequence[str],
    wanted: Sequence[tuple[str, bool]],
    missing: Sequence[str],
    numbers: Mapping[str, Any],
) -> _Task:
    """Check all that was asked for, before anything is played."""
    from arena_trees.experiments.sweeps.sweep_plan import fingerprint
    from arena_trees.experiments.tuning.space import check_space, parse_space
    from arena_trees.experiments.tuning.study_plan import StudyPlan

    space = parse_space(params)
    start, default = (Varied.of(order, trees, (one.key for one in space), "--param") for order in orders)
    base, reference = start.base(), default.base()
    objectives = _objectives(base, wanted, missing)
    space = check_space(space, start)
    single = len(objectives) == 1
    if numbers["look"] and not single:
        raise ConfigError("with several objectives no point is given up", key="--look", value=numbers["look"])
    chosen = min(_LOOK, base.scenario.trials) if single else 0
    plan = StudyPlan(
        orders[0].name,
        base.game.name,
        __version__,
        {one.key: one.to_plain() for one in space},
        {one.metric.name: "maximise" if one.maximise else "minimise" for one in objectives},
        {one.metric.name: one.missing for one in objectives if one.missing is not None},
        trials=base.scenario.trials,
        seed=base.scenario.seed,
        settings=start.settings(orders[0]),
        fingerprint=fingerprint(reference, default.files.values()),
        **{**numbers, "look": chosen if numbers["look"] is None else numbers["look"]},
    )
    plan.check()
    return _Task(plan, space, objectives, start, default)


def _objectives(base: TrialPlan, wanted: Sequence[tuple[str, bool]], missing: Sequence[str]) -> tuple[Objective, ...]:
    """Return the objectives of the study."""
    from arena_trees.experiments.metrics import metrics_by_name
    from arena_trees.experiments.tuning.objective import Objective

    known = metrics_by_name(base.game.metrics, base.robots)
    if not wanted:
        raise ConfigError("what is wanted is not said: --maximise METRIC or --minimise METRIC")
    counted = parse_assignments(missing, "--missing")
    for name, value in counted.items():
        if name not in [one for one, _ in wanted]:
            raise ConfigError("is none of the objectives", file="--missing", key=name)
        # YAML's infinity and NaN are numbers, too.
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e300:
            raise ConfigError("must be a finite number", file="--missing", key=name, value=value)
    found: dict[str, Objective] = {}
    for name, large in wanted:
        option = "--maximise" if large else "--minimise"
        if name not in known:
            raise ConfigError(no_such("metric", name, known), key=option, value=name)
        if name in found:
            raise ConfigError("is given twice", key=option, value=name)
        found[name] = Objective(known[name], large, None if name not in counted else float(counted[name]))
    return tuple(found.values())


def _whole(text: str | None, other: int) -> int | str | None:
    return other if text is None else whole_number(text)


def _workers(jobs: str | None) -> Workers:
    from arena_trees.experiments.workers import Workers

    return Workers(number_of_processes(jobs))


def _check_optuna() -> None:
    try:
        import optuna  # noqa: F401
    except ModuleNotFoundError as error:
        raise ArenaTreesError("tuning needs Optuna: pip install 'arena-trees[tune]'") from error


def _play(task: _Task, workers: Workers, folder: Path, console: Console | None) -> None:
    """Play the study and its report, and leave what came out."""
    from arena_trees.commands.experiments.progress import SweepProgress
    from arena_trees.commands.experiments.tune_files import leave_points, leave_report
    from arena_trees.experiments.sweeps.records import Records, read_records
    from arena_trees.experiments.tuning.study import Study
    from arena_trees.experiments.tuning.study_output import value_of

    plan, base = task.plan, task.start.base()
    start = {one.key: value_of(base, one.key) for one in task.space}
    with Records(folder, plan) as records:
        before = sum(point < plan.points for point, _ in records.done)
        with SweepProgress(f"{plan.scenario}: study", plan.points * plan.trials, before, console) as progress:
            study = Study(
                plan, task.space, task.objectives, start, records, task.start, workers, progress.note, progress.less
            )
            study.play()
        known = [one for one in read_records(folder) if one["point"] < plan.points]
        named = _named(study, task.objectives)
        metrics = base.game.metrics
        leave_points(plan, task.objectives, study, named, known, metrics, folder, console)
        if not named:
            raise ArenaTreesError(f"no point could be played to its end: {_reasons(study.points)}")
        arms = _arms(task, named, start)
        leave_scenarios = {name: arms[name] for name in named}
        total = len(arms) * plan.report_trials
        before = len(records.done) - sum(point < plan.points for point, _ in records.done)
        played: dict[str, list[Record]] = {}
        if total:
            with SweepProgress(f"{plan.scenario}: report", total, before, console) as progress:
                study.on_record = progress.note
                for place, (name, arm) in enumerate(arms.items()):
                    played[name] = study.play_arm(plan.points + place, arm)
        leave_report(
            task.start.arm.path.parent, plan, task.objectives, leave_scenarios, played, metrics, folder, console
        )


def _named(study: Study, objectives: Sequence[Objective]) -> dict[str, Point]:
    """Return the points of the report: the best one, or of several objectives the best of each and a compromise.

    The compromise is the point of the front that is nearest to the best of all objectives at once, each measured by
    how far the front reaches in it.
    """
    best = study.best
    if len(best) < 2:
        return dict(zip(["tuned"], best, strict=False))
    places = np.array([point.objectives for point in best]) * [one.sign for one in objectives]
    reach = np.ptp(places, axis=0)
    # An objective in which the whole front is equal counts for nothing.
    shares = (places - places.min(axis=0)) / np.where(reach > 0.0, reach, 1.0)
    named = {"tuned": best[int(np.argmin(np.square(shares).sum(axis=1)))]}
    for one, column in zip(objectives, places.T, strict=True):
        found = best[int(np.argmin(column))]
        if all(found is not other for other in named.values()):
            named[f"best {one.metric.name}"] = found
    return named


def _arms(task: _Task, named: Mapping[str, Point], start: Mapping[str, Any]) -> dict[str, TrialPlan]:
    """Return the plan of each arm of the report, with its seeds."""
    from arena_trees.experiments.tuning.study_output import value_of

    default = task.default.base()
    plans = {name: task.start(point.values) for name, point in named.items()}
    plans["default"] = default
    if any(value_of(default, key) != value for key, value in start.items()):
        plans["start"] = task.start.base()
    fresh = {"seed": task.plan.report_seed, "trials": max(1, task.plan.report_trials)}
    return {name: replace(plan, scenario=plan.scenario.model_copy(update=fresh)) for name, plan in plans.items()}


def _reasons(points: Sequence[Point]) -> str:
    reasons = dict.fromkeys(point.reason for point in points if point.reason)
    return "; ".join(list(reasons)[:3])
