"""Measures what recordings cost, how large they are, and whether they are replayed identically; prints a table.

    python scripts/measure_recording.py [--trials 20] [--scenario wolf_rabbit ...]

Each trial is played with and without a recorder, in turns, and its processor time taken; then each robot of the
recording is replayed. The promise: no tick that is different, at most 10 % of the time, at most 1 MB a robot-minute.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from arena_trees.recording.recording import load_recording
from arena_trees.recording.replay import replay
from arena_trees.recording.replay_plan import plan_replay
from arena_trees.recording.trial_recorder import RecordTrials
from arena_trees.simulation.plan import TrialPlan, make_plan
from arena_trees.simulation.scenario import find_scenario, load_scenario, scenario_names
from arena_trees.simulation.trial import Watch, run_trial


@dataclass(slots=True)
class Figures:
    """What was measured of one scenario.

    Attributes:
        ticks: that were replayed
        different: of these, how many decided otherwise
        plain_s: processor time without a recorder
        recorded_s: processor time with one
        size: of the recordings, bytes
        minutes: simulated, of each robot
    """

    ticks: int = 0
    different: int = 0
    plain_s: float = 0.0
    recorded_s: float = 0.0
    size: int = 0
    minutes: float = 0.0


def timed(plan: TrialPlan, index: int, watch: Watch | None) -> tuple[float, float]:
    """Play a trial; return processor time and simulated time, s."""
    began = time.process_time()
    result = run_trial(plan, index, watch=watch)
    return time.process_time() - began, result.simulated_s


def measure(name: str, trials: int, folder: Path) -> Figures:
    """Measure a scenario."""
    path = find_scenario(name)
    plan = make_plan(load_scenario(path), path, path.parent)
    figures, watch = Figures(), RecordTrials(folder / name, name)
    # Whatever is imported and made once is not the recorder's fault.
    timed(plan, trials, RecordTrials(folder / "first" / name, name))
    for index in range(trials):
        for recorded in (False, True) if index % 2 else (True, False):
            seconds, simulated_s = timed(plan, index, watch if recorded else None)
            if recorded:
                figures.recorded_s += seconds
                figures.minutes += simulated_s / 60.0 * len(plan.robots)
            else:
                figures.plain_s += seconds
        bag = folder / name / f"trial_{index:03d}"
        figures.size += sum(file.stat().st_size for file in bag.iterdir())
        recording = load_recording(bag)
        for robot in recording.robots:
            result = replay(plan_replay(recording, robot))
            figures.ticks += result.compared
            figures.different += result.different
    return figures


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--scenario", nargs="*", default=scenario_names())
    arguments = parser.parse_args()
    print("| scenario | trials | ticks replayed | different | time of recording | MB a robot-minute |")
    print("|---|---|---|---|---|---|")
    for name in arguments.scenario:
        with tempfile.TemporaryDirectory() as folder:
            figures = measure(name, arguments.trials, Path(folder))
        cost = figures.recorded_s / figures.plain_s - 1.0
        density = figures.size / 1e6 / figures.minutes
        print(
            f"| {name} | {arguments.trials} | {figures.ticks} | {figures.different} | {cost:+.1%} | {density:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
