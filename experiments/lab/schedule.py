"""In which order the trials of an experiment with robots are played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Turn", "schedule"]


@dataclass(frozen=True, slots=True, order=True)
class Turn:
    """One trial of one arm.

    Attributes:
        index: of the trial; trials of one index have the same world and the same starts
        arm: its name; empty where there is one arm
    """

    index: int
    arm: str


def schedule(trials: int, arms: Sequence[str] = ("",)) -> list[Turn]:
    """Return the turns of an experiment.

    The arms of one trial follow each other, so that they meet the same light and like batteries, and who is first
    alternates: A B, B A, A B. With more arms, each trial begins one
    arm later.

    Args:
        trials: of each arm
        arms: their names, at least one
    """
    turns = []
    for index in range(trials):
        first = index % len(arms)
        turns += [Turn(index, arm) for arm in (*arms[first:], *arms[:first])]
    return turns
