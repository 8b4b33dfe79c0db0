"""A soak: simulated hours of trials in one process, measured after each tenth of them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena_trees.experiments.plan import TrialPlan
from arena_trees.experiments.soaking.calibration import calibrate
from arena_trees.experiments.soaking.stepped_trial import open_trial
from arena_trees.experiments.soaking.vitals import Vitals
from arena_trees.robot.clock import SECOND, to_seconds
from arena_trees.robot.timing import TICK

__all__ = ["TENTHS", "Tenth", "soak"]

TENTHS = 10
_CALIBRATE_EVERY = 50
"""Ticks between two calibrations, which take the machine as it is all along."""


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
        processor_p99_ms: processor time that 99 % of the steps did not exceed, ms
        calibration_ms: median processor time of the calibration, which was done all along, ms
    """

    number: int
    simulated_s: float
    trials: int
    stopped: int
    vitals: Vitals
    tick_p50_ms: float
    tick_p99_ms: float
    processor_p99_ms: float
    calibration_ms: float

    @property
    def calibrated_p99(self) -> float:
        """The processor time that 99 % of the steps did not exceed, over that of the calibration."""
        return self.processor_p99_ms / self.calibration_ms

    def to_dict(self) -> dict[str, Any]:
        """Return all figures by their names, for JSON."""
        values = asdict(self)
        vitals = values.pop("vitals")
        return {**values, "calibrated_p99": self.calibrated_p99, **vitals}


def soak(plan: TrialPlan, hours: float) -> Iterator[Tenth]:
    """Play trial after trial in this process, and yield what was measured of each tenth as soon as it is over.

    One whole trial is played before: what it imports and keeps is no growth. All tenths have the same number of ticks;
    the trial that is open at the end of one is cut short, so that nothing of any trial is held when it is measured.

    Args:
        plan: what to play; seeds count up from its scenario's, which is that of the trial before the first tenth
        hours: simulated time, h

    Raises:
        ArenaTreesError: this machine cannot say what a process holds
    """
    ticks = max(1, round(hours * 3600.0 * SECOND / TICK / TENTHS))
    # Made once and filled, for what a soak itself holds must not grow.
    times = np.full((2, ticks), np.nan)
    _warm_up(plan)
    index = 1
    for number in range(1, TENTHS + 1):
        trials, stopped, calibrations = _play(plan, index, times)
        index += trials
        (median, _), (most, processor_most) = np.percentile(times, (50.0, 99.0), axis=1)
        yield Tenth(
            number=number,
            simulated_s=to_seconds(number * ticks * TICK),
            trials=trials,
            stopped=stopped,
            vitals=Vitals.measured(),
            tick_p50_ms=1e3 * float(median),
            tick_p99_ms=1e3 * float(most),
            processor_p99_ms=1e3 * float(processor_most),
            calibration_ms=1e3 * float(np.median(calibrations)),
        )


def _warm_up(plan: TrialPlan) -> None:
    """Play a whole trial, and measure once what will be measured."""
    trial = open_trial(plan, 0)
    try:
        while not trial.over:
            trial.step()
    finally:
        trial.close()
    np.percentile(np.full((2, 2), calibrate()), (50.0, 99.0), axis=1)
    Vitals.measured()


def _play(plan: TrialPlan, index: int, times: NDArray[np.float64]) -> tuple[int, int, list[float]]:
    """Play trials for as many ticks as there is room for.

    Args:
        plan: what to play
        index: of the first trial
        times: 2 x N, is given the time and the processor time of each of N steps, s

    Returns:
        How many trials there were, how many of their robots a fault has stopped, and the processor time of each
        calibration, s.
    """
    done, trials, stopped = 0, 0, 0
    calibrations: list[float] = []
    ticks = times.shape[1]
    while done < ticks:
        trial = open_trial(plan, index + trials)
        trials += 1
        try:
            ended = False
            while done < ticks and not ended:
                if done % _CALIBRATE_EVERY == 0:
                    calibrations.append(calibrate())
                begun, begun_work = time.perf_counter(), time.process_time()
                trial.step()
                times[:, done] = time.perf_counter() - begun, time.process_time() - begun_work
                done += 1
                ended = trial.over
            stopped += trial.stopped
        finally:
            trial.close()
    return trials, stopped, calibrations
