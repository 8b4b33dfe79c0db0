"""Follow a wall: ours, and by the rules and the PD law of the Wall Following report."""

from __future__ import annotations

from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour, PerceptBehaviour
from arena_trees.behaviours.wall_following.parameters import WallFollowerParameters
from arena_trees.control.wall_curve import drive_along
from arena_trees.control.wall_pid import WallPid
from arena_trees.control.wall_rays import WallRays
from arena_trees.control.wall_rules import follow_by_rules
from arena_trees.control.wheel_speed import within_wheels
from arena_trees.games.wall_following.blackboard import RAYS, WALL, NearWall
from arena_trees.games.wall_following.messages import LapPhase, LapState
from arena_trees.robot import keys
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.geometry import Twist2D
from arena_trees.world.body import Body

__all__ = ["FollowByPid", "FollowByRules", "FollowCurve", "LapsOver", "WallDriver"]


class LapsOver(PerceptBehaviour):
    """SUCCESS once the rules have reported that the game is over.

    Blackboard Variables:
        * inbox (Inbox) [r]
    """

    def __init__(self, name: str, robot: str) -> None:
        super().__init__(name, robot, (keys.INBOX,))

    def update(self) -> Status:
        """Return SUCCESS if the newest state of the laps has the phase OVER, FAILURE otherwise."""
        state = self.percepts.inbox.newest(LapState)
        over = state is not None and state.message.phase is LapPhase.OVER
        return Status.SUCCESS if over else Status.FAILURE


class WallDriver(ActionBehaviour):
    """Base of leaves that drive beside a wall.

    Blackboard Variables:
        * command [w]

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters
        body: of the robot
        reads: keys that the leaf reads
    """

    def __init__(
        self, name: str, robot: str, live: Live[WallFollowerParameters], body: Body, reads: tuple[str, ...]
    ) -> None:
        super().__init__(name, robot, reads)
        self._live = live
        self._body = body

    def go(self, twist: Twist2D) -> Status:
        """Drive, slower on the same arc where a wheel would be too fast."""
        twist = within_wheels(twist, self._body.max_linear, self._body.wheel_separation / 2.0)
        self.drive(twist.linear, twist.angular)
        return Status.RUNNING

    def mirrored(self, twist: Twist2D) -> Twist2D:
        """Return the twist of a law for a wall on the right as the robot's own side needs it."""
        return Twist2D(twist.linear, -self._live.value.side_sign * twist.angular)


class FollowCurve(WallDriver):
    """Drive along the way at the ideal distance from the fitted wall. FAILURE where there is no wall.

    Blackboard Variables:
        * wall (NearWall) [r]
        * command [w]
    """

    def __init__(self, name: str, robot: str, live: Live[WallFollowerParameters], body: Body) -> None:
        super().__init__(name, robot, live, body, (WALL,))

    def update(self) -> Status:
        """Drive along the course of the fitted wall; FAILURE without one."""
        wall: NearWall | None = self.percepts.wall
        if wall is None or wall.course is None:
            return Status.FAILURE
        p = self._live.value
        return self.go(drive_along(wall.course, p.reach, p.speed, p.turn_rate, p.turn_gate))


class FollowByRules(WallDriver):
    """Drive by the report's rules. FAILURE before there are rays.

    Blackboard Variables:
        * rays (WallRays) [r]
        * command [w]
    """

    def __init__(self, name: str, robot: str, live: Live[WallFollowerParameters], body: Body) -> None:
        super().__init__(name, robot, live, body, (RAYS,))

    def update(self) -> Status:
        """Drive as the rules specify for the newest rays; FAILURE without rays."""
        rays: WallRays | None = self.percepts.rays
        if rays is None:
            return Status.FAILURE
        twist, self.feedback_message = follow_by_rules(rays, self._live.value.rules)
        return self.go(self.mirrored(twist))


class FollowByPid(WallDriver):
    """Drive by the report's PD or PID law. FAILURE before there are rays.

    Blackboard Variables:
        * rays (WallRays) [r]
        * command [w]
    """

    def __init__(self, name: str, robot: str, live: Live[WallFollowerParameters], body: Body) -> None:
        super().__init__(name, robot, live, body, (RAYS,))
        self._law = WallPid()

    def initialise(self) -> None:
        """Reset the law."""
        self._law.reset()

    def update(self) -> Status:
        """Drive as the PD or PID law specifies for the newest rays; FAILURE without rays."""
        rays: WallRays | None = self.percepts.rays
        if rays is None:
            return Status.FAILURE
        return self.go(self.mirrored(self._law.update(rays, self._live.value.pid)))
