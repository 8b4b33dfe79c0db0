"""Where a robot took itself to be at its ticks, as its own ticks keep it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

from arena_trees.recording.traces.encoder import PERIOD
from arena_trees.recording.traces.tick import Tick
from arena_trees.robot.percepts import PoseEstimate

__all__ = ["with_poses"]

_GAP = 5 * PERIOD
"""After so long (ns) without a tick, poses that were recorded otherwise count."""


def with_poses(recorded: Sequence[tuple[int, PoseEstimate]], ticks: Sequence[Tick]) -> list[tuple[int, PoseEstimate]]:
    """Return when a tree first had each of its poses (ns), and the pose.

    What a recorder makes of the transforms that reached it is what the tree made of those that reached the tree, but
    for some centimetres: the one had a newer transform than the other. Ticks that keep their poses know it exactly.

    Args:
        recorded: instants and poses, in the order of the instants, by the transforms that reached the recorder; they
            are returned where there is no tick that keeps a pose
        ticks: of the tree, in their order
    """
    kept = [tick for tick in ticks if tick.pose is not None]
    if not kept:
        return list(recorded)
    news = [(kept[0].now, kept[0].pose)]
    news += [(after.now, after.pose) for before, after in pairwise(kept) if after.pose != before.pose]
    instants = [tick.now for tick in kept]
    poses = [(instant, pose) for instant, pose in news if pose is not None]
    for instant, pose in recorded:
        place = bisect_right(instants, instant)
        if place == 0 or instant - instants[place - 1] > _GAP:
            poses.append((instant, pose))
    return sorted(poses, key=lambda item: item[0])
