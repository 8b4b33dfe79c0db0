"""What the leaves of a robot that crosses share: where it is on its round, what is ahead, its side of the protocol."""

from __future__ import annotations

import numpy as np

from arena_trees.behaviours.crossroads.parameters import CrosserParameters
from arena_trees.control.lane_law import PathError
from arena_trees.control.map_pose_tracker import MapPoseTracker
from arena_trees.games.crossroads.messages import Approach, Stage, Turn, Urgency
from arena_trees.games.crossroads.scheduling.client import CrossingClient
from arena_trees.perception.traffic import nearest_on_way
from arena_trees.robot.clock import SECOND
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.geometry import Pose2D, wrap
from arena_trees.robot.percepts import Odometry, PoseEstimate
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.robot.scan import Scan
from arena_trees.safety.stopping import allowed_speed, stopping_distance
from arena_trees.world.crossing.plan import Movement, plan_of
from arena_trees.world.crossing.round import Round

__all__ = ["CrosserMind"]

_STEP = 0.05
"""Between two places of the way at which traffic is looked for, m."""

_OWN = 0.05
"""Nothing nearer than this before the robot's front is looked for: the LiDAR sees no nearer, m."""

_FACING = 1.0
"""A robot that is turned farther off than this (rad) does not stand in a lane, but across it."""

_CALM_S = 0.1
"""The localiser filters; what it tells is believed in this time."""


