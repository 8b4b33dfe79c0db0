"""Plans of studies: what is searched for where, so that a folder can refuse what does not belong to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from arena_trees.experiments.sweeps.flat_plan import FlatPlan
from arena_trees.experiments.sweeps.sweep_plan import DIFFERENCES
from arena_trees.robot.errors import ConfigError

__all__ = ["FIRST_FRESH_SEED", "MOST_POINTS", "StudyPlan"]

FIRST_FRESH_SEED = 1000
"""Seeds from here on are for reports: nothing is tuned on them."""
MOST_POINTS = 10_000

_SAID = {
    "space": "another space",
    "objectives": "other objectives",
    "missing": "other values for what is missing",
    "points": "another number of points",
    "look": "another number of trials between looks",
    "report_trials": "another number of trials in the report",
    "report_seed": "another seed of the report",
    **{key: words for key, words in DIFFERENCES.items() if key != "grid"},
}
"""How plans differ, by the first entry that does."""


@dataclass(frozen=True, slots=True)
class StudyPlan(FlatPlan):
    """What a study plays.

    Attributes:
        scenario: name or file as it was asked for
        game: that is played
        version: of Arena Trees
        space: key to its bounds or values, plain
        objectives: metric to ``maximise`` or ``minimise``
        missing: metric to what a trial without a value of it counts as
        points: that are tried, the start among them
        trials: of each point that is not given up
        seed: of the first trial of each point; points meet the same worlds
        look: trials after each of which a point may be given up; 0 for never
        report_trials: trials of the report, for each arm
        report_seed: of the first of them
        settings: changes that all points share, key to value
        fingerprint: of the content of the scenario and its files
    """

    scenario: str
    game: str
    version: str
    space: Mapping[str, Any]
    objectives: Mapping[str, str]
    missing: Mapping[str, float]
    points: int
    trials: int
    seed: int
    look: int
    report_trials: int
    report_seed: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    fingerprint: str = ""

    noun: ClassVar[str] = "study"
    wordings: ClassVar[Mapping[str, str]] = _SAID

    def check(self) -> None:
        """Refuse numbers that cannot be played, and seeds that are kept apart.

        Raises:
            ConfigError: there is one
        """
        if not 2 <= self.points <= MOST_POINTS:
            raise ConfigError(f"must be a number from 2 to {MOST_POINTS}", key="--points", value=self.points)
        if not 0 <= self.look <= self.trials:
            raise ConfigError("must be a number from 0 to that of --trials", key="--look", value=self.look)
        if self.seed + self.trials > FIRST_FRESH_SEED:
            reason = f"the last trial has seed {self.seed + self.trials - 1}; seeds from {FIRST_FRESH_SEED} on are"
            raise ConfigError(f"{reason} for reports, and nothing is tuned on them", key="--seed", value=self.seed)
        if not 0 <= self.report_trials <= 1_000_000:
            raise ConfigError("must be a number from 0 to 1000000", key="--report-trials", value=self.report_trials)
        if not FIRST_FRESH_SEED <= self.report_seed < 1 << 31:
            reason = f"a report is played on fresh seeds: {FIRST_FRESH_SEED} and up"
            raise ConfigError(reason, key="--report-seed", value=self.report_seed)
