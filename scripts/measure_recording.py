"""Measures what recordings cost, how large they are, and whether they are replayed identically; prints a table.

    python scripts/measure_recording.py [--trials 20] [--scenario wolf_rabbit ...]

Each trial is played with and without a recorder, in turns, and its time taken, by the clock and of all processors
together, the least of three turns: what else a machine does only adds to it. The cost is the median over the trials.
Each robot of each trial is replayed. The promise: no tick that is different, at most 10 % of the time by the clock, at
most 1 MB a robot-minute.

A part of a recording is as large however long it is: definitions, parameters, the tree. It is told apart, as what the
recording of one tick takes. Three minutes on an idle machine.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from arena_trees.recording.recording import load_recording
from arena_trees.recording.replaying.plan import plan_replay
from arena_trees.recording.replaying.replay import replay
from arena_trees.recording.trial_recorder import RecordTrials
from arena_trees.simulation.experiments.plan import TrialPlan, make_plan
from arena_trees.simulation.experiments.scenario import find_scenario, load_scenario
from arena_trees.simulation.experiments.trial import Trial, Watch, run_trial

SCENARIOS = ("wolf_rabbit", "breach_recovery")
"""One of each kind of game; the others play the same trees under other conditions."""

TIMES = 3


@dataclass(slots=True)
class Figures:
    """What was measured of one scenario.

    Attributes:
        ticks: that were replayed
        different: of these, how many decided otherwise
        costs: share by which each trial took longer with a recorder, by the clock and of processors
        size: of the recordings, bytes
        fixed: of what each begins with, bytes
        minutes: simulated, of each robot
    """

    ticks: int = 0
    different: int = 0
    costs: list[tuple[float, float]] = field(default_factory=list)
    size: int = 0
    fixed: int = 0
    minutes: float = 0.0

    def row(self, name: str) -> str:
        """Return a line of the table."""
        clock, work = (statistics.median(kind) for kind in zip(*self.costs, strict=True))
        density = self.size / 1e6 / self.minutes
        growth = (self.size - self.fixed * len(self.costs)) / 1e6 / self.minutes
        return (
            f"| {name} | {len(self.costs)} | {self.ticks} | {self.different} | {clock:+.1%} | {work:+.1%}"
            f" | {density:.2f} | {growth:.2f} + {self.fixed / 1e3:.0f} kB |"
        )


def timed(plan: TrialPlan, index: int, watch: Watch | None) -> tuple[tuple[float, float], float]:
    """Play a trial; return its times by the clock and of processors, and simulated time, s."""
    began = time.perf_counter(), time.process_time()
    result = run_trial(plan, index, watch=watch)
    return (time.perf_counter() - began[0], time.process_time() - began[1]), result.simulated_s


def size_of(bag: Path) -> int:
    """Return the bytes of a bag."""
    return sum(file.stat().st_size for file in bag.iterdir())


def fixed_size(plan: TrialPlan, folder: Path) -> int:
    """Return the bytes of a recording of one tick."""
    trial = Trial(plan, 0)
    trial.observer = RecordTrials(folder)("", trial)
    trial.begin()
    trial.step()
    trial.close()
    return size_of(folder / "trial_000")


def measure(name: str, trials: int, folder: Path) -> Figures:
    """Measure a scenario."""
    path = find_scenario(name)
    plan = make_plan(load_scenario(path), path, path.parent)
    # Whatever is imported and made once is not the recorder's fault.
    timed(plan, trials, RecordTrials(folder / "first", name))
    figures = Figures(fixed=fixed_size(plan, folder / "fixed"))
    for index in range(trials):
        least = dict.fromkeys((False, True), (float("inf"), float("inf")))
        simulated_s = 0.0
        for turn in range(2 * TIMES):
            recorded = (turn + turn // 2 + index) % 2 == 0
            watch = RecordTrials(folder / f"turn_{turn}", name) if recorded else None
            (clock, work), simulated_s = timed(plan, index, watch)
            least[recorded] = (min(least[recorded][0], clock), min(least[recorded][1], work))
        with_it, without = least[True], least[False]
        figures.costs.append((with_it[0] / without[0] - 1.0, with_it[1] / without[1] - 1.0))
        figures.minutes += simulated_s / 60.0 * len(plan.robots)
        bag = next(folder.glob(f"turn_*/trial_{index:03d}"))
        figures.size += size_of(bag)
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
    parser.add_argument("--scenario", nargs="*", default=SCENARIOS)
    arguments = parser.parse_args()
    print("| scenario | trials | ticks replayed | different | time | processors | MB a robot-minute | growth, fixed |")
    print("|---|---|---|---|---|---|---|---|")
    for name in arguments.scenario:
        with tempfile.TemporaryDirectory() as folder:
            print(measure(name, arguments.trials, Path(folder)).row(name), flush=True)


if __name__ == "__main__":
    main()
