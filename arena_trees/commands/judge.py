"""``arena-trees judge``: how the games of recordings ended, and what they are measured by."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena_trees import __version__
from arena_trees.commands.bag_options import parse_topics, parse_truth_topics
from arena_trees.commands.console import Force, plain_console
from arena_trees.robot.configuration.files import check_writable, is_standard_output
from arena_trees.robot.configuration.hints import no_such
from arena_trees.robot.configuration.output_files import check_ending, place_files
from arena_trees.robot.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console
    from rich.table import Table

    from arena_trees.experiments.results import RunResult, TrialResult
    from arena_trees.recording.judging.judged_recording import JudgedRecording, TruthChoice
    from arena_trees.recording.judging.judgement import Judgement

__all__ = ["judge_recordings"]


def judge_recordings(
    bags: Annotated[list[Path], typer.Argument(metavar="BAG", help="Recordings, each a rosbag2 directory.")],
    truth: Annotated[
        str | None,
        typer.Option(help="Where robots were, by: arena, ceiling, topic or localisation; the best there is if absent."),
    ] = None,
    truth_topics: Annotated[
        list[str] | None,
        typer.Option(
            "--truth-topic",
            metavar="ROBOT=TOPIC",
            help="A tracking system's poses of a robot, or tf:FRAME; repeatable.",
        ),
    ] = None,
    calibration: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where the tracking system's frame lies in map.")
    ] = None,
    scenario: Annotated[
        str | None, typer.Option(help="What was played, by name or file, if the recordings do not hold it.")
    ] = None,
    topics: Annotated[
        list[str] | None,
        typer.Option("--topic", help="Topic of another name, as in scan=/front/scan or red.scan=/s; repeatable."),
    ] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Results in the form of `run --json`.")] = None,
    force: Force = False,
) -> None:
    """Judge the games of recordings, and say by what."""
    from arena_trees.experiments.results import write_json
    from arena_trees.recording.judging.judged_recording import judge_recording

    if json_file is not None:
        check_ending(json_file, (".json",), "--json")
        check_writable(json_file, "--json")
        (json_file,) = place_files([json_file], force)
    choice = _choice(truth, parse_truth_topics(truth_topics or []), calibration)
    taken = json_file is not None and is_standard_output(json_file)
    console = plain_console(stderr=taken)
    judged = []
    for bag in bags:
        one = judge_recording(bag, choice, scenario, parse_topics(topics or []))
        judged.append(one)
        _print(one, console)
    if json_file is None:
        return
    result = _result(judged)
    if result is None:
        raise ConfigError("no game of ours is in these recordings", key="--json", value=str(json_file))
    write_json(result, json_file)
    if not taken:
        console.print(f"written: {json_file}", highlight=False, soft_wrap=True)


def _choice(truth: str | None, topics: Mapping[str, str], calibration: Path | None) -> TruthChoice:
    from arena_trees.recording.judging.judged_recording import TruthChoice
    from arena_trees.recording.judging.recorded_truth import SOURCES
    from arena_trees.recording.judging.tracking_calibration import load_tracking_calibration

    source = next((one for one in SOURCES if one == truth), None)
    if truth is not None and source is None:
        raise ConfigError(no_such("truth", truth, SOURCES), key="--truth", value=truth)
    if source == "topic" and not topics:
        raise ConfigError("needs a --truth-topic for each robot", key="--truth", value=truth)
    if topics and source not in (None, "topic"):
        raise ConfigError(f"is not used with --truth {truth}", key="--truth-topic", value=next(iter(topics)))
    if calibration is not None and not topics:
        raise ConfigError("is of a tracking system, which needs a --truth-topic", key="--calibration")
    return TruthChoice(source, topics, None if calibration is None else load_tracking_calibration(calibration))


def _result(judged: Sequence[JudgedRecording]) -> RunResult | None:
    """Return the games of all recordings as a run; None where there is none."""
    from arena_trees.experiments.results import Arm, RunResult

    games = [one for one in judged if one.game is not None and one.judgements]
    if not games:
        return None
    names = {one.game.game.name for one in games if one.game is not None}
    if len(names) > 1:
        raise ConfigError(f"the recordings are of several games: {', '.join(sorted(names))}", key="--json")
    first = games[0].game
    assert first is not None
    trials: list[TrialResult] = []
    for one in games:
        trials += one.trials(len(trials))
    scenario = games[0].recording.info.get("scenario")
    return RunResult(
        scenario=scenario if isinstance(scenario, str) else first.game.name,
        version=__version__,
        seed=trials[0].seed,
        planned=len(trials),
        arms=[Arm("", tuple(trials), first.game.metrics)],
        outcomes=first.game.outcomes,
    )


def _print(judged: JudgedRecording, console: Console) -> None:
    recording = judged.recording
    console.print(f"{recording.path}: {_by(judged)}", highlight=False, soft_wrap=True)
    for robot in recording.robots.values():
        for note in robot.notes:
            console.print(f"  note: {robot.name}: {note}", highlight=False, soft_wrap=True)
    for name, figures in judged.figures.items():
        known = ", ".join(f"{key} {value:g}" for key, value in figures.items() if value is not None)
        console.print(f"  {name}: {known or 'no sensor'}", highlight=False, soft_wrap=True)
    if judged.game is None:
        console.print("  no robot has a role in a game of ours: nothing to judge", highlight=False, soft_wrap=True)
    for number, one in enumerate(judged.judgements, 1):
        ending = f"{one.trial.outcome} after {one.trial.played_s:.2f} s ({one.trial.reason})"
        which = f"game {number} of {len(judged.judgements)}: " if len(judged.judgements) > 1 else ""
        console.print(f"  {which}{ending}", highlight=False, soft_wrap=True)
        console.print(_table(judged, one))


def _by(judged: JudgedRecording) -> str:
    """Return in words how well it is known where the robots were."""
    sigma, sigma_yaw = judged.truth.deviation()
    if not math.isfinite(sigma):
        return "where the robots were in the map is not known"
    good = "exact" if sigma == 0.0 else f"{sigma:.3f} m and {math.degrees(sigma_yaw):.1f} degrees, one sigma"
    return f"truth by {judged.truth.source}, {good}{'' if judged.truth.stated else ', assumed: nothing states it'}"


def _table(judged: JudgedRecording, judgement: Judgement) -> Table:
    """Return the table of one game: what is not known has no value."""
    from rich import box
    from rich.table import Table

    from arena_trees.experiments.metrics import WALL_CLOCK, metrics_of

    assert judged.game is not None
    table = Table(box=box.SIMPLE_HEAD, header_style="bold")
    table.add_column("metric", no_wrap=True)
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("within its error", justify="right", no_wrap=True)
    table.add_column("known by")
    values = judgement.trial.values
    sources = {"truth": judged.truth.source, "contacts": judgement.contacts}
    for metric in metrics_of([values], judged.game.game.metrics):
        if metric.name == WALL_CLOCK:
            continue
        bounds, value = judgement.bounds.get(metric.value), values[metric.value]
        by = sources.get(metric.by, metric.by)
        if metric.value in judgement.contradicted:
            by += ", and contradicted by the truth"
        if metric.value in judgement.unknown or not by:
            table.add_row(metric.name, "not known", "", by)
        else:
            table.add_row(metric.name, _number(value), "" if bounds is None else _span(*bounds), by)
    return table


def _span(least: float, most: float) -> str:
    return f"{_number(least)} to {_number(most)}"


def _number(value: float | int | bool | None) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.3g}"
