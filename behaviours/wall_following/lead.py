"""Sense the robot ahead, and follow it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from py_trees.common import Status

from arena_trees.behaviours.base import PerceptBehaviour
from arena_trees.behaviours.wall_following.follow import WallDriver
from arena_trees.behaviours.wall_following.parameters import RobotFollowerParameters
from arena_trees.behaviours.wall_following.sense import FitWall, SenseRays
from arena_trees.control.following import follow_directly, following_speed
from arena_trees.control.hull_finder import Hull, find_hulls, unhidden
from arena_trees.control.leader_tracker import LeaderTracker
from arena_trees.control.odometry_buffer import OdometryBuffer
from arena_trees.control.wall_curve import drive_along
from arena_trees.games.wall_following.blackboard import LEADER, RAYS, WALL, LeaderSighting, NearWall
from arena_trees.robot import keys
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.scan import Scan
from arena_trees.world.body import Body

__all__ = [
    "FitWallPastLeader",
    "FollowLeader",
    "FollowLeaderDirectly",
    "LeaderSeen",
    "SenseLeader",
    "SenseLeaderRay",
    "SenseRaysPastLeader",
]

_FRESH_S = 0.35
"""Age of a scan by which a robot is still taken to be seen."""
_HULL = 1.5
"""Radii about the centre of another robot within which returns are its own."""
_NOISE = 0.125
"""Deviation of a hull's centre that is near, in radii."""
_RAY = math.radians(4.0)
"""Width of a ray of the source system."""


class SenseLeader(PerceptBehaviour):
    """Track the robot ahead among the hulls that are seen, and write where it is now. SUCCESS always.

    Blackboard Variables:
        * scan (Scan), robot_scan (Scan), odometry (Odometry) [r]
        * leader (LeaderSighting) [w]: None while no robot is believed to be seen

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters
    """

    def __init__(self, name: str, robot: str, live: Live[RobotFollowerParameters]) -> None:
        super().__init__(name, robot, (keys.SCAN, "robot_scan", keys.ODOMETRY), (LEADER,))
        self._live = live
        self._odometry = OdometryBuffer()
        self._tracker = LeaderTracker()
        self._sequence = 0
        self.outputs.leader = None

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._odometry = OdometryBuffer()
        self._tracker = LeaderTracker()
        self._sequence = 0
        self.outputs.leader = None

    def update(self) -> Status:
        """Update the tracker by a new scan and write the leader predicted for now; SUCCESS always."""
        self._odometry.add(self.percepts.odometry)
        p = self._live.value
        scan: Scan | None = self.percepts.scan if p.sight == "scan" else self.percepts.robot_scan
        here = self._odometry.at(self.now)
        if scan is None or here is None:
            self.outputs.leader = None
            return Status.SUCCESS
        if scan.sequence != self._sequence:
            self._sequence = scan.sequence
            then = self._odometry.at(scan.stamp) or here
            hulls = self._hulls(scan, p)
            # A hull lies somewhere between the rays next to those that met it.
            noises = [_NOISE * p.hull_radius + math.tau / scan.beams * hull.gap / math.sqrt(12.0) for hull in hulls]
            self._tracker.observe(scan.stamp, then, hulls, noises, p.tracker)
        self.outputs.leader = self._sighting(here, p)
        return Status.SUCCESS

    def _hulls(self, scan: Scan, p: RobotFollowerParameters) -> list[Hull]:
        if p.sight == "scan":
            return find_hulls(scan, p.hull_radius, 1.5 * p.follow_distance, p.hull_noise)
        walls: Scan | None = self.percepts.scan
        if walls is None or not scan.distance.size:
            return []
        # A lost ray of the wall must not open it: its neighbours stand for it.
        seen = unhidden(scan, walls, 3.0 * _RAY, 0.0)
        if not seen.any():
            return []
        index = int(np.argmin(np.where(seen, scan.distance, math.inf)))
        bearing, gap = float(scan.bearing[index]), float(scan.distance[index])
        near = seen & (np.hypot(scan.x - scan.x[index], scan.y - scan.y[index]) < 2.0 * p.hull_radius)
        middle = math.atan2(float(scan.y[near].sum()), float(scan.x[near].sum())) if near.sum() > 1 else bearing
        away = gap + p.hull_radius
        return [Hull(away * math.cos(middle), away * math.sin(middle), gap)]

    def _sighting(self, here: Pose2D, p: RobotFollowerParameters) -> LeaderSighting | None:
        leader = self._tracker.leader(self.now, p.tracker)
        if leader is None:
            return None
        x, y = leader.at(self.now)
        place = here.relative(Pose2D(x, y))
        away = math.hypot(place.x, place.y)
        gap = away - p.hull_radius
        return LeaderSighting(
            place.x,
            place.y,
            gap,
            math.atan2(place.y, place.x),
            leader.speed,
            leader.stamp,
            gap <= p.follow_distance,
        )


