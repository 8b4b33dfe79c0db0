"""What a robot that crosses does in every tick: find its place, watch the traffic, talk to the scheduler."""

from __future__ import annotations

from py_trees.common import Access, Status

from arena_trees.behaviours.base import Mover, Reader
from arena_trees.behaviours.crossroads.following import is_first, progress_at
from arena_trees.behaviours.crossroads.parameters import CrosserParameters
from arena_trees.behaviours.crossroads.routes import RouteChooser
from arena_trees.control.carried_pose import CarriedPose
from arena_trees.games.crossroads.blackboard import (
    ASKED,
    ENTERED,
    LEAD_PROGRESS,
    LEASE,
    LEFT,
    NEXT_ROUTE,
    PROGRESS,
    ROUTE,
    SCAN_POSE,
    Entry,
    LeaseState,
    Route,
    RouteProgress,
)
from arena_trees.games.crossroads.client import CrossingClient
from arena_trees.games.crossroads.hearing import states_in
from arena_trees.games.crossroads.messages import Stage, Urgency
from arena_trees.perception.traffic import nearest_on_way
from arena_trees.robot import keys
from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import Pose2D, wrap
from arena_trees.robot.parameters import Live
from arena_trees.robot.percepts import PoseEstimate
from arena_trees.robot.scan import Scan
from arena_trees.world.crossing.plan import plan_of
from arena_trees.world.crossing.round import rounds_of

__all__ = ["Astray", "FindPlace", "HasLeft", "StageIs", "TalkToScheduler", "WatchTraffic"]

_STANDING = 0.01
"""A robot slower than this stands, m/s."""

_FACING = 1.0
"""A robot that is turned farther off than this (rad) does not stand in a lane, but across it."""

_CALM_S = 0.1
"""The localiser filters; what it tells is believed in this time."""

_STEP = 0.05
"""Between two places of the path at which traffic is looked for, m."""

_OWN = 0.05
"""Nothing nearer than this before the robot's front is looked for: the LiDAR sees no nearer, m."""


