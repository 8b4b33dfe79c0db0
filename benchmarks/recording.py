"""Measures what recordings cost, how large they are, and whether they are replayed identically; prints a table.

    python benchmarks/recording.py [--trials 20] [--scenario wolf_rabbit ...] [--no-replay]

The cost of a trial is the time of a processor spent in the recorder's own calls, as a share of the time of the rest,
the least of several turns each: what else a machine does only adds to it. Given is the median over the trials. Each
robot of each trial is replayed. The promise: no tick that is different, at most 15 % of a run, megabytes.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from arena_trees.experiments.plan import TrialPlan, make_plan
from arena_trees.experiments.scenario import find_scenario, load_scenario
from arena_trees.experiments.trial import Trial, run_trial
from arena_trees.recording.bags.writer import BagWriter
from arena_trees.recording.loading import load_recording
from arena_trees.recording.replaying.plan import plan_replay
from arena_trees.recording.replaying.replay import replay
from arena_trees.recording.trial_recorder import RecordTrials, TrialRecorder

SCENARIOS = ("wolf_rabbit", "breach_recovery", "crossroads_lidar")

TURNS = 5


class Stopwatch:
    """Records a trial, and takes the time of the recorder's calls.

    Attributes:
        spent: by the recorder, s of a processor
    """

    def __init__(self, folder: Path, name: str) -> None:
        self.spent = 0.0
        self._record = RecordTrials(folder, name)
        self._recorder: TrialRecorder[BagWriter]

    def __call__(self, arm: str, trial: Trial) -> Stopwatch:
        """Make the trial's recorder."""
        self._timed(lambda: self._make(arm, trial))
        return self

    def begin(self, trial: Trial) -> None:
        """Record the trial's begin."""
        self._timed(lambda: self._recorder.begin(trial))

    def tick(self, trial: Trial) -> None:
        """Record a tick."""
        self._timed(lambda: self._recorder.tick(trial))

    def end(self, trial: Trial) -> None:
        """Record the trial's end."""
        self._timed(lambda: self._recorder.end(trial))

    def _make(self, arm: str, trial: Trial) -> None:
        self._recorder = self._record(arm, trial)

    def _timed(self, call: Callable[[], None]) -> None:
        began = time.process_time()
        call()
        self.spent += time.process_time() - began


@dataclass(slots=True)
class Figures:
    """What was measured of one scenario.

    Attributes:
        ticks: that were replayed
        different: of these, how many decided otherwise
        costs: the recorder's share of each trial
        size: of the recordings, bytes
        minutes: simulated, of each robot
    """

    ticks: int = 0
    different: int = 0
    costs: list[float] = field(default_factory=list)
    size: int = 0
    minutes: float = 0.0

    def row(self, name: str) -> str:
        """Return a line of the table."""
        cost, density = statistics.median(self.costs), self.size / 1e6 / self.minutes
        return f"| {name} | {len(self.costs)} | {self.ticks} | {self.different} | {cost:.1%} | {density:.2f} |"


def timed(plan: TrialPlan, index: int, folder: Path, name: str) -> tuple[float, float, float]:
    """Play a trial; return the recorder's time and that of the rest (s of a processor), and simulated time (s)."""
    watch = Stopwatch(folder, name)
    began = time.process_time()
    result = run_trial(plan, index, watch=watch)
    return watch.spent, time.process_time() - began - watch.spent, result.simulated_s


def measure(name: str, trials: int, folder: Path, replayed: bool) -> Figures:
    """Measure a scenario."""
    path = find_scenario(name)
    plan = make_plan(load_scenario(path), path, path.parent)
    # Whatever is imported and made once is not the recorder's fault.
    timed(plan, trials, folder / "first", name)
    figures = Figures()
    for index in range(trials):
        turns = [timed(plan, index, folder / f"turn_{turn}", name) for turn in range(TURNS)]
        figures.costs.append(min(spent for spent, _, _ in turns) / min(rest for _, rest, _ in turns))
        figures.minutes += turns[0][2] / 60.0 * len(plan.robots)
        bag = folder / "turn_0" / f"trial_{index:03d}"
        figures.size += sum(file.stat().st_size for file in bag.iterdir())
        recording = load_recording(bag)
        for robot in recording.robots if replayed else ():
            result = replay(plan_replay(recording, robot))
            figures.ticks += result.compared
            figures.different += result.different
    return figures


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--scenario", nargs="*", default=SCENARIOS)
    parser.add_argument("--no-replay", action="store_true")
    arguments = parser.parse_args()
    print("| scenario | trials | ticks replayed | different | share of a run | MB a robot-minute |")
    print("|---|---|---|---|---|---|")
    for name in arguments.scenario:
        with tempfile.TemporaryDirectory() as folder:
            print(measure(name, arguments.trials, Path(folder), not arguments.no_replay).row(name), flush=True)


if __name__ == "__main__":
    main()
