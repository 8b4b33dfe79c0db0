"""Lost returns: directions in which a LiDAR saw something and, from one scan to the next, sees nothing at all."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena_trees.robot.clock import from_seconds
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.scan import Scan

__all__ = ["LostReturns", "look"]

_SECTORS = 72
"""Sectors of 5 degrees."""

_WIDTH = math.tau / _SECTORS

_FEWEST = 4
"""Neighbouring sectors (20 degrees) that must fall silent together: what drives out of sight leaves one by one."""

_TOGETHER = 2
"""Scans within which that is together; single sectors are silent now and then."""

_EXPECTED = 14.0
"""Returns that must be missing in them; by chance (Poisson) as many stay away once in a million scans."""

_NEWEST = 0.2
"""Weight of the newest scan in the mean of the returns."""

_NOTICED = 0.5
"""Returns a scan from which a sector beside a blind one is missed as well."""

_NEVER = -1


@dataclass(frozen=True, slots=True, eq=False)
class LostReturns:
    """How many returns each sector has, and which sectors have lost theirs.

    Sectors keep their direction in the odom frame while the robot turns.

    Attributes:
        yaw: of the robot at the newest scan, odom frame, rad
        mean: returns a scan of late, of each sector, shape (72,); those of a blind one as before it became blind
        missed: scans in a row without a return, of each sector, shape (72,)
        blind_since: ns; -1 where a sector is not blind, shape (72,)
        blind: whether a sector is
    """

    yaw: float
    mean: NDArray[np.float64]
    missed: NDArray[np.int64]
    blind_since: NDArray[np.int64]
    blind: bool

    def contains(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which points (m, base_link at the time of the scan, shape (k,)) lie in no blind sector."""
        return np.asarray(self.blind_since[_sector(np.arctan2(y, x) + self.yaw)] == _NEVER)


def look(before: LostReturns | None, scan: Scan, base: Pose2D, memory: float) -> LostReturns:
    """Return what a new scan with a return shows of the sectors.

    Neighbouring sectors that all had returns become blind when none comes from any of them, as in low sun; so does,
    from then on, what falls silent beside them. They see again with their first return, or after a while: then there
    may well be nothing to be seen.

    Args:
        before: at the scan before
        scan: with at least one return
        base: the robot's pose at the scan, odom frame
        memory: how long a sector counts as blind, s
    """
    number = np.bincount(_sector(scan.bearing + base.yaw), minlength=_SECTORS).astype(np.float64)
    if before is None:
        return LostReturns(base.yaw, number, np.zeros(_SECTORS, np.int64), np.full(_SECTORS, _NEVER, np.int64), False)
    silent = number == 0.0
    if not scan.view.all_round:
        middles = (np.arange(_SECTORS) + 0.5) * _WIDTH - base.yaw
        silent &= scan.view.contains(np.cos(middles), np.sin(middles))
    missed = np.where(silent, before.missed + 1, 0)
    since = np.where(silent, before.blind_since, _NEVER)
    mean = before.mean
    age = scan.arrival - since
    # A sector that became blind in the future of a clock that was set back is not blind for ever.
    over = (since != _NEVER) & ((age > from_seconds(memory)) | (age < 0))
    if over.any():
        since = np.where(over, _NEVER, since)
        mean = np.where(over, 0.0, mean)
    if silent.any():
        known = since != _NEVER
        since = np.where(~known & _fallen_silent(missed, mean, known), scan.arrival, since)
    blind = since != _NEVER
    mean = np.where(blind, mean, mean + _NEWEST * (number - mean))
    return LostReturns(base.yaw, mean, missed, since, bool(blind.any()))


def _sector(bearing: NDArray[np.float64]) -> NDArray[np.int64]:
    return (np.floor(bearing / _WIDTH)).astype(np.int64) % _SECTORS


def _fallen_silent(missed: NDArray[np.int64], mean: NDArray[np.float64], blind: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the sectors of each run of silent ones that fell silent together, or that has a blind one in it."""
    silent = ((missed > 0) & (mean >= _NOTICED)) | blind
    found = np.zeros(_SECTORS, np.bool_)
    if silent.all():
        return ~found
    first = int(np.flatnonzero(~silent)[0])
    # Rolled so that no run goes over the end.
    edges = np.flatnonzero(np.diff(np.concatenate(([False], np.roll(silent, -first), [False])).astype(np.int8)))
    for begin, end in edges.reshape(-1, 2).tolist():
        run = (np.arange(begin, end) + first) % _SECTORS
        together = run[missed[run] <= _TOGETHER]
        if blind[run].any() or (len(together) >= _FEWEST and mean[together].sum() >= _EXPECTED):
            found[run] = True
    return found
