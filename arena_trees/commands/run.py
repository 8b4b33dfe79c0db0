"""``arena-trees run``: plays a scenario and leaves a table, a picture and a results file."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from arena_trees import __version__
from arena_trees.commands.console import Changes, Force, Jobs, MapFile, Profile, Quiet, Strategy, Trees
from arena_trees.commands.run_files import RunFiles
from arena_trees.commands.run_request import number_of_processes, plans_of, read_request, whole_number
from arena_trees.experiments.watching import Watchers
from arena_trees.robot.configuration.output_files import check_empty_folder
from arena_trees.robot.errors import ConfigError

if TYPE_CHECKING:
    from arena_trees.experiments.plan import TrialPlan
    from arena_trees.experiments.results import TrialResult
    from arena_trees.experiments.runner import Job
    from arena_trees.experiments.trial import Watch
    from arena_trees.recording.trial_recorder import Images, RecordTrials

__all__ = ["run_scenario"]

_FOLDER = Path("results")
_FAULT = 3
_BROKEN = 4
"""Exit code of a run in which a robot was stopped by a fault."""


def run_scenario(
    name_or_file: Annotated[str, typer.Argument(help="Scenario: a name of `arena-trees list`, or a file.")],
    trials: Annotated[str | None, typer.Option(metavar="NUMBER", help="Number of trials.")] = None,
    seed: Annotated[str | None, typer.Option(metavar="NUMBER", help="Seed of the first trial.")] = None,
    changes: Changes = None,
    strategy: Strategy = None,
    camera: Annotated[
        str | None, typer.Option(help="Camera of every robot: pinhole (fast), or rendered, with a real detector.")
    ] = None,
    profile: Profile = None,
    map_file: MapFile = None,
    compare: Annotated[
        str | None,
        typer.Option(
            metavar="STRATEGY|ROLE=FILE",
            help="Play this, too, in the same worlds: a strategy, or a tree (.py) or parameters (.yaml) for a role.",
        ),
    ] = None,
    trees: Trees = None,
    jobs: Jobs = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Results; results/<scenario>.json if absent.")
    ] = None,
    plot_file: Annotated[Path | None, typer.Option("--plot", help="Picture; results/<scenario>.png if absent.")] = None,
    trace: Annotated[bool, typer.Option("--trace", help="Put a hash of every trial's tick records into it.")] = False,
    record: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Record every trial into a rosbag2 directory below this one.")
    ] = None,
    images: Annotated[
        str | None,
        typer.Option(help="With --record: pictures of rendered cameras, blurred (outside of detections) or whole."),
    ] = None,
    wav: Annotated[
        Path | None, typer.Option("--wav", help="What the robots of the first trial play, as a sound file.")
    ] = None,
    debug: Annotated[
        bool, typer.Option("--debug", help="Print the traceback where a behaviour of your own raises.")
    ] = False,
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Play a scenario.

    Exit code 3 says that a robot was stopped by a fault, 4 that a promise was broken; a trial in which your own
    behaviour raises ends at once.
    """
    from arena_trees.experiments.results import RunResult
    from arena_trees.experiments.runner import list_jobs, sort_into_arms

    options = {"trials": whole_number(trials), "seed": whole_number(seed), "strategy": strategy, "camera": camera}
    options |= {"map": map_file, "profile": profile}
    request = read_request(name_or_file, options, changes or [])
    plans = plans_of(request, strategy, compare, trees or [])
    stem = Path(request.name).stem
    json_path, plot_path = json_file or _FOLDER / f"{stem}.json", plot_file or _FOLDER / f"{stem}.png"
    files = RunFiles(json_path, plot_path, wav, quiet=quiet, force=force)
    files.check(request.path)
    recorder = _recorder(record, images, request.name, plans)
    watches = [one for one in (recorder, _sound(files.wav, plans)) if one]
    work = list_jobs(plans, request.scenario.trials, trace, Watchers(tuple(watches)) if watches else None)
    processes = number_of_processes(jobs, len(work))
    asked = {"compare": compare, "tree": trees or None}
    about: dict[str, Any] = {
        "scenario": request.name,
        "version": __version__,
        "seed": request.scenario.seed,
        "planned": request.scenario.trials,
        "settings": request.settings | {key: value for key, value in asked.items() if value is not None},
    }
    finished: list[tuple[Job, TrialResult]] = []
    files.begin(about)
    try:
        _play(request.name, work, processes, finished, files)
    finally:
        # Whatever ended it: what is finished is kept.
        first = next(iter(plans.values()))
        arms = sort_into_arms(plans, finished)
        files.leave(RunResult(**about, arms=arms, outcomes=first.game.outcomes) if finished else None)
    if debug:
        for traceback in dict.fromkeys(one for _, result in finished for one in result.tracebacks.values()):
            print(traceback, file=sys.stderr, end="")
    if recorder is not None:
        recorder.check([(job.arm, job.index) for job, _ in finished])
    if any(result.faults for _, result in finished):
        raise typer.Exit(_FAULT)
    if any(result.broken_promises for _, result in finished):
        raise typer.Exit(_BROKEN)


def _check_watchable(plans: Mapping[str, TrialPlan], option: str) -> None:
    """Refuse to watch robots that have no trees."""
    if any(plan.has_world for plan in plans.values()):
        raise ConfigError("these robots have no trees and no voices", key=option)


def _recorder(
    folder: Path | None, images: str | None, scenario: str, plans: Mapping[str, TrialPlan]
) -> RecordTrials | None:
    """Return what records each trial, after a look at where it shall go."""
    if images is not None:
        if images not in ("blurred", "whole"):
            raise ConfigError("must be blurred or whole", key="--images", value=images)
        robots = [robot for plan in plans.values() for robot in plan.robots.values()]
        rendered = any(robot.sensors.camera.kind == "rendered" for robot in robots)
        if folder is None or not rendered:
            raise ConfigError("needs --record, and --camera rendered", key="--images", value=images)
    if folder is None:
        return None
    from arena_trees.recording.trial_recorder import RecordTrials

    _check_watchable(plans, "--record")
    check_empty_folder(folder, "--record")
    return RecordTrials(folder, scenario, "none" if images is None else cast("Images", images))


def _sound(path: Path | None, plans: Mapping[str, TrialPlan]) -> Watch | None:
    """Return what writes the sound of the first trial, after a look at where it shall go."""
    if path is None:
        return None
    from arena_trees.experiments.sounds.track import SoundTracks

    _check_watchable(plans, "--wav")
    return SoundTracks(path, next(iter(plans)))


def _play(
    title: str, work: Sequence[Job], processes: int, finished: list[tuple[Job, TrialResult]], files: RunFiles
) -> None:
    """Play, and hand over each trial as it is finished; whatever ends this early is raised."""
    from arena_trees.commands.live import LiveView
    from arena_trees.experiments.runner import play

    with tempfile.TemporaryDirectory(prefix="arena-trees-") as folder:
        board = Path(folder) / "progress"
        view = LiveView(title, work, board, files.console)

        def on_result(job: Job, result: TrialResult) -> None:
            finished.append((job, result))
            files.note(job.arm, result)
            view.note(job, result)

        with view:
            play(work, processes, on_result, board)
