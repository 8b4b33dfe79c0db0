"""``arena-trees falsify``: searches for the run that comes nearest to breaking a promise."""

from __future__ import annotations

import math
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from arena_trees import __version__
from arena_trees.commands.console import Jobs, Params, Profile, Quiet, plain_console
from arena_trees.commands.experiments.varied import Varied
from arena_trees.commands.run_request import number_of_processes, number_option, read_request
from arena_trees.robot.configuration.files import check_writable
from arena_trees.robot.configuration.hints import no_such
from arena_trees.robot.errors import ArenaTreesError, ConfigError

if TYPE_CHECKING:
    from rich.console import Console

    from arena_trees.experiments.falsification.search import Try
    from arena_trees.experiments.falsification.search_plan import SearchPlan
    from arena_trees.experiments.plan import TrialPlan

__all__ = ["falsify_scenario"]

_BROKEN = 4
_FOUND, _TRIES = "found.yaml", "tries"
_POINTS, _TRIALS, _SEED = 100, 2, 100


def falsify_scenario(
    name_or_file: Annotated[str, typer.Argument(help="Scenario: a name of `arena-trees list`, or a file.")],
    violates: Annotated[
        str, typer.Option(metavar="PROMISE", help="Promise of the scenario that is to be broken; NAME or NAME.ROBOT.")
    ],
    params: Params = None,
    points: Annotated[str | None, typer.Option(metavar="NUMBER", help=f"Points to try; {_POINTS} if absent.")] = None,
    trials: Annotated[
        str | None, typer.Option(metavar="NUMBER", help=f"Trials of each point; {_TRIALS} if absent.")
    ] = None,
    seed: Annotated[
        str | None,
        typer.Option(metavar="NUMBER", help=f"Seed of each point's first trial, and of the search; {_SEED} if absent."),
    ] = None,
    jobs: Jobs = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder of what is found; results/<scenario>_found if absent."),
    ] = None,
    changes: Annotated[
        list[str] | None, typer.Option("--set", help="Change at every point, as `run` takes it; repeatable.")
    ] = None,
    profile: Profile = None,
    force: Annotated[bool, typer.Option("--force", help="Write into a folder that is not empty.")] = False,
    quiet: Quiet = False,
) -> None:
    """Search for the run that comes nearest to breaking a promise.

    What breaks it is shrunk to the least that still does, and left as a scenario, and as a recording where robots have
    trees; exit code 4. The same command goes on with what was interrupted.
    """
    from arena_trees.experiments.falsification.search_plan import SearchPlan
    from arena_trees.experiments.sweeps.records import Records
    from arena_trees.experiments.sweeps.sweep_plan import fingerprint
    from arena_trees.experiments.tuning.space import check_space, parse_space
    from arena_trees.experiments.tuning.study_output import value_of
    from arena_trees.experiments.workers import Workers

    numbers = {"seed": number_option(seed, _SEED, "--seed"), "trials": number_option(trials, _TRIALS, "--trials")}
    order = read_request(name_or_file, {**numbers, "profile": profile}, changes or [])
    most = number_option(points, _POINTS, "--points")
    if most < 1:
        raise ConfigError("must be 1 or more", key="--points", value=most)
    space = parse_space(params or [])
    varied = Varied.of(order, [], (one.key for one in space), "--param")
    base = varied.base()
    _check_promise(base, violates)
    space = check_space(space, varied)
    try:
        from arena_trees.experiments.falsification.search import Falsifier
        from arena_trees.experiments.falsification.shrinking import shrink
    except ModuleNotFoundError as error:
        raise ArenaTreesError("this search needs Optuna and cmaes: pip install 'arena-trees[tune]'") from error
    folder = out or Path("results") / f"{Path(order.name).stem}_found"
    plan = SearchPlan(
        order.name, base.game.name, __version__, violates, {one.key: one.to_plain() for one in space}, most,
        base.scenario.trials, base.scenario.seed, varied.settings(order), fingerprint(base, varied.files.values()),
    )  # fmt: skip
    _prepare(folder, plan, base.has_world, force)
    console = None if quiet else plain_console()

    def note(tried: Try) -> None:
        if console is not None and falsifier.tries[-1] is falsifier.nearest:
            console.print(f"point {len(falsifier.tries)}: {_margin(tried)}", highlight=False)

    workers = Workers(number_of_processes(jobs))
    start = {one.key: value_of(base, one.key) for one in space}
    within = all(one.drawn(start[one.key]) is not None for one in space)
    with Records(folder / _TRIES, plan) as records:
        if records.done and console is not None:
            console.print(f"{len(records.done)} trials were played before", highlight=False)
        falsifier = Falsifier(varied, space, violates, plan.trials, plan.seed, workers, note, records)
        found = falsifier.search(most, start if within else None)
        least = None if found is None else shrink(falsifier, found)
    if least is not None:
        _leave(varied, base, least, folder, console)
        raise typer.Exit(_BROKEN)
    if math.isinf(falsifier.nearest.robustness):
        raise ArenaTreesError(f"no point could be played: {falsifier.nearest.reason}")
    if console is not None:
        console.print(f"{violates} was kept at all {most} points, by {falsifier.nearest.robustness:.4g} at least")


