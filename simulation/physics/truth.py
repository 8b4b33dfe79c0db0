"""What is true of a simulated robot."""

from __future__ import annotations

from dataclasses import dataclass

from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D
from arena_trees.robot.quick_init import quick_init
from arena_trees.robot.turret import STEADY, TurretRates

__all__ = ["RobotTruth"]


@quick_init
@dataclass(frozen=True, slots=True)
class RobotTruth:
    """What is true of a robot after a tick.

    Attributes:
        pose: of base_link, map frame
        twist: velocity, base_link
        pressed: bumper zones that were pressed in the tick
        turret: where its turret points, yaw and pitch (rad, base_link); None where it has none
        turret_rates: how it turns
        fired: whether it has fired its weapon since the tick
    """

    pose: Pose2D
    twist: Twist2D = ZERO
    pressed: frozenset[str] = frozenset()
    turret: tuple[float, float] | None = None
    turret_rates: TurretRates = STEADY
    fired: bool = False
