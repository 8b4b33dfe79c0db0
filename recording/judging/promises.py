"""Promises of a recording: what robots were to do, and whether they did."""

from __future__ import annotations

from collections.abc import Mapping

from arena_trees.experiments.promises.promise import Kept, Promise, promises_of_robots
from arena_trees.experiments.promises.promise_file import load_promises
from arena_trees.experiments.promises.statements import judge
from arena_trees.recording.recording import Recording
from arena_trees.recording.traces.trace import Trace

__all__ = ["judge_promises", "recorded_promises"]


def recorded_promises(recording: Recording) -> Mapping[str, Promise]:
    """Return the promises of what was played, by name; empty where it had none.

    Raises:
        ConfigError: they cannot be used
    """
    values = recording.info.get("scenario_values", {})
    promised = values.get("promises") if isinstance(values, dict) else None
    return load_promises(recording.path, {"promises": promised}) if promised else {}


def judge_promises(recording: Recording, promises: Mapping[str, Promise]) -> dict[str, Kept]:
    """Return what became of promises, by their names; where there are several robots, with the robot's after a dot.

    Args:
        recording: with ticks of the robots
        promises: by name; those of metrics are left out, which are a judge's affair

    Raises:
        ConfigError: there is no such robot, or what the recording has of it cannot be used
    """
    robots = [name for name, robot in recording.robots.items() if robot.ticks]
    traces: dict[str, Trace] = {}
    found = {}
    for key, robot, statement in promises_of_robots(promises, robots):
        if robot not in traces:
            traces[robot] = Trace.of_recording(recording, robot)
        found[key] = Kept.of(judge(traces[robot], statement), robot, statement)
    return found
