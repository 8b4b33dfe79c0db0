"""The layers of the subsumption arm as leaves: each drives, or fails and leaves it to the next."""

from __future__ import annotations

from collections.abc import Callable

from py_trees.common import Status

from arena_trees.behaviours.wall_following.follow import WallDriver
from arena_trees.behaviours.wall_following.parameters import WallFollowerParameters
from arena_trees.control.wall_rays import WallRays
from arena_trees.control.wall_rules import RuleSettings
from arena_trees.games.wall_following.blackboard import RAYS
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.geometry import Twist2D
from arena_trees.world.body import Body

__all__ = ["Layer"]


class Layer(WallDriver):
    """Drive as one layer wants it. FAILURE where it wants nothing, and before there are rays.

    Blackboard Variables:
        * rays (WallRays) [r]
        * command [w]

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters
        body: of the robot
        law: the layer's law, for a wall on the right; None where it leaves the robot to the next layer
    """

    def __init__(
        self,
        name: str,
        robot: str,
        live: Live[WallFollowerParameters],
        body: Body,
        law: Callable[[WallRays, RuleSettings], Twist2D | None],
    ) -> None:
        super().__init__(name, robot, live, body, (RAYS,))
        self._law = law

    def update(self) -> Status:
        """Drive as the layer's law specifies; FAILURE where it specifies nothing, or without rays."""
        rays: WallRays | None = self.percepts.rays
        twist = None if rays is None else self._law(rays, self._live.value.rules)
        return Status.FAILURE if twist is None else self.go(self.mirrored(twist))