class CrosserMind:
    """Made empty; a round begins when the robot knows where it is.

    Attributes:
        plan: of the crossing
        round: that it drives, None before it knows where it is
        progress: along the round, m
        ahead: progress of the nearest thing on its way, m, or None
        left: whether the crossing lies behind it
        halted: whether it stands before its line by the Crossroads report's rule, wherever that is
        client: its side of the protocol; None before its first tick

    Args:
        robot: its name
        live: parameters
        streams: random numbers of this robot
    """

    def __init__(self, robot: str, live: Live[CrosserParameters], streams: RandomStreams) -> None:
        self.robot = robot
        self.live = live
        self.plan = plan_of(live.value.plan)
        self._streams = streams
        self.reset()

    def reset(self) -> None:
        """Know nothing any more."""
        self.where = MapPoseTracker(calm_s=_CALM_S)
        self.client: CrossingClient | None = None
        self.round: Round | None = None
        self.progress = 0.0
        self.ahead: float | None = None
        self.left = False
        self.halted = False
        self.speed = 0.0
        self._pose: Pose2D | None = None
        self._beside: Pose2D | None = None
        self._scan: Scan | None = None
        self._random: np.random.Generator = self._streams.generator("movements")
        self._pauses: np.random.Generator = self._streams.generator("pauses")

    @property
    def stage(self) -> Stage:
        """Stage of the robot; LEFT before it takes part."""
        return Stage.LEFT if self.client is None else self.client.stage

    @property
    def crossing(self) -> Movement | None:
        """The movement of the round."""
        return None if self.round is None else self.round.movement

    def locate(self, now: int, estimate: PoseEstimate | None, odometry: Odometry | None) -> Pose2D | None:
        """Carry the place on to now (ns), on the map and on the round."""
        self.where.update(now, estimate, odometry)
        self.speed = 0.0 if odometry is None else odometry.twist.linear
        self._pose = pose = self.where.pose()
        self._find_beside()
        return pose

    def _find_beside(self) -> None:
        """Find the place on the way, and beside it."""
        self._beside = None
        if self._pose is not None and self.round is not None:
            self.progress = self.round.project(self.progress, self._pose.x, self._pose.y)
            self._beside = self.round.pose(self.progress).relative(self._pose)

    def beside(self, look_ahead: float = 0.0) -> PathError | None:
        """Return where the robot is beside its way, with the curvature of so much (m) ahead; None where unknown."""
        place = self._beside
        if place is None or self.round is None:
            return None
        return PathError(place.y, place.yaw, self.round.curvature(self.progress + look_ahead))

    @property
    def on_way(self) -> bool:
        """Whether the robot is on its way, and not carried elsewhere."""
        return self._beside is not None and abs(self._beside.y) <= self.live.value.off_way

    def leave_way(self) -> None:
        """Drive no round any more."""
        self.round = self._beside = None

    def find_lane(self, now: int) -> bool:
        """Begin a round in the lane in which the robot stands (now: ns); return whether it stands in one."""
        if self._pose is None:
            return False
        for approach in self.plan.approaches:
            begun = Round(self.plan.from_side(approach), self.plan.parameters)
            progress = begun.project(begun.begin, self._pose.x, self._pose.y)
            place = begun.pose(progress).relative(self._pose)
            outside = progress <= self.plan.parameters.stop_gap
            if outside and abs(place.y) <= self.live.value.off_way and abs(wrap(place.yaw)) < _FACING:
                self.begin_round(now, approach)
                return True
        return False

    def begin_round(self, now: int, approach: Approach) -> None:
        """Begin a round from a side (now: ns), which way the parameters say; ask, where that is not for the line."""
        turns = [turn for turn in Turn if (approach, turn) in self.plan.movements]
        wanted = [turn for turn in turns if turn.value == self.live.value.movement] or turns
        turn = wanted[int(self._random.integers(len(wanted)))]
        self.round = Round(self.plan.movements[approach, turn], self.plan.parameters)
        self.progress = self.round.begin
        self._find_beside()
        self.ahead = None
        self._scan = None
        self.left = self.halted = False
        if self.client is None:
            # A life that begins later has a higher number.
            self.client = CrossingClient(self.robot, 1 + now // SECOND, self.live.value.times)
        if self.live.value.strategy == "arena":
            self.ask(now)

    def ask(self, now: int) -> None:
        """Ask for the round's movement (now: ns)."""
        if self.client is not None and self.round is not None:
            movement = self.round.movement
            urgency = Urgency[self.live.value.urgency.upper()]
            self.client.ask(now, movement.approach, movement.turn, urgency)

    def watch(self, scan: Scan | None) -> None:
        """Look for traffic in a scan, if it is a new one."""
        if self.round is None or scan is None or scan is self._scan:
            return
        self._scan = scan
        base = self.where.at(scan.stamp)
        if base is None:
            return
        p = self.live.value
        first = self.progress + p.plan.robot_radius + _OWN
        count = max(2, round(p.traffic_reach / _STEP))
        stops = [first + _STEP * index for index in range(count)]
        self.ahead = nearest_on_way(scan, base, [self.round.pose(stop) for stop in stops], stops, p.traffic_width)

    @property
    def first(self) -> bool:
        """Whether nobody is between the robot and its line, and it is near."""
        p = self.live.value
        near = not self.left and -p.request_distance <= self.progress
        return near and (self.ahead is None or self.ahead > -_STEP)

    def room(self) -> float:
        """Return how far (m) the robot may drive until it must stand behind what is ahead of it."""
        if self.ahead is None:
            return float("inf")
        plan = self.live.value.plan
        return self.ahead + plan.robot_radius - plan.follow_gap - self.progress

    def speed_for(self, room: float) -> float:
        """Return the speed (m/s) of now, from which it can stop within the room (m), and turn as its way does."""
        p = self.live.value
        bends = (0.0, 0.5, 1.0)
        braking = self.braking_distance()
        bend = 0.0 if self.round is None else max(abs(self.round.curvature(self.progress + s * braking)) for s in bends)
        return min(p.speed_at(bend), allowed_speed(room, p.reaction, p.braking))

    def braking_distance(self) -> float:
        """Return how far (m) the robot goes until it stands."""
        p = self.live.value
        return stopping_distance(self.speed, p.reaction, p.braking)

    def at_line(self) -> bool:
        """Whether this is the last chance to stop at the place of waiting, or the robot stands there."""
        near = self.halted or self.progress >= -self.braking_distance() - _STEP
        return self.round is not None and not self.left and near

    def crossing_time(self) -> float:
        """Return how long (s) the rest of the crossing takes, with a reserve."""
        if self.round is None:
            return float("inf")
        return self.live.value.crossing_time(self.round, self.progress)

    def draw_pause(self) -> int:
        """Return the length of a pause at the end of an arm, ns."""
        mean = self.live.value.pause_s
        return round(float(self._pauses.exponential(mean)) * SECOND) if mean > 0.0 else 0