class FindPlace(Reader):
    """Find the place on the map, the lane and the progress on the route. Returns SUCCESS always.

    A robot that is on no path, because it begins or was carried elsewhere, begins a route in the lane in which it
    stands. Inside the crossing it keeps its route. Belongs into the sensing branch, first.

    Blackboard Variables:
        * pose (PoseEstimate) [r], odometry (Odometry) [r], scan (Scan) [r]
        * next_route (Route) [r]: driven from now on
        * entered (Entry) [r], left (int) [r]: whether the robot is inside
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
        super().__init__(name, robot, (keys.POSE, keys.ODOMETRY, keys.SCAN, NEXT_ROUTE, ENTERED, LEFT))
        self.live = live
        self._chooser = chooser
        self._plan = plan_of(live.value.plan)
        self._rounds = rounds_of(live.value.plan)
        self.output = self.attach_blackboard_client(name=f"{name} output", namespace=keys.namespace(robot))
        for key in (ROUTE, PROGRESS, SCAN_POSE):
            self.output.register_key(key, Access.WRITE)
        self._forget()

    def _forget(self) -> None:
        self._carried = CarriedPose(calm_s=_CALM_S)
        self._route: Route | None = None
        self._laps = 0
        self._along = 0.0
        self.output.route = self.output.progress = self.output.scan_pose = None

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._chooser.reset()
        self._forget()

    def update(self) -> Status:
        """Carry the place on to now, and look for a lane where the robot is on no path."""
        odometry, scan = self.percepts.odometry, self.percepts.scan
        self._carried.update(self.now, self.percepts.pose, odometry)
        pose = self._carried.pose()
        speed = 0.0 if odometry is None else odometry.twist.linear
        following: Route | None = self.percepts.next_route
        if following is not None and following.lap > self._laps:
            self._take(following)
        progress = self._progress(pose, speed)
        if pose is not None and not (progress is not None and progress.on_path) and not self._inside:
            self._take(self._find_lane(pose))
            progress = self._progress(pose, speed)
        self.output.route = self._route
        self.output.progress = progress
        self.output.scan_pose = None if scan is None else self._carried.at(scan.stamp)
        self.feedback_message = "on no lane" if self._route is None else str(self._route)
        return Status.SUCCESS

    def _take(self, route: Route | None) -> None:
        self._route = route
        if route is not None:
            self._laps, self._along = route.lap, route.start

    def _progress(self, pose: Pose2D | None, speed: float) -> RouteProgress | None:
        if self._route is None:
            return None
        path = self._rounds[self._route.approach, self._route.turn]
        progress = progress_at(path, self._along, pose, speed, self.live.value)
        self._along = progress.along
        return progress

    @property
    def _inside(self) -> bool:
        entered: Entry | None = self.percepts.entered
        lap = None if self._route is None else self._route.lap
        return entered is not None and entered.lap == lap and self.percepts.left != lap

    def _find_lane(self, pose: Pose2D) -> Route | None:
        """Return a route that begins in the lane in which the robot stands, or None."""
        for approach in self._plan.approaches:
            path = self._rounds[self._plan.from_side(approach).key]
            progress = path.project(path.begin, pose.x, pose.y)
            place = path.pose(progress).relative(pose)
            outside = progress <= self._plan.parameters.stop_gap
            if outside and abs(place.y) <= self.live.value.off_way and abs(wrap(place.yaw)) < _FACING:
                return self._chooser.begin(self._laps + 1, approach, pose, self.now)
        return None


class WatchTraffic(Reader):
    """Look for what is on the path. Returns SUCCESS always.

    Blackboard Variables:
        * scan (Scan) [r], scan_pose (Pose2D) [r]
        * route (Route) [r], progress (RouteProgress) [r]
        * lead_progress (float) [w]: place of the nearest thing on the path, m; None without

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters
    """

    def __init__(self, name: str, robot: str, live: Live[CrosserParameters]) -> None:
        super().__init__(name, robot, (keys.SCAN, SCAN_POSE, ROUTE, PROGRESS))
        self.live = live
        self._rounds = rounds_of(live.value.plan)
        self.output = self.attach_blackboard_client(name=f"{name} output", namespace=keys.namespace(robot))
        self.output.register_key(LEAD_PROGRESS, Access.WRITE)
        self._forget()

    def _forget(self) -> None:
        self._scan: Scan | None = None
        self._lap: int | None = None
        self.output.lead_progress = None

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._forget()

    def update(self) -> Status:
        """Look at a new scan, if any, or at the newest one on a new route."""
        route: Route | None = self.percepts.route
        if route is None or route.lap != self._lap:
            self._forget()
            self._lap = None if route is None else route.lap
        scan: Scan | None = self.percepts.scan
        if route is not None and scan is not None and scan is not self._scan:
            self._scan = scan
            base: Pose2D | None = self.percepts.scan_pose
            if base is not None:
                self.output.lead_progress = self._nearest(route, scan, base)
        self.feedback_message = "free" if self.output.lead_progress is None else "somebody ahead"
        return Status.SUCCESS

    def _nearest(self, route: Route, scan: Scan, base: Pose2D) -> float | None:
        p = self.live.value
        path = self._rounds[route.approach, route.turn]
        first = self.percepts.progress.along + p.plan.robot_radius + _OWN
        count = max(2, round(p.traffic_reach / _STEP))
        stops = [first + _STEP * index for index in range(count)]
        return nearest_on_way(scan, base, [path.pose(stop) for stop in stops], stops, p.traffic_width)


class TalkToScheduler(Mover):
    """Hear the scheduler, ask it, keep the lease alive and report. Returns SUCCESS always.

    It alone advances the robot's side of the protocol; what the deciding branch began in the tick before, it takes
    from the blackboard.

    Blackboard Variables:
        * inbox (Inbox) [r]: ``crossing``
        * route (Route) [r], progress (RouteProgress) [r], lead_progress (float) [r]
        * asked (int) [r], entered (Entry) [r], left (int) [r]: what the robot did in the tick before
        * lease (LeaseState) [w]: None while it takes no part
        * outbox [w]: ``crossing_request`` and ``crossing_claim``
        * cues [w]: GRANT, once for each lease

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters
        asks_early: whether it asks as soon as a route begins, and not only at the line
    """

    def __init__(self, name: str, robot: str, live: Live[CrosserParameters], *, asks_early: bool) -> None:
        super().__init__(name, robot, (keys.INBOX, ROUTE, PROGRESS, LEAD_PROGRESS, ASKED, ENTERED, LEFT))
        self.live = live
        self.asks_early = asks_early
        self.outputs.register_key(LEASE, Access.WRITE)
        self._forget()

    def _forget(self) -> None:
        self._client: CrossingClient | None = None
        self._route: Route | None = None
        self._asked: int | None = None
        self._entered: Entry | None = None
        self._left: int | None = None
        self._granted: int | None = None
        self.outputs.lease = None

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._forget()

    def update(self) -> Status:
        """Take what was heard, and say what is due."""
        if self._client is not None:
            self._catch_up(self._client)
        route: Route | None = self.percepts.route
        if route is None:
            self.outputs.lease = None
            self.feedback_message = "takes no part"
            return Status.SUCCESS
        client = self._client_for(route)
        progress, p = self.percepts.progress, self.live.value
        states = [told.message for told in states_in(self.percepts.inbox)]
        first = self._left != route.lap and is_first(progress.along, self.percepts.lead_progress, p)
        said = client.step(
            self.now, states, progress.along - p.place_margin, first, abs(progress.speed) < _STANDING
        )  # fmt: skip
        if said is not None:
            self.send(said)
        lease = self.outputs.lease = client.lease
        if lease.granted_at is not None and lease.granted_at != self._granted:
            self.show("GRANT")
        self._granted = lease.granted_at
        self.feedback_message = lease.stage.value
        return Status.SUCCESS

    def _catch_up(self, client: CrossingClient) -> None:
        """Take what the robot did since the last tick, on the route of that tick."""
        asked, entered, left = self.percepts.asked, self.percepts.entered, self.percepts.left
        if asked is not None and asked != self._asked and self._route is not None:
            self._ask(client, self._route, asked)
        if entered is not None and entered != self._entered:
            client.enter(entered.at, entered.needed)
        if left is not None and left != self._left:
            client.leave()
        self._asked, self._entered, self._left = asked, entered, left

    def _client_for(self, route: Route) -> CrossingClient:
        """Return the client, which asks where a new route has begun."""
        if self._client is None:
            # A life that begins later has a higher number.
            self._client = CrossingClient(self.robot, 1 + route.begun // SECOND, self.live.value.times)
        if self.asks_early and (self._route is None or route.lap != self._route.lap):
            self._ask(self._client, route, route.begun)
        self._route = route
        return self._client

    def _ask(self, client: CrossingClient, route: Route, at: int) -> None:
        client.ask(at, route.approach, route.turn, Urgency[self.live.value.urgency.upper()])


class Astray(Reader):
    """SUCCESS where the robot does not know that it is on its path, so that it stands. FAILURE otherwise.

    Blackboard Variables:
        * pose (PoseEstimate) [r]
        * progress (RouteProgress) [r]

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters
    """

    def __init__(self, name: str, robot: str, live: Live[CrosserParameters]) -> None:
        super().__init__(name, robot, (keys.POSE, PROGRESS))
        self.live = live

    def update(self) -> Status:
        """Look at the pose's age, and at the path."""
        pose: PoseEstimate | None = self.percepts.pose
        progress: RouteProgress | None = self.percepts.progress
        placed = self.fresh(pose, self.live.value.pose_timeout)
        on_path = progress is not None and progress.on_path
        self.feedback_message = "" if placed and on_path else "off its path" if placed else "no pose"
        return Status.FAILURE if placed and on_path else Status.SUCCESS


class StageIs(Reader):
    """SUCCESS while the robot is in a stage of the protocol. FAILURE otherwise.

    Blackboard Variables:
        * lease (LeaseState) [r]
    """

    def __init__(self, name: str, robot: str, stage: Stage) -> None:
        super().__init__(name, robot, (LEASE,))
        self.stage = stage

    def update(self) -> Status:
        """Look at the stage."""
        lease: LeaseState | None = self.percepts.lease
        return Status.SUCCESS if lease is not None and lease.stage is self.stage else Status.FAILURE


class HasLeft(Reader):
    """SUCCESS while the crossing of this lap lies behind the robot. FAILURE otherwise.

    Blackboard Variables:
        * route (Route) [r]
        * left (int) [r]
    """

    def __init__(self, name: str, robot: str) -> None:
        super().__init__(name, robot, (ROUTE, LEFT))

    def update(self) -> Status:
        """Compare the laps."""
        route: Route | None = self.percepts.route
        return Status.SUCCESS if route is not None and self.percepts.left == route.lap else Status.FAILURE
