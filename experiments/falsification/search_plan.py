"""Plans of searches for a run that breaks a promise, so that a folder can refuse what does not belong to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from arena_trees.experiments.sweeps.flat_plan import FlatPlan
from arena_trees.experiments.sweeps.sweep_plan import DIFFERENCES

__all__ = ["SearchPlan"]

_DIFFERENCES = {
    "promise": "a search for another promise",
    "space": "another space",
    "points": "another number of points",
    **{key: words for key, words in DIFFERENCES.items() if key != "grid"},
}
"""How plans differ, by the first entry that does."""


@dataclass(frozen=True, slots=True)
class SearchPlan(FlatPlan):
    """What a search plays.

    Attributes:
        scenario: name or file as it was asked for
        game: that is played
        version: of Arena Trees
        promise: that is to be broken
        space: key to its bounds or values, plain
        points: most that are tried
        trials: of each point
        seed: of the first trial of each point, and of the search
        settings: changes that all points share, key to value
        fingerprint: of the content of the scenario and its files
    """

    scenario: str
    game: str
    version: str
    promise: str
    space: Mapping[str, Any]
    points: int
    trials: int
    seed: int
    settings: Mapping[str, Any]
    fingerprint: str

    noun: ClassVar[str] = "search"
    wordings: ClassVar[Mapping[str, str]] = _DIFFERENCES
