"""``arena-trees run-ros``: plays a scenario as ROS nodes, a process each, and writes the files that ``run`` writes."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena_trees import __version__
from arena_trees.commands.console import Changes, Force, MapFile, Profile, Quiet, progress_bar
from arena_trees.commands.run_files import RunFiles
from arena_trees.robot.configuration.output_files import check_empty_folder
from arena_trees.robot.errors import ArenaTreesError

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from arena_trees.experiments.results import TrialResult
    from arena_trees.nodes.programs.game_programs import TrialRequest

__all__ = ["check_ros", "run_ros"]

_FOLDER = Path("results") / "ros"
_NEEDED = ("tf2_msgs", "vision_msgs")
"""Interface packages without which robots are blind: no pose, no mounts, no detections."""


def run_ros(
    name_or_file: Annotated[str, typer.Argument(help="Scenario: a name of `arena-trees list`, or a file.")],
    trials: Annotated[int | None, typer.Option(metavar="NUMBER", help="Number of trials.")] = None,
    seed: Annotated[int | None, typer.Option(metavar="NUMBER", help="Seed of the first trial.")] = None,
    changes: Changes = None,
    profile: Profile = None,
    map_file: MapFile = None,
    camera: Annotated[
        str | None, typer.Option(help="Camera of every robot: pinhole, or rendered, with a detector node.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Results; results/ros/<scenario>.json if absent.")
    ] = None,
    plot_file: Annotated[
        Path | None, typer.Option("--plot", help="Picture; results/ros/<scenario>.png if absent.")
    ] = None,
    record: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Record every trial into a rosbag2 directory below this one.")
    ] = None,
    logs: Annotated[Path | None, typer.Option(help="Folder for the logs; results/ros/<scenario> if absent.")] = None,
    allow_loose_gate: Annotated[
        bool, typer.Option("--allow-loose-gate", help="Play with limits of velocity gates looser than by default.")
    ] = False,
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Play a scenario on ROS 2, a process for each node."""
    check_ros()
    options = {"trials": trials, "seed": seed, "camera": camera, "map": map_file, "profile": profile}
    settings = {key: value for key, value in options.items() if value is not None}
    from arena_trees.experiments.plan import check_cameras
    from arena_trees.experiments.results import Arm, RunResult
    from arena_trees.nodes.programs.game_programs import prepare

    order = prepare(name_or_file, changes or [], settings, allow_loose_gate=allow_loose_gate)
    check_cameras(order.plan)
    too_small = _too_small(len(order.plan.robots), name_or_file)
    if too_small and not quiet:
        print(f"warning: {too_small}", file=sys.stderr)

    stem = Path(name_or_file).stem
    folder = logs or _FOLDER / stem
    json_path, plot_path = json_file or _FOLDER / f"{stem}.json", plot_file or _FOLDER / f"{stem}.png"
    files = RunFiles(json_path, plot_path, logs=folder, quiet=quiet, force=force)
    files.check(Path(order.scenario))
    if record is not None:
        check_empty_folder(record, "--record")
    scenario = order.plan.scenario
    about: dict[str, Any] = {
        "scenario": name_or_file,
        "version": __version__,
        "seed": scenario.seed,
        "planned": scenario.trials,
        "settings": settings,
    }
    finished: list[TrialResult] = []
    files.begin(about)
    try:
        _play(order, files.logs or folder, record, finished, files)
    finally:
        # Whatever ended it: what is finished is kept.
        arms = [Arm("", tuple(finished), order.plan.game.metrics, order.plan.loosened)]
        outcomes = order.plan.game.outcomes
        files.leave(RunResult(**about, arms=arms, outcomes=outcomes) if finished else None)


def check_ros() -> None:
    """Refuse to go on where ROS is missing.

    Raises:
        ArenaTreesError: it is
    """
    if importlib.util.find_spec("rclpy") is None:
        raise ArenaTreesError(
            "there is no ROS 2 here: source /opt/ros/jazzy/setup.bash, or pip install 'arena-trees[ros]'"
            " on Linux and x86-64"
        )
    missing = [package for package in _NEEDED if importlib.util.find_spec(package) is None]
    if missing:
        names = " ".join(f"ros-jazzy-{package.replace('_', '-')}" for package in missing)
        raise ArenaTreesError(
            f"{' and '.join(missing)} missing, which PyPI has not: with apt's ROS, sudo apt install {names};"
            " in a checkout, make ros builds them; after pip alone, clone the repository and run make ros there"
        )


def _too_small(robots: int, scenario: str) -> str:
    """Return a warning where the machine has fewer cores than there are robots; else an empty string."""
    from joblib import cpu_count

    cores = cpu_count()
    if robots <= cores:
        return ""
    return (
        f"this machine is too small for {robots} robots with a process for each node: it has {cores}"
        f" core{'' if cores == 1 else 's'}, and each robot needs about one. The clock falls behind, trees are late, and"
        " the results are not those of a larger machine. It goes on; Ctrl-C ends it. Without ROS it plays as it should:"
        f" arena-trees run {scenario}"
    )


def _play(order: TrialRequest, folder: Path, record: Path | None, finished: list[TrialResult], files: RunFiles) -> None:
    """Play all trials, and hand over each as it is finished; whatever ends this early is raised."""
    from arena_trees.nodes.programs.game_run import play_trial

    scenario = order.plan.scenario
    with progress_bar(shown=files.console is not None) as progress:
        for index in range(scenario.trials):
            one = replace(order, index=index)
            place = f"{index + 1}/{scenario.trials} seed {one.seed}"
            task = progress.add_task(f"{place}: starting", total=scenario.duration_s)
            result = play_trial(
                one,
                folder / f"seed-{one.seed}",
                partial(_show, progress, task, place),
                None if record is None else record / f"trial_{index:03d}",
            )
            progress.remove_task(task)
            finished.append(result)
            files.note("", result)
            if files.console is not None:
                line = f"{place}: {result.ending} ({result.reason})"
                files.console.print(line, highlight=False, soft_wrap=True)


def _show(progress: Progress, task: TaskID, place: str, played_s: float) -> None:
    """Show how much of a trial is played."""
    progress.update(task, completed=played_s, description=f"{place}: {played_s:.0f} s played")
