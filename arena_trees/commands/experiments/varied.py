"""What `sweep` and `tune` share: a scenario that is played as it is but for the values of some keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena_trees.commands.run_request import RunRequest, list_arms
from arena_trees.robot.errors import ConfigError

if TYPE_CHECKING:
    from arena_trees.experiments.plan import TrialPlan

__all__ = ["Varied"]

_FIXED = {
    "trials": "--trials says how many",
    "seed": "the points meet the same worlds; --seed says from which on",
    "game": "all points are of one game",
    "variants": "variants are not played here",
    "description": "changes nothing",
}
"""Keys of a scenario that no point may change, and why."""


@dataclass(frozen=True, slots=True)
class Varied:
    """A scenario whose points differ in some keys; a :data:`~arena_trees.experiments.sweeps.sweep.MakePlan`.

    Attributes:
        arm: what is played where no key is changed
        source: option that gives the keys, for errors
    """

    arm: RunRequest
    source: str

    @classmethod
    def of(cls, order: RunRequest, trees: list[str], keys: Iterable[str], source: str) -> Varied:
        """Return the scenario of an order.

        Args:
            order: with all changes that the points share
            trees: ``ROLE=FILE`` of trees that are played
            keys: that points change
            source: option that gives them

        Raises:
            ConfigError: a key is one that no point may change, or a tree cannot be used
        """
        for key in keys:
            if key in _FIXED:
                raise ConfigError(f"cannot be varied: {_FIXED[key]}", file=source, key=key)
        arms = list_arms(order, order.settings.get("strategy"), None, trees)
        return cls(next(iter(arms.values())), source)

    def __call__(self, values: Mapping[str, Any]) -> TrialPlan:
        """Return the plan of a point.

        Raises:
            ConfigError: a value is refused
        """
        return self.arm.changed(values, self.source).plan()

    @property
    def files(self) -> dict[str, Path]:
        """The file of each tree that is not its role's own, by robot."""
        return {name: file.path for name, file in self.arm.trees.items()}

    def base(self) -> TrialPlan:
        """Return the plan where no key is changed, which must be playable on this machine.

        Raises:
            ConfigError: something cannot be used
        """
        from arena_trees.experiments.plan import check_cameras

        plan = self.arm.plan()
        check_cameras(plan)
        return plan

    def settings(self, order: RunRequest) -> dict[str, Any]:
        """Return what all points share, as plans of folders hold it."""
        settings = {key: value for key, value in order.settings.items() if key not in ("trials", "seed")}
        if self.files:
            settings["trees"] = {name: str(path) for name, path in self.files.items()}
        return settings
