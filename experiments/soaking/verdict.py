"""Verdicts of a soak: what has grown between its first tenth and its last one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING

from arena_trees.experiments.comparison import LEVEL

if TYPE_CHECKING:
    from arena_trees.experiments.soaking.soak import Tenth

__all__ = ["FELL", "FLAT", "GREW", "MEASURES", "TOLERANCE_PCT", "UNCLEAR", "Verdict", "judge", "judge_measure"]

FLAT, GREW, FELL, UNCLEAR = "flat", "grew", "fell", "unclear"
TOLERANCE_PCT = 5.0
"""Change from the first tenth to the last that counts as none, %."""

_HELD = ("memory_mb", "descriptors", "threads", "children", "board_keys", "board_metadata", "board_clients", "objects")
_MEMORY, _TIME = "memory_mb", "calibrated_p99"
MEASURES: Mapping[str, Callable[[Tenth], float]] = MappingProxyType(
    {**{name: attrgetter(f"vitals.{name}") for name in _HELD}, _TIME: attrgetter(_TIME)}
)
"""What is judged, by its name in the JSON file."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a measure has grown.

    Attributes:
        measure: its name (:data:`MEASURES`)
        since: number of the tenth that it is judged from
        first: its value in that tenth
        last: its value in the last tenth
        change_pct: from the first to the last, %; None where the first is zero and the last is not
        verdict: flat, grew, fell, or unclear where time rose from the first to the last but not tenth upon tenth
    """

    measure: str
    since: int
    first: float
    last: float
    change_pct: float | None
    verdict: str


def judge(tenths: Sequence[Tenth]) -> list[Verdict]:
    """Return the verdict on each measure.

    Args:
        tenths: of a soak, in their order; there are no verdicts of fewer than two
    """
    if len(tenths) < 2:
        return []
    return [judge_measure(name, [read(tenth) for tenth in tenths], name == _TIME) for name, read in MEASURES.items()]


def judge_measure(measure: str, values: Sequence[float], scatters: bool = False) -> Verdict:
    """Return the verdict on one measure.

    The last tenth is compared with the first one, and of memory with the second one: an allocator keeps what the
    greatest worlds took, and that grows until such worlds have been.

    Times scatter by what else the machine does. They have grown where they also rise tenth upon tenth: by Kendall's
    test of a trend, at the level of all our tests.

    Args:
        measure: its name
        values: of it, tenth by tenth; at least two
        scatters: whether it is a time, or what else other programs change
    """
    since = 2 if measure == _MEMORY and len(values) > 2 else 1
    values = values[since - 1 :]
    first, last = values[0], values[-1]
    change = 0.0 if first == last else 100.0 * (last - first) / first if first else math.inf
    if abs(change) <= TOLERANCE_PCT:
        verdict = FLAT
    elif change < 0.0:
        verdict = FELL
    else:
        verdict = GREW if not scatters or _rises(values) else UNCLEAR
    return Verdict(measure, since, first, last, change if math.isfinite(change) else None, verdict)


def _rises(values: Sequence[float]) -> bool:
    from scipy.stats import kendalltau

    return bool(kendalltau(range(len(values)), values, alternative="greater").pvalue <= LEVEL)
