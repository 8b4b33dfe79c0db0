"""Play from Python: a scenario, with your own trees in it if you like."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from arena_trees import __version__
from arena_trees.experiments import runner
from arena_trees.experiments.plan import check_cameras, make_plan
from arena_trees.experiments.results import RunResult, TrialResult
from arena_trees.experiments.runner import Job
from arena_trees.experiments.scenario import apply_changes, find_scenario, load_scenario
from arena_trees.experiments.trial import Watch
from arena_trees.experiments.watching import Watchers
from arena_trees.games.game import CreateRoot
from arena_trees.recording.trial_recorder import RecordTrials
from arena_trees.robot.configuration.output_files import check_empty_folder
from arena_trees.robot.errors import ConfigError

__all__ = ["play"]


def play(
    scenario: str | Path,
    *,
    trees: Mapping[str, CreateRoot] | None = None,
    changes: Mapping[str, Any] | None = None,
    trials: int | None = None,
    seed: int | None = None,
    jobs: int = 1,
    on_trial: Callable[[TrialResult], object] | None = None,
    watch: Watch | None = None,
    record: str | Path | None = None,
) -> RunResult:
    """Play a scenario and return its results; a scenario's variants are not played.

    Args:
        scenario: name of a shipped scenario, or path of a file
        trees: robot name to what makes its tree, for robots that shall not have their role's
        changes: key to value, as ``arena-trees run --set`` takes them
        trials: number of trials; the scenario's own where not given
        seed: of the first trial; the scenario's own where not given
        jobs: processes that play at a time
        on_trial: called with each finished trial, in the order in which they finish
        watch: makes what looks on at each trial
        record: folder into which each trial is recorded, as ``arena-trees run --record`` does; it must not exist, or be
            empty

    Raises:
        ConfigError: the scenario, a change, a robot's name or the folder cannot be used
    """
    if jobs < 1:
        raise ConfigError("must be 1 or more", key="jobs", value=jobs)
    if record is not None:
        check_empty_folder(Path(record), "record")
        recorder = RecordTrials(Path(record), str(scenario))
        watch = recorder if watch is None else Watchers((watch, recorder))
    path = find_scenario(str(scenario))
    numbers = {key: value for key, value in (("trials", trials), ("seed", seed)) if value is not None}
    wanted = apply_changes(load_scenario(path), {**numbers, **(changes or {})})
    plan = make_plan(wanted, path, path.parent)
    if plan.has_world and (trees or watch is not None):
        raise ConfigError("robots without sensors have no trees", key="scenario", value=str(scenario))
    plan = plan.with_trees(trees or {})
    check_cameras(plan)
    work = runner.list_jobs({"": plan}, wanted.trials, watch=watch)
    finished: list[tuple[Job, TrialResult]] = []

    def note(job: Job, result: TrialResult) -> None:
        finished.append((job, result))
        if on_trial is not None:
            on_trial(result)

    runner.play(work, jobs, note)
    arms = runner.sort_into_arms({"": plan}, finished)
    settings = {**numbers, **(changes or {})}
    return RunResult(str(scenario), __version__, wanted.seed, wanted.trials, arms, settings, plan.game.outcomes)
