"""Combines several observers of a trial into one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena_trees.experiments.trial import Trial, TrialObserver, Watch

__all__ = ["Together", "Watchers"]


@dataclass(frozen=True, slots=True)
class Watchers:
    """Makes the observers of a trial as one; a :data:`~arena_trees.experiments.trial.Watch`.

    Attributes:
        watches: each makes one observer, or None for a trial that it skips
    """

    watches: tuple[Watch, ...]

    def __call__(self, arm: str, trial: Trial) -> TrialObserver:
        """Return the observers of a trial as one; where one cannot be made, those before it are ended."""
        observers: list[TrialObserver] = []
        try:
            for watch in self.watches:
                observer = watch(arm, trial)
                if observer is not None:
                    observers.append(observer)
        except BaseException:
            Together(observers).end(trial)
            raise
        return Together(observers)


class Together:
    """Several observers of a trial as one; implements :class:`~arena_trees.experiments.trial.TrialObserver`.

    Args:
        observers: called in this order
    """

    def __init__(self, observers: Sequence[TrialObserver]) -> None:
        self._observers = observers

    def begin(self, trial: Trial) -> None:
        """Begin all observers."""
        for observer in self._observers:
            observer.begin(trial)

    def tick(self, trial: Trial) -> None:
        """Pass the tick to all observers."""
        for observer in self._observers:
            observer.tick(trial)

    def end(self, trial: Trial) -> None:
        """End all observers, the last one first."""
        # One that cannot end properly must not keep the others from it.
        with ExitStack() as stack:
            for observer in reversed(self._observers):
                stack.callback(observer.end, trial)
