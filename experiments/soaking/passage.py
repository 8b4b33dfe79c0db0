"""A passage that is played again and again: the same ticks, which only the process and the machine make slower."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from arena_trees.experiments.plan import TrialPlan
from arena_trees.experiments.soaking.calibration import calibrate
from arena_trees.experiments.soaking.stepped_trial import open_trial

__all__ = ["Pace", "play_passage"]

_TICKS, _TIMES = 1000, 3
"""How long the passage is, and how often it is played for one pace."""
_CALIBRATE_EVERY = 20
"""Ticks between two calibrations, which take the machine as it is all along."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast this process plays the passage.

    Attributes:
        p99_ms: processor time that 99 % of its ticks did not exceed, ms
        calibration_ms: median processor time of the calibration meanwhile, ms
    """

    p99_ms: float
    calibration_ms: float


def play_passage(plan: TrialPlan) -> Pace:
    """Play the beginning of a plan's first trial several times, and return the pace.

    Of each tick and each calibration the least time counts, for other work on the machine only ever adds to a time.

    Args:
        plan: what to play
    """
    plays = [_play(plan) for _ in range(_TIMES)]
    ticks, calibrations = (np.min(times, axis=0) for times in zip(*plays, strict=True))
    return Pace(1e3 * float(np.percentile(ticks, 99.0)), 1e3 * float(np.median(calibrations)))


def _play(plan: TrialPlan) -> tuple[list[float], list[float]]:
    """Return the processor time of each tick and of each calibration, s."""
    ticks: list[float] = []
    calibrations: list[float] = []
    trial = open_trial(plan, 0)
    try:
        while not ticks or not (trial.over or len(ticks) == _TICKS):
            if len(ticks) % _CALIBRATE_EVERY == 0:
                calibrations.append(calibrate())
            begun = time.process_time()
            trial.step()
            ticks.append(time.process_time() - begun)
    finally:
        trial.close()
    return ticks, calibrations
