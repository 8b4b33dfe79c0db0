"""Plans of searches for a run that breaks a promise, so that a folder can refuse what does not belong to it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, ClassVar

from arena_trees.experiments.sweeps.sweep_plan import DIFFERENCES, difference
from arena_trees.robot.errors import ConfigError

__all__ = ["SearchPlan"]

_DIFFERENCES = {
    "promise": "a search for another promise",
    "space": "another space",
    "points": "another number of points",
    **{key: words for key, words in DIFFERENCES.items() if key != "grid"},
}
"""How plans differ, by the first entry that does."""


@dataclass(frozen=True, slots=True)
class SearchPlan:
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

    def to_json(self) -> bytes:
        """Return the text of the plan's file."""
        return json.dumps(asdict(self), indent=1, allow_nan=False, default=str).encode() + b"\n"

    @classmethod
    def from_json(cls, text: bytes, file: Path) -> SearchPlan:
        """Return the plan that a file holds.

        Raises:
            ConfigError: it is none
        """
        try:
            values = json.loads(text)
            if set(values) != {one.name for one in fields(cls)}:
                raise TypeError
            return cls(**values)
        except (ValueError, TypeError) as error:
            raise ConfigError("is no plan of a search", file=file) from error

    def difference(self, other: SearchPlan) -> str | None:
        """Return what another plan has that this one has not, in words; None where both are one."""
        return difference(self.to_json(), other.to_json(), _DIFFERENCES)
