"""Recordings for the tests of what shows them: of a trial as it is played, and by hand."""

import math
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from arena_trees.experiments.trial import Trial, run_trial
from arena_trees.recording.loading import load_recording
from arena_trees.recording.recording import Recording, RobotRecording
from arena_trees.recording.trial_recorder import RecordTrials
from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.percepts import Odometry, Readings
from arena_trees.robot.record import TickRecord
from arena_trees.robot.scan import LaserScan
from helpers.scenario_plans import planned


def record(folder: Path, scenario: str = "wolf_rabbit", **changes: Any) -> Path:
    """Play and record a trial; return the path of its recording."""
    run_trial(planned(scenario, **changes), 0, watch=RecordTrials(folder, scenario))
    return folder / "trial_000"


def played(scenario: str = "wolf_rabbit", **changes: Any) -> Recording:
    """Play and record a trial; return the recording."""
    with tempfile.TemporaryDirectory() as folder:
        return load_recording(record(Path(folder), scenario, **changes))


def play_with(
    folder: Path, trees: Mapping[str, Any], robot: str, ticks: int, changes: Mapping[str, Any]
) -> tuple[list[TickRecord], list[Readings], Path]:
    """Play and record a wolf and a rabbit, some with a tree of the test's own.

    Returns:
        what a robot did and sensed in each tick, and the path of the recording
    """
    plan = planned("wolf_rabbit", **changes).with_trees(trees)
    records: list[TickRecord] = []
    readings: list[Readings] = []
    trial = Trial(plan, 0, lambda record: records.append(record) if record.robot == robot else None)
    trial.observer = RecordTrials(folder)("", trial)
    trial.begin()
    for _ in range(ticks):
        trial.step()
        readings.append(trial.loops[robot].readings)
    assert trial.loops[robot].fault is None
    trial.close()
    return records, readings, folder / "trial_000"


def sensed(readings: Sequence[Readings], sensor: str) -> list[Any]:
    """Return what came of a sensor, each message once, as :func:`measured` has it."""
    messages = (getattr(one, sensor) for one in readings)
    return measured({one.sequence: one for one in messages if one is not None}.values())


def measured(messages: Iterable[Any]) -> list[Any]:
    """Return messages without what a recording counts anew: their arrivals and numbers."""
    return [replace(one, arrival=0, sequence=0) for one in messages]


def by_hand(**robots: RobotRecording) -> Recording:
    """Return ten seconds of robots made by hand."""
    return Recording(Path("by_hand"), {}, 0, 10 * SECOND, robots, [], [], {})


def spoilt() -> Recording:
    """Return the same with a spike of odometry at 3.5 s, and silences: of the scan, the odometry and the commands."""
    recording = foreign()
    robot = recording.robots["robot"]
    odometry = list(robot.odometry)
    odometry[70] = replace(odometry[70], pose=Pose2D(500.0, -300.0, 0.0), twist=Twist2D(12.3, 0.0))
    worse = replace(
        robot,
        odometry=[one for one in odometry if not 5 * SECOND < one.arrival < 8 * SECOND],
        scans=[one for one in robot.scans if not 4 * SECOND < one.arrival < 6.5 * SECOND],
        commands=[(now, twist) for now, twist in robot.commands if now < 6 * SECOND],
    )
    return replace(recording, robots={"robot": worse})


def foreign() -> Recording:
    """Return what a recorder beside a real robot leaves: odometry, scans and commands, and no word of ours."""
    instants = range(0, 10 * SECOND, SECOND // 20)
    poses = [Pose2D(now / SECOND * 0.1, 0.5 * math.sin(now / SECOND), 0.1) for now in instants]
    odometry = [
        Odometry(now, now, number + 1, pose, Twist2D(0.1, 0.0))
        for number, (now, pose) in enumerate(zip(instants, poses, strict=True))
    ]
    ranges = np.where(np.arange(400) % 3, 1.5, np.inf).astype(np.float32)
    scans = [
        LaserScan(now, now, number + 1, ranges, -3.0, 3.0, 6.0 / 399, 0.1, 12.0)
        for number, now in enumerate(instants[::3])
    ]
    commands = [(now, Twist2D(0.1, 0.2)) for now in instants[::10]]
    return by_hand(robot=RobotRecording("robot", odometry=odometry, scans=scans, commands=commands))
