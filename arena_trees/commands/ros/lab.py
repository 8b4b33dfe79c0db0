"""``arena-trees lab``: an experiment with the robots of a ROS graph, that a person puts in place for each trial."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena_trees import __version__
from arena_trees.commands.console import Changes, plain_console
from arena_trees.commands.ros.needed import ros_needed
from arena_trees.robot.configuration.hints import no_such
from arena_trees.robot.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena_trees.experiments.lab.attempts import AttemptLog
    from arena_trees.experiments.plan import TrialPlan
    from arena_trees.experiments.results import RunResult

__all__ = ["conduct_experiment"]

_SOURCES = {"localisation": "tf", "ceiling": "ceiling", "arena": "ground_truth"}
"""By what trials are judged, to by what it is seen how robots are placed."""


def conduct_experiment(
    name_or_file: Annotated[str, typer.Argument(help="Scenario: a name of `arena-trees list`, or a file.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder of the experiment.")],
    trials: Annotated[int | None, typer.Option(metavar="NUMBER", help="Number of trials of each arm.")] = None,
    seed: Annotated[int | None, typer.Option(metavar="NUMBER", help="Seed of the first trial.")] = None,
    changes: Changes = None,
    compare: Annotated[
        str | None, typer.Option(help="A second arm: another strategy, or ROLE=FILE with parameters.")
    ] = None,
    truth: Annotated[
        str, typer.Option(help="Where robots are, by: localisation, ceiling, or arena if that is simulated.")
    ] = "localisation",
    distance: Annotated[float, typer.Option(min=0.01, max=5.0, help="So far off its start a robot may be, m.")] = 0.10,
    angle: Annotated[float, typer.Option(min=1.0, max=180.0, help="So far off its heading, degrees.")] = 15.0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the experiment in the folder.")] = False,
) -> None:
    """Play trials with real robots, and record and judge each.

    For each trial it shows where the robots have to stand, waits until they do and you type `go`, and repeats what you
    call `spoilt`.
    """
    with ros_needed("an experiment with robots"):
        from arena_trees.nodes.lab.conductor import WORDS, Conductor, LabPlan
        from arena_trees.nodes.lab.lab_graph import LabGraph
    from arena_trees.commands.ros.operator_line import OperatorLine
    from arena_trees.commands.run_request import list_arms, read_request
    from arena_trees.commands.tables import print_result
    from arena_trees.experiments.lab.attempts import AttemptLog
    from arena_trees.experiments.results import write_json
    from arena_trees.recording.judging.judged_recording import TruthChoice

    if truth not in _SOURCES:
        raise ConfigError(no_such("truth", truth, _SOURCES), key="--truth", value=truth)
    request = read_request(name_or_file, {"trials": trials, "seed": seed}, changes or [])
    plans = {name: arm.plan() for name, arm in list_arms(request, None, compare).items()}
    scenario = request.scenario
    settings = request.settings | ({} if compare is None else {"compare": compare})
    source: Any = truth
    plan = LabPlan(name_or_file, plans, scenario.trials, out, distance, math.radians(angle), TruthChoice(source=source))
    plan.check()
    log = AttemptLog(out, _about(name_or_file, plans, scenario.trials), resume)
    console = plain_console()

    def say(line: str) -> None:
        console.print(line, highlight=False, markup=False, soft_wrap=True)

    def keep() -> None:
        result = _result(name_or_file, plans, log, settings)
        if result is not None:
            write_json(result, out / "results.json")

    for word, what in WORDS.items():
        say(f"{word:<7} {what}")
    place: Any = _SOURCES[truth]
    with LabGraph(plan.first, place) as graph:
        done = Conductor(plan, log, graph, OperatorLine(), say, keep).run()
    result = _result(name_or_file, plans, log, settings)
    if result is not None:
        print_result(result, console)
        say(f"written: {out / 'results.json'}")
    if not done:
        say(f"next: arena-trees lab {name_or_file} --out {out} --resume, with the same options")


def _about(scenario: str, plans: Mapping[str, TrialPlan], trials: int) -> dict[str, Any]:
    """Return what is played, by which it is found out whether an experiment goes on with the same."""
    return {
        "scenario": scenario,
        "version": __version__,
        "trials": trials,
        "arms": {name: plan.scenario.model_dump(mode="json", exclude_unset=True) for name, plan in plans.items()},
    }


def _result(
    scenario: str, plans: Mapping[str, TrialPlan], log: AttemptLog, settings: Mapping[str, Any]
) -> RunResult | None:
    """Return what has been played so far in the form of a run's results; None before the first trial."""
    from arena_trees.experiments.results import Arm, RunResult, TrialResult

    kept, first = log.kept(), next(iter(plans.values()))
    if not kept:
        return None
    arms = []
    for name, plan in plans.items():
        own = [one for one in kept if one.arm == name]
        trials = []
        for one in own:
            assert one.trial is not None
            spoilt = [other.spoilt for other in log.attempts if other.turn == one.turn and other.spoilt]
            lab = {"begun": one.begun, "attempt": one.number, "spoilt": spoilt, "remarks": list(one.remarks)}
            lab["batteries"] = {robot: list(charges) for robot, charges in one.batteries.items()}
            lab["versions"] = dict(one.versions)
            lab["parameters"] = {robot: dict(values) for robot, values in one.parameters.items()}
            lab["map"] = plan.scenario.map or plan.arena.name
            trials.append(replace(TrialResult.from_dict(one.trial), lab=lab))
        arms.append(Arm(name, tuple(trials), plan.game.metrics))
    return RunResult(
        scenario=scenario,
        version=__version__,
        seed=first.scenario.seed,
        settings=settings,
        planned=first.scenario.trials,
        arms=arms,
        outcomes=first.game.outcomes,
    )
