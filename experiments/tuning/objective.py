"""Objectives: which metric a study optimises, and what a trial without a value of it counts as."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena_trees.experiments.sweeps.records import Record
from arena_trees.games.metrics import Metric

__all__ = ["Objective", "with_missing"]


@dataclass(frozen=True, slots=True)
class Objective:
    """What a study optimises.

    Attributes:
        metric: that is made large or small
        maximise: make it large
        missing: what a trial without a value of it counts as; None where such a point fails
    """

    metric: Metric
    maximise: bool
    missing: float | None = None

    @property
    def sign(self) -> float:
        """Sign: 1 where less is better, -1 where more is."""
        return -1.0 if self.maximise else 1.0


def with_missing(records: Sequence[Record], objectives: Sequence[Objective]) -> list[Record]:
    """Return records in which trials without a value of an objective have the one that they count as."""
    filled = {one.metric.value: one.missing for one in objectives if one.missing is not None}
    return [{**record, **{key: one for key, one in filled.items() if record.get(key) is None}} for record in records]
