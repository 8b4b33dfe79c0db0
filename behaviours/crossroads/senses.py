"""What a robot that crosses knows in every tick: its place on its route, and what is ahead of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from py_trees.common import Status

from arena_trees.behaviours.base import PerceptBehaviour
from arena_trees.behaviours.crossroads.following import is_inside, progress_at
from arena_trees.behaviours.crossroads.parameters import CrosserParameters
from arena_trees.behaviours.crossroads.routes import RouteChooser
from arena_trees.control.map_pose_tracker import MapPoseTracker
from arena_trees.games.crossroads import blackboard
from arena_trees.games.crossroads.blackboard import Route, RouteProgress
from arena_trees.games.crossroads.layout.plan import plan_of
from arena_trees.games.crossroads.layout.round import rounds_of
from arena_trees.games.crossroads.scheduling.states import obeyed_state
from arena_trees.perception.traffic import nearest_on_way, unaccounted
from arena_trees.robot import keys
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.geometry import Pose2D, wrap
from arena_trees.robot.scan import Scan

__all__ = ["FindPlace", "WatchBox", "WatchTraffic"]

_FACING = 1.0
"""A robot that is turned farther off than this (rad) does not stand in a lane, but across it."""

_CALM_S = 0.1
"""The localiser filters; what it tells is believed in this time."""

_STEP = 0.05
"""Between two places of the path at which traffic is looked for, m."""

_OWN = 0.05
"""Nothing nearer than this before the robot's front is looked for: the LiDAR sees no nearer, m."""


_HULL = 0.25
"""Points so near to where a holder may be are of its hull: radius, and its error of place, m."""

_GONE_ON = (0.0, 0.1, 0.2, 0.3, 0.4)
"""By how much farther a holder may be than it is known to be, m: messages take their time."""

_FEW = 3
"""So many points are nobody."""

_EDGE = 0.1
"""By how much the square that is looked at is smaller than the lanes': walls begin at its corners, m."""


class FindPlace(PerceptBehaviour):
    """Find the place on the map, the lane and the progress on the route. Returns SUCCESS always.

    A robot that is on no path, because it begins or was carried elsewhere, begins a route in the lane in which it
    stands. Inside the crossing it keeps its route. Belongs into the sensing branch, first.

    Blackboard Variables:
        * pose (PoseEstimate) [r], odometry (Odometry) [r], scan (Scan) [r]
        * next_route (Route) [r]: driven from now on
        * entered (CrossingEntry) [r], left (int) [r]: whether the robot is inside
        * route (Route) [w]
        * progress (RouteProgress) [w]
        * scan_pose (Pose2D) [w]

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters
        chooser: draws the turn
    """

    def __init__(self, name: str, robot: str, live: Live[CrosserParameters], chooser: RouteChooser) -> None:
        super().__init__(
            name,
            robot,
            (keys.POSE, keys.ODOMETRY, keys.SCAN, blackboard.NEXT_ROUTE, blackboard.ENTERED, blackboard.LEFT),
            (blackboard.ROUTE, blackboard.PROGRESS, blackboard.SCAN_POSE),
        )
        self.live = live
        self._chooser = chooser
        self._plan = plan_of(live.value.plan)
        self._rounds = rounds_of(live.value.plan)
        self._reset()

    def _reset(self) -> None:
        self._carried = MapPoseTracker(calm_s=_CALM_S)
        self._route: Route | None = None
        self._scan: Scan | None = None
        self._laps = 0
        self.feedback_message = "on no lane"
        self._along = 0.0
        self.outputs.route = self.outputs.progress = self.outputs.scan_pose = None

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._chooser.reset()
        self._reset()

    def update(self) -> Status:
        """Write progress and route for the predicted pose, or find a lane where it is on none; SUCCESS always."""
        odometry, scan, before = self.percepts.odometry, self.percepts.scan, self._route
        self._carried.update(self.now, self.percepts.pose, odometry)
        pose = self._carried.pose()
        speed = 0.0 if odometry is None else odometry.twist.linear
        following: Route | None = self.percepts.next_route
        if following is not None and following.lap > self._laps:
            self._take(following)
        progress = self._progress(pose, speed)
        if (
            pose is not None
            and not (progress is not None and progress.on_path)
            and not is_inside(self._route, self.percepts.entered, self.percepts.left)
        ):
            self._take(self._find_lane(pose))
            progress = self._progress(pose, speed)
        self.outputs.progress = progress
        if self._route is not before:
            self.outputs.route = self._route
            self.feedback_message = "on no lane" if self._route is None else str(self._route)
        if scan is not self._scan or self._route is not before:
            self._scan = scan
            self.outputs.scan_pose = None if scan is None else self._carried.at(scan.stamp)
        return Status.SUCCESS

    def _take(self, route: Route | None) -> None:
        self._route = route
        if route is not None:
            self._laps, self._along = route.lap, route.start

    def _progress(self, pose: Pose2D | None, speed: float) -> RouteProgress | None:
        if self._route is None:
            return None
        path = self._rounds[self._route.key]
        progress = progress_at(path, self._along, pose, speed, self.live.value)
        self._along = progress.along
        return progress

    def _find_lane(self, pose: Pose2D) -> Route | None:
        """Return a route that begins in the lane in which the robot stands, or None."""
        p = self._plan.parameters
        # On a link, what lies farther back is the box of the crossing before.
        farthest = p.hold_distance + p.line_distance + p.robot_radius - 2.0 * p.size
        for lane in self._plan.lanes:
            path = self._rounds[self._plan.from_lane(lane).key]
            progress = path.project(path.begin, pose.x, pose.y)
            place = path.pose(progress).relative(pose)
            outside = progress <= p.stop_gap and (progress >= farthest or not p.is_link(lane))
            if outside and abs(place.y) <= self.live.value.off_way and abs(wrap(place.yaw)) < _FACING:
                return self._chooser.begin(self._laps + 1, lane, pose, self.now)
        return None


