"""Home of the chaser: where it begins to scan, and goes after a hit."""

from __future__ import annotations

from arena_trees.robot.geometry import Pose2D

__all__ = ["HOME"]

HOME = Pose2D(0.0, 0.0, 0.0)
"""The middle of the room, facing along the x axis, map frame (the Pursuit and Engagement report, section II.E)."""
