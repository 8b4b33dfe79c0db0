"""Bursts of loss: instants at which a shared channel carries nothing."""

from __future__ import annotations

import math

import numpy as np

from arena_trees.robot.clock import SECOND

__all__ = ["LossBursts"]


class LossBursts:
    """A channel of two states, one that carries everything and one that carries nothing (Gilbert 1960, Elliott 1963).

    Times in either state are exponential, so that the channel forgets how long it has been in one: it is the chain of
    Gilbert ("Capacity of a burst-noise channel") and Elliott ("Estimates of error rates for codes on burst-noise
    channels"), both in the Bell System Technical Journal, in continuous time. Where it begins is drawn by the share of
    time that either state has. Nothing is drawn where there are no bursts.

    Args:
        per_minute: mean number of bursts in a minute
        length_s: mean length of a burst, s; per_minute bursts of it take less than a minute
        rng: of the channel alone
    """

    def __init__(self, per_minute: float, length_s: float, rng: np.random.Generator) -> None:
        self._rng = rng
        self._burst_s = length_s
        self._gap_s = math.inf if per_minute == 0.0 else 60.0 / per_minute - length_s
        self._lost = False
        self._until_s = math.inf
        if per_minute > 0.0:
            self._lost = bool(rng.random() < per_minute * length_s / 60.0)
            self._until_s = self._stay_s()

    def lost(self, now: int) -> bool:
        """Return whether what is sent at an instant (ns) is lost; instants never go back."""
        now_s = now / SECOND
        while now_s >= self._until_s:
            self._lost = not self._lost
            self._until_s += self._stay_s()
        return self._lost

    def _stay_s(self) -> float:
        """Draw how long the state that the channel has now lasts, s."""
        return float(self._rng.exponential(self._burst_s if self._lost else self._gap_s))