def _prepare(folder: Path, plan: SearchPlan, has_world: bool, force: bool) -> None:
    """Refuse a folder in which something was found, or what cannot be written; by force, another search makes way.

    Where robots have trees, a search is over once it has its recording.
    """
    from arena_trees.experiments.falsification.search_plan import SearchPlan
    from arena_trees.experiments.sweeps.records import PLAN, read_plan

    ours = {_TRIES} if has_world else {_TRIES, _FOUND}
    names = {path.name for path in folder.iterdir()} if folder.exists() else set()
    if names and not (_TRIES in names and names <= ours) and not force:
        raise ConfigError("is not empty; --force writes into it", key="--out", value=str(folder))
    check_writable(folder / _FOUND, "--out")
    tries = folder / _TRIES
    if force and (tries / PLAN).exists() and plan.difference(read_plan(tries, SearchPlan)) is not None:
        shutil.rmtree(tries)


def _check_promise(base: TrialPlan, name: str) -> None:
    """Refuse a promise that the scenario does not make."""
    from arena_trees.experiments.promises.promise import promise_keys

    known = promise_keys(base.scenario.promises, base.robots)
    if not known:
        raise ConfigError("the scenario promises nothing: give it promises", key="--violates", value=name)
    if name not in known:
        raise ConfigError(no_such("promise", name, known), key="--violates", value=name)


def _margin(tried: Try) -> str:
    return f"broken, by {-tried.robustness:.4g}" if tried.broken else f"kept by {tried.robustness:.4g}"


def _leave(varied: Varied, base: TrialPlan, least: Try, folder: Path, console: Console | None) -> None:
    """Write the scenario that breaks the promise, record it where robots have trees, and say what it takes."""
    from arena_trees.experiments.tuning.study_output import write_scenario
    from arena_trees.recording.play import play
    from arena_trees.recording.trial_recorder import RecordTrials

    plan = varied(least.values)
    seed = base.scenario.seed + least.index
    changes: dict[str, Any] = {"seed": seed, "trials": 1, "variants": {}}
    path, recorded, begun = folder / _FOUND, folder / "recording", folder / _TRIES / "recording"
    folder.mkdir(parents=True, exist_ok=True)
    write_scenario(plan.scenario.model_copy(update=changes), varied.arm.path.parent, path)
    for earlier in (recorded, begun):
        shutil.rmtree(earlier, ignore_errors=True)
    written = [path]
    if not plan.has_world:
        play(str(path), trials=1, record=begun)
        RecordTrials(begun).check([("", 0)])
        begun.rename(recorded)
        written.append(recorded)
    if console is None:
        return
    console.print(Text(f"broken with seed {seed}: {least.reason}", style="red"), soft_wrap=True)
    lines = [f"  {key}: {value}" for key, value in least.values.items()]
    console.print(Text("\n".join(["what it takes:", *(lines or ["  nothing: the scenario as it is"])])), soft_wrap=True)
    console.print(Text(f"written: {', '.join(map(str, written))}", style="dim"), soft_wrap=True)
    console.print(Text(f"to play it again: arena-trees run {path}"), soft_wrap=True)
