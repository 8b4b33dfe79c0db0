"""What a simulated sensor is made of, in a place where there is nothing."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from arena_trees.robot.geometry import Pose2D
from arena_trees.simulation.sensors.simulated_sensor import Surroundings
from arena_trees.world.body import TURTLEBOT4, Body

__all__ = ["nowhere"]


def nowhere(rng: np.random.Generator, start: Pose2D | None = None, body: Body = TURTLEBOT4) -> Surroundings:
    """Return the surroundings of a sensor that casts no rays."""
    return Surroundings("robot", body, Pose2D() if start is None else start, rng, cast("Any", None))
