"""Plans of sweeps: what is played at which points, so that a folder can refuse what does not belong to it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from arena_trees.experiments.plan import TrialPlan
from arena_trees.experiments.sweeps.grid import Axis, Grid
from arena_trees.robot.errors import ConfigError

__all__ = ["DIFFERENCES", "MOST_JOBS", "SweepPlan", "difference", "fingerprint"]

MOST_JOBS = 1_000_000

DIFFERENCES = {
    "scenario": "another scenario",
    "version": "another version of Arena Trees",
    "grid": "another grid",
    "trials": "another number of trials",
    "seed": "another seed",
    "settings": "other settings",
    "fingerprint": "the scenario, or a file that it names, as it was before a change",
}
"""How plans differ, by the first entry that does."""


@dataclass(frozen=True, slots=True)
class SweepPlan:
    """What a sweep plays; its jobs are numbered point by point, and in each by the trials' seeds.

    Attributes:
        scenario: name or file as it was asked for
        game: that is played
        version: of Arena Trees
        grid: which values of which keys
        trials: at each point
        seed: of the first trial of each point; points meet the same worlds
        settings: changes that all points share, key to value
        fingerprint: of the content of the scenario and its files, as :func:`fingerprint` makes it
    """

    scenario: str
    game: str
    version: str
    grid: Grid
    trials: int
    seed: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    fingerprint: str = ""

    noun: ClassVar[str] = "sweep"

    @property
    def jobs(self) -> int:
        """Total number of trials."""
        return len(self.grid) * self.trials

    @property
    def title(self) -> str:
        """The title of the sweep's pictures."""
        return f"{self.scenario}: {self.trials} trials a point from seed {self.seed}"

    def check(self) -> None:
        """Refuse more than ``MOST_JOBS`` jobs.

        Raises:
            ConfigError: there are too many
        """
        if self.jobs > MOST_JOBS:
            reason = f"{len(self.grid)} points are {self.jobs} trials; at most {MOST_JOBS} are played"
            raise ConfigError(reason, key="--trials", value=self.trials)

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as its file holds it."""
        return {
            "scenario": self.scenario,
            "game": self.game,
            "version": self.version,
            "grid": self.grid.to_dict(),
            "trials": self.trials,
            "seed": self.seed,
            "settings": dict(self.settings),
            "fingerprint": self.fingerprint,
        }

    def to_json(self) -> bytes:
        """Return the text of the plan's file."""
        return json.dumps(self.to_dict(), indent=1, allow_nan=False, default=str).encode() + b"\n"

    @classmethod
    def from_json(cls, text: bytes, file: Path) -> SweepPlan:
        """Return the plan that a file holds.

        Args:
            text: of the file
            file: named in errors

        Raises:
            ConfigError: it is no plan
        """
        try:
            values = json.loads(text)
            grid = Grid(tuple(Axis(key, tuple(one)) for key, one in values.pop("grid").items()))
            kinds = {name: type(values[name]) for name in ("scenario", "game", "version", "trials", "seed")}
            if not grid.axes or list(kinds.values()) != [str, str, str, int, int]:
                raise TypeError
            return cls(grid=grid, **values)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ConfigError("is no plan of a sweep", file=file) from error

    def difference(self, other: SweepPlan) -> str | None:
        """Return what another plan has that this one has not, in words; None where both are one.

        Args:
            other: that is there
        """
        return difference(self.to_json(), other.to_json(), DIFFERENCES)


def difference(ours: bytes, theirs: bytes, wordings: Mapping[str, str]) -> str | None:
    """Return what differs between the texts of two plans' files, in words; None where both are one.

    Args:
        ours: text of the plan that is wanted
        theirs: text of the plan that is there
        wordings: how plans differ, by the first entry that does; of all entries but the settings, order counts, too
    """
    one, other = json.loads(ours), json.loads(theirs)
    for key, words in wordings.items():
        if one[key] != other[key] or (key != "settings" and json.dumps(one[key]) != json.dumps(other[key])):
            return words if key == "fingerprint" else f"{words}: {_short(other[key])}, not {_short(one[key])}"
    return None


def fingerprint(plan: TrialPlan, files: Iterable[Path] = ()) -> str:
    """Return the SHA-256 of all that is played where no key of the grid changes it.

    Args:
        plan: of the scenario without the grid
        files: that it is played with besides, such as trees

    Raises:
        ConfigError: a file cannot be read
    """
    scenario = plan.scenario
    digest = hashlib.sha256(scenario.model_dump_json(exclude={"trials", "seed"}).encode())
    digest.update(plan.rules.model_dump_json().encode())
    digest.update(plan.arena.model_dump_json().encode())
    if plan.map is not None:
        digest.update(plan.map.occupancy.tobytes() + plan.map.unknown.tobytes())
    for name, robot in plan.robots.items():
        digest.update(name.encode())
        for model in (robot.parameters, robot.sensors, robot.body, robot.gate):
            digest.update(model.model_dump_json().encode())
    for file in files:
        try:
            digest.update(file.read_bytes())
        except OSError as error:
            raise ConfigError(error.strerror or "cannot be read", file=file) from error
    return digest.hexdigest()


def _short(value: Any) -> str:
    if isinstance(value, dict):
        text = " ".join(
            f"{key}={','.join(map(str, one)) if isinstance(one, list) else one}" for key, one in value.items()
        )
    else:
        text = str(value)
    return text or "none"