class SenseLeaderRay(PerceptBehaviour):
    """Write the nearest ray of the second LiDAR that the wall does not hide, as the report does. SUCCESS always.

    Each ray is compared with that of the first LiDAR in its direction alone.

    Blackboard Variables:
        * scan (Scan), robot_scan (Scan) [r]
        * leader (LeaderSighting) [w]: None while no ray meets a robot

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters
    """

    def __init__(self, name: str, robot: str, live: Live[RobotFollowerParameters]) -> None:
        super().__init__(name, robot, (keys.SCAN, "robot_scan"), (LEADER,))
        self._live = live
        self.outputs.leader = None

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self.outputs.leader = None

    def update(self) -> Status:
        """Compare the newest scans of both LiDARs and write the nearest unhidden return; SUCCESS always."""
        robots: Scan | None = self.percepts.robot_scan
        walls: Scan | None = self.percepts.scan
        self.outputs.leader = None
        if robots is None or walls is None or not robots.distance.size or not self.fresh(robots, _FRESH_S):
            return Status.SUCCESS
        distance = np.where(unhidden(robots, walls, _RAY, 0.0), robots.distance, math.inf)
        index = int(np.argmin(distance))
        gap = float(distance[index])
        if math.isfinite(gap):
            p = self._live.value
            bearing = float(robots.bearing[index])
            away = gap + p.hull_radius
            x, y = away * math.cos(bearing), away * math.sin(bearing)
            self.outputs.leader = LeaderSighting(x, y, gap, bearing, 0.0, robots.stamp, gap < p.follow_distance)
        return Status.SUCCESS


class SenseRaysPastLeader(SenseRays):
    """The same as SenseRays, without the returns of the robot ahead. SUCCESS always.

    Blackboard Variables:
        * scan (Scan), leader (LeaderSighting) [r]
        * rays (WallRays), nearest_ray (NearestRay) [w]
    """

    def __init__(self, name: str, robot: str, live: Live[RobotFollowerParameters]) -> None:
        super().__init__(name, robot, live, (LEADER,))
        self._following = live

    def returns(self, scan: Scan) -> Scan:
        """Return the scan without the leader."""
        return _without(scan, self.percepts.leader, self._following.value.hull_radius)


class FitWallPastLeader(FitWall):
    """The same as FitWall, without the returns of the robot ahead. SUCCESS always.

    Blackboard Variables:
        * scan (Scan), odometry (Odometry), rays (WallRays), leader (LeaderSighting) [r]
        * wall (NearWall) [w]
    """

    def __init__(self, name: str, robot: str, live: Live[RobotFollowerParameters]) -> None:
        super().__init__(name, robot, live, (LEADER,))
        self._following = live

    def returns(self, scan: Scan) -> Scan:
        """Return the scan without the leader."""
        return _without(scan, self.percepts.leader, self._following.value.hull_radius)


class LeaderSeen(PerceptBehaviour):
    """SUCCESS while another robot is seen, near enough to be followed.

    Blackboard Variables:
        * leader (LeaderSighting), rays (WallRays) [r]: nobody follows before scans can be trusted
    """

    def __init__(self, name: str, robot: str) -> None:
        super().__init__(name, robot, (LEADER, RAYS))

    def update(self) -> Status:
        """Return SUCCESS if there is a leader to follow and there are rays, FAILURE otherwise."""
        leader: LeaderSighting | None = self.percepts.leader
        seen = leader is not None and leader.followed and self.percepts.rays is not None
        return Status.SUCCESS if seen else Status.FAILURE


class FollowLeaderDirectly(WallDriver):
    """Drive straight at the robot ahead, slower the nearer it is, as the report does. RUNNING while it is seen.

    Blackboard Variables:
        * leader (LeaderSighting) [r]
        * command [w]
    """

    def __init__(self, name: str, robot: str, live: Live[RobotFollowerParameters], body: Body) -> None:
        super().__init__(name, robot, live, body, (LEADER,))
        self._following = live

    def update(self) -> Status:
        """Drive towards the leader; FAILURE while it is not seen."""
        leader: LeaderSighting | None = self.percepts.leader
        if leader is None:
            return Status.FAILURE
        p = self._following.value
        return self.go(follow_directly(leader.gap, leader.bearing, p.speed, p.turn_rate, p.stand, p.bearing_gain))


class FollowLeader(WallDriver):
    """Keep a gap behind the robot ahead, along the way beside the wall. FAILURE where there is no wall.

    It drives at the leader's speed, and faster or slower as the gap is wrong; backwards where the leader comes near. A
    leader that is next to or behind it changes nothing.

    Blackboard Variables:
        * leader (LeaderSighting), wall (NearWall) [r]
        * command [w]
    """

    def __init__(self, name: str, robot: str, live: Live[RobotFollowerParameters], body: Body) -> None:
        super().__init__(name, robot, live, body, (LEADER, WALL))
        self._following = live

    def update(self) -> Status:
        """Drive along the wall at the speed that keeps the gap; FAILURE without a leader or a wall."""
        leader: LeaderSighting | None = self.percepts.leader
        wall: NearWall | None = self.percepts.wall
        if leader is None or wall is None or wall.course is None:
            return Status.FAILURE
        p = self._following.value
        speed = p.speed
        if abs(leader.bearing) < math.pi / 2.0:
            speed = following_speed(leader.gap, p.follow_gap, leader.speed, p.gap_gain, p.speed, p.reverse_speed)
        if speed <= 0.0:
            self.drive(speed, 0.0)
            return Status.RUNNING
        return self.go(drive_along(wall.course, p.reach, speed, p.turn_rate, p.turn_gate))


def _without(scan: Scan, leader: LeaderSighting | None, radius: float) -> Scan:
    """Return a scan without the returns of the robot ahead, whose hull has a radius (m), where one is known."""
    if leader is None:
        return scan
    wall = np.hypot(scan.x - leader.x, scan.y - leader.y) > _HULL * radius
    return replace(scan, x=scan.x[wall], y=scan.y[wall], bearing=scan.bearing[wall], distance=scan.distance[wall])