class WatchTraffic(PerceptBehaviour):
    """Look for what is on the path. Returns SUCCESS always.

    Blackboard Variables:
        * scan (Scan) [r], scan_pose (Pose2D) [r]
        * route (Route) [r], progress (RouteProgress) [r]
        * lead_progress (float) [w]: place of the nearest thing on the path, m; None without
    """

    def __init__(self, name: str, robot: str, live: Live[CrosserParameters]) -> None:
        super().__init__(
            name,
            robot,
            (keys.SCAN, blackboard.SCAN_POSE, blackboard.ROUTE, blackboard.PROGRESS),
            (blackboard.LEAD_PROGRESS,),
        )
        self.live = live
        self._rounds = rounds_of(live.value.plan)
        self._reset()

    def _reset(self) -> None:
        self._scan: Scan | None = None
        self._lap: int | None = None
        self._publish(None)

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._reset()

    def update(self) -> Status:
        """Search a new scan, or the newest one on a new route, for traffic; SUCCESS always."""
        route: Route | None = self.percepts.route
        lap = None if route is None else route.lap
        if lap != self._lap:
            self._reset()
            self._lap = lap
        scan: Scan | None = self.percepts.scan
        if route is not None and scan is not None and scan is not self._scan:
            self._scan = scan
            base: Pose2D | None = self.percepts.scan_pose
            if base is not None:
                self._publish(self._nearest(route, scan, base))
        return Status.SUCCESS

    def _publish(self, lead: float | None) -> None:
        self.outputs.lead_progress = lead
        self.feedback_message = "free" if lead is None else "somebody ahead"

    def _nearest(self, route: Route, scan: Scan, base: Pose2D) -> float | None:
        p = self.live.value
        path = self._rounds[route.key]
        first = self.percepts.progress.along + p.plan.robot_radius + _OWN
        count = max(2, round(p.traffic_reach / _STEP))
        stops = [first + _STEP * index for index in range(count)]
        return nearest_on_way(scan, base, [path.pose(stop) for stop in stops], stops, p.traffic_width)


class WatchBox(PerceptBehaviour):
    """Look whether somebody is in the box of whom the scheduler does not know. Returns SUCCESS always.

    Blackboard Variables:
        * inbox (Inbox) [r]: ``crossing``, for who holds a lease, and how far they are
        * scan (Scan) [r], scan_pose (Pose2D) [r]
        * route (Route) [r]: before which box it is
        * stranger (bool) [w]
    """

    def __init__(self, name: str, robot: str, live: Live[CrosserParameters]) -> None:
        super().__init__(
            name, robot, (keys.INBOX, keys.SCAN, blackboard.SCAN_POSE, blackboard.ROUTE), (blackboard.STRANGER,)
        )
        self._plan = plan_of(live.value.plan)
        self._half = live.value.plan.lane_width - _EDGE
        self._reset()

    def _reset(self) -> None:
        self._scan: Scan | None = None
        self.outputs.stranger = False

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._reset()

    def update(self) -> Status:
        """Look through a new scan; SUCCESS always."""
        scan: Scan | None = self.percepts.scan
        base: Pose2D | None = self.percepts.scan_pose
        if scan is None or base is None or scan is self._scan:
            return Status.SUCCESS
        self._scan = scan
        route: Route | None = self.percepts.route
        centre = self._plan.parameters.centre(0 if route is None else route.crossing)
        here = Pose2D(base.x - centre, base.y, base.yaw)
        stranger = unaccounted(scan, here, self._half, self._holders(centre), _HULL) > _FEW
        self.outputs.stranger = stranger
        self.feedback_message = "somebody without a lease" if stranger else ""
        return Status.SUCCESS

    def _holders(self, centre: float) -> NDArray[np.float64]:
        """Return where those may be that hold a lease, m from a centre at x (m, map frame), shape (n, 2)."""
        received = obeyed_state(self.percepts.inbox)
        places = [
            self._plan.movements[holder.key].path.pose(holder.progress + further)
            for holder in (() if received is None else received.message.holders)
            if holder.key in self._plan.movements
            for further in _GONE_ON
        ]
        return np.array([(place.x - centre, place.y) for place in places]).reshape(-1, 2)
