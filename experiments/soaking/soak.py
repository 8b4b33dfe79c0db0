"""A soak: simulated hours of trials in one process, measured after each tenth of them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena_trees.experiments.plan import TrialPlan
from arena_trees.experiments.soaking.passage import Pace, play_passage
from arena_trees.experiments.soaking.stepped_trial import open_trial
from arena_trees.experiments.soaking.vitals import Vitals
from arena_trees.robot.clock import SECOND, to_seconds
from arena_trees.robot.timing import TICK

__all__ = ["TENTHS", "Tenth", "soak"]

TENTHS = 10


@dataclass(frozen=True, slots=True)
class Tenth:
    """What was measured of a tenth of a soak.

    Attributes:
        number: of the tenth, from 1
        simulated_s: simulated time of the soak up to its end, s
        trials: that were played in it, the last one being cut short
        stopped: robots that a fault has stopped in it, over all trials
        vitals: what the process held after it, no trial being open
        tick_p50_ms: median time of a step of the whole arena, ms
        tick_p99_ms: time that 99 % of the steps did not exceed, ms; mostly that of other work on a machine with some
        pace: of a passage that was played after it, which is always the same
    """

    number: int
    simulated_s: float
    trials: int
    stopped: int
    vitals: Vitals
    tick_p50_ms: float
    tick_p99_ms: float
    pace: Pace

    @property
    def calibrated_p99(self) -> float:
        """The processor time that 99 % of the passage's ticks did not exceed, over that of the calibration."""
        return self.pace.p99_ms / self.pace.calibration_ms

    def to_dict(self) -> dict[str, Any]:
        """Return all figures by their names, for JSON."""
        values = asdict(self)
        vitals, pace = values.pop("vitals"), values.pop("pace")
        times = {"passage_p99_ms": pace["p99_ms"], "calibration_ms": pace["calibration_ms"]}
        return {**values, **times, "calibrated_p99": self.calibrated_p99, **vitals}


def soak(plan: TrialPlan, hours: float) -> Iterator[Tenth]:
    """Play trial after trial in this process, and yield what was measured of each tenth as soon as it is over.

    One whole trial is played before: what it imports and keeps is no growth. All tenths have the same number of ticks;
    the trial that is open at the end of one is cut short, so that nothing of any trial is held when it is measured. A
    passage of the trial before is then played again.

    Args:
        plan: what to play; seeds count up from its scenario's, which is that of the trial before the first tenth
        hours: simulated time, h

    Raises:
        ArenaTreesError: this machine cannot say what a process holds
    """
    ticks = max(1, round(hours * 3600.0 * SECOND / TICK / TENTHS))
    # Made once and filled, for what a soak itself holds must not grow.
    times = np.full(ticks, np.nan)
    _warm_up(plan)
    index = 1
    for number in range(1, TENTHS + 1):
        trials, stopped = _play(plan, index, times)
        index += trials
        median, most = np.percentile(times, (50.0, 99.0))
        pace = play_passage(plan)
        yield Tenth(
            number=number,
            simulated_s=to_seconds(number * ticks * TICK),
            trials=trials,
            stopped=stopped,
            vitals=Vitals.measured(),
            tick_p50_ms=1e3 * float(median),
            tick_p99_ms=1e3 * float(most),
            pace=pace,
        )


def _warm_up(plan: TrialPlan) -> None:
    """Play a whole trial, and measure once what will be measured."""
    trial = open_trial(plan, 0)
    try:
        while not trial.over:
            trial.step()
    finally:
        trial.close()
    play_passage(plan)
    Vitals.measured()


def _play(plan: TrialPlan, index: int, times: NDArray[np.float64]) -> tuple[int, int]:
    """Play trials for as many ticks as there is room for.

    Args:
        plan: what to play
        index: of the first trial
        times: is given the time of each step, s

    Returns:
        How many trials there were, and how many of their robots a fault has stopped.
    """
    done, trials, stopped = 0, 0, 0
    while done < len(times):
        trial = open_trial(plan, index + trials)
        trials += 1
        try:
            ended = False
            while done < len(times) and not ended:
                begun = time.perf_counter()
                trial.step()
                times[done] = time.perf_counter() - begun
                done += 1
                ended = trial.over
            stopped += trial.stopped
        finally:
            trial.close()
    return trials, stopped
