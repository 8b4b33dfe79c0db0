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
"""What their silence must mean together, see :func:`_evidence`: by chance it is as rare as once in a million scans."""

_NEWEST = 0.2
"""Weight of the newest scan in the mean of the returns."""

_NOTICED = 0.5
"""Returns a scan from which a sector beside a blind one is missed as well."""

_SURELY = 4.0
"""The same of one sector that is hardly ever silent by chance; a wall that returns all has 9 returns a sector."""

_RAREST = 1e-9
"""Share of scans; none is taken to be silent more rarely."""

_NEVER = -1


@dataclass(frozen=True, slots=True, eq=False)
class LostReturns:
    """How many returns each sector has, and which sectors have lost theirs.

    Sectors keep their direction in the odom frame while the robot turns.

    Attributes:
        yaw: of the robot at the newest scan, odom frame, rad
        mean: returns a scan of late, of each sector, shape (72,); those of one that is blind, and was hardly ever
            silent before, as they were then
        silence: share of the scans of late without a return, of each sector, shape (72,); likewise
        missed: scans in a row without a return, of each sector, shape (72,)
        blind_since: ns; -1 where a sector is not blind, shape (72,)
        blind: whether a sector is
    """

    yaw: float
    mean: NDArray[np.float64]
    silence: NDArray[np.float64]
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
        never = np.full(_SECTORS, _NEVER, np.int64)
        return LostReturns(base.yaw, number, 1.0 * (number == 0.0), np.zeros(_SECTORS, np.int64), never, False)
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
    evidence = _evidence(mean, before.silence)
    if silent.any():
        since = _fallen_silent(missed, mean, evidence, since, scan.arrival)
    blind = since != _NEVER
    # Of one that is often silent, scans with returns alone would be remembered.
    kept = blind & (evidence >= _SURELY)
    mean = np.where(kept, mean, mean + _NEWEST * (number - mean))
    silence = np.where(kept, before.silence, before.silence + _NEWEST * (silent - before.silence))
    return LostReturns(base.yaw, mean, silence, missed, since, bool(blind.any()))


def _sector(bearing: NDArray[np.float64]) -> NDArray[np.int64]:
    return (np.floor(bearing / _WIDTH)).astype(np.int64) % _SECTORS


def _evidence(mean: NDArray[np.float64], silence: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how much the silence of each sector means: the negative logarithm of its chance, of two the greater.

    By its returns, if each beam is lost by itself (Poisson), and by how often it was silent of late, if they are not.
    """
    return np.minimum(mean, -np.log(np.maximum(silence, _RAREST)))


def _fallen_silent(
    missed: NDArray[np.int64],
    mean: NDArray[np.float64],
    evidence: NDArray[np.float64],
    since: NDArray[np.int64],
    now: int,
) -> NDArray[np.int64]:
    """Return since when (ns) each sector is blind, of each run of silent ones that fell silent together or grew.

    One that had few returns and falls silent beside a blind one counts as blind for as long as that one: sectors that
    are silent now and then, as before dark walls, would hold each other blind for ever.
    """
    known = since != _NEVER
    silent = ((missed > 0) & (mean >= _NOTICED)) | known
    found = since.copy()
    if silent.all():
        return np.where(known, since, now)
    first = int(np.flatnonzero(~silent)[0])
    # Rolled so that no run goes over the end.
    edges = np.flatnonzero(np.diff(np.concatenate(([False], np.roll(silent, -first), [False])).astype(np.int8)))
    for begin, end in edges.reshape(-1, 2).tolist():
        run = (np.arange(begin, end) + first) % _SECTORS
        together = run[missed[run] <= _TOGETHER]
        new = run[~known[run]]
        if len(together) >= _FEWEST and evidence[together].sum() >= _EXPECTED:
            found[new] = now
        elif known[run].any():
            found[new] = np.where(evidence[new] >= _SURELY, now, since[run].max())
    return found
