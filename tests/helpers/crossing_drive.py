"""A robot that drives over a crossing, and what its sensors say: odometry with errors, scans, lines, markers.

The scans are cast by hand at the walls and at other robots. Lines are lost where the lane detector loses them: from
0.6 m before the stop line up to it, and in the first half of a turn.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from arena_trees.games.crossroads.layout.floor import CrossingFloor
from arena_trees.games.crossroads.layout.path import LanePath
from arena_trees.games.crossroads.layout.plan import CrossingParameters, Movement
from arena_trees.games.crossroads.layout.words import Approach, Turn
from arena_trees.games.crossroads.localisation.lanes import CrossingLanes
from arena_trees.robot.clock import SECOND, from_seconds
from arena_trees.robot.geometry import Pose2D, Twist2D, wrap
from arena_trees.robot.lane import LaneLine, LaneLines, MarkerDetection, MarkerDetections
from arena_trees.robot.percepts import Odometry
from arena_trees.robot.scan import Scan
from arena_trees.simulation.physics.truth import RobotTruth
from arena_trees.simulation.sensors.odometry import OdometryParameters, OdometrySensor
from helpers.scans import Segments, cast, laser
from helpers.surroundings import nowhere

TICK = SECOND // 50
FLOOR = CrossingFloor(CrossingParameters(size=3.0))
HULL = 0.17
MOUNT = Pose2D(-0.04, 0.0, math.pi / 2)


def outlines(floor: CrossingFloor) -> Segments:
    """Return the sides of all walls."""
    half = floor.parameters.wall_thickness / 2.0
    sides = []
    for wall in floor.walls:
        start, end = np.array(wall.start), np.array(wall.end)
        along = (end - start) / np.hypot(*(end - start))
        across = half * np.array([-along[1], along[0]])
        corners = [start + across, end + across, end - across, start - across]
        sides += [[*a, *b] for a, b in zip(corners, corners[1:] + corners[:1], strict=True)]
    return np.array(sides)


WALLS = outlines(FLOOR)


def hits(pose: Pose2D, discs: tuple[tuple[float, float], ...], beams: int) -> np.ndarray:
    """Return how far other robots are on each ray, inf for none."""
    angle = pose.yaw - math.pi + math.tau / beams * np.arange(beams)
    ranges = np.full(beams, np.inf)
    for x, y in discs:
        ahead = (x - pose.x) * np.cos(angle) + (y - pose.y) * np.sin(angle)
        aside = (y - pose.y) * np.cos(angle) - (x - pose.x) * np.sin(angle)
        with np.errstate(invalid="ignore"):
            reach = ahead - np.sqrt(HULL**2 - aside**2)
        ranges = np.where((np.abs(aside) < HULL) & (ahead > 0.0), np.minimum(ranges, reach), ranges)
    return ranges


def see(
    pose: Pose2D,
    rng: np.random.Generator,
    discs: tuple[tuple[float, float], ...] = (),
    walls: Segments = WALLS,
    stamp: int = 0,
    arrival: int = 0,
    sequence: int = 1,
) -> Scan:
    """Return a scan from a pose of base_link: noise 0.01 m, 5 % of the beams without a return."""
    sensor = pose.compose(MOUNT)
    ranges = np.minimum(cast(walls, sensor), hits(sensor, discs, 640))
    ranges = ranges + 0.01 * rng.standard_normal(640)
    ranges[rng.random(640) < 0.05] = np.inf
    return Scan.from_laser(laser(np.abs(ranges), arrival, sequence, stamp=stamp, mount=MOUNT, range_min=0.164))


def thinned(scan: Scan, points: int, rng: np.random.Generator) -> Scan:
    """Return a scan of which some points, evenly drawn, are left."""
    left = np.sort(rng.permutation(len(scan.x))[:points])
    return replace(scan, x=scan.x[left], y=scan.y[left], bearing=scan.bearing[left], distance=scan.distance[left])


@dataclass(frozen=True)
class Instant:
    """The truth at an instant, and the newest percept of each sensor."""

    now: int
    pose: Pose2D
    odometry: Odometry | None
    scan: Scan | None
    lane: LaneLines | None
    markers: MarkerDetections | None


@dataclass
class Drive:
    """A way through the crossing, from 1.9 m before the place of waiting to 0.5 m beyond the end of the movement.

    Attributes:
        approach: from which side
        turn: which way
        rng: of all chance
        others: whether other robots stand about
        pause_s: how long it waits before its line
    """

    approach: Approach
    turn: Turn
    rng: np.random.Generator
    others: bool = True
    pause_s: float = 1.0
    speed: float = 0.27
    line_sigma: float = 0.005
    nominal: Pose2D = field(init=False)

    def __post_init__(self) -> None:
        self._movement = Movement(self.approach, self.turn, FLOOR.crossing)
        self._lanes = CrossingLanes(FLOOR)
        self.nominal = self.path.pose(-1.9)
        self._aside, self._turned = self.rng.normal(0.0, 0.04), self.rng.normal(0.0, 0.05)
        self._drift = np.zeros(4)

    @property
    def path(self) -> LanePath:
        """Of the movement."""
        return self._movement.path

    def pose(self, progress: float) -> Pose2D:
        """Return where the robot truly is: beside its path at first, and weaving a little later."""
        share = max(0.0, 1.0 - (progress + 1.9) / 0.8)
        weave = 0.02 * math.sin(2.0 * progress)
        lean = self._turned * share + math.atan(0.04 * math.cos(2.0 * progress) - self._aside / 0.8 * (share > 0.0))
        return self.path.pose(progress).compose(Pose2D(0.0, self._aside * share + weave, lean))

    def run(self) -> Iterator[Instant]:
        """Yield instants, 50 a second, from when it starts."""
        odometry = OdometrySensor(OdometryParameters(), nowhere(self.rng, self.pose(-1.9)))
        scans, lanes, marks = [], [], []
        progress, waited, before, now = -1.9, 0.0, self.pose(-1.9), SECOND
        discs = self._others() if self.others else ()
        marker_bias = self.rng.normal(0.0, 0.04)
        heard = None
        while progress < self.path.length + 0.5:
            pose = self.pose(progress)
            step = before.relative(pose)
            odometry.update(now, RobotTruth(pose, Twist2D(step.x * 50.0, step.yaw * 50.0)))
            heard = odometry.delivery.newest(now) or heard
            tick = now // TICK
            if tick % 7 == 0:
                scans.append(see(pose, self.rng, discs, WALLS, now, now + from_seconds(0.03), tick))
            if tick % 5 == 0:
                stamps = (now, now + from_seconds(0.15), tick)
                lanes.append(self._observe(pose, progress, stamps))
                marks.append(MarkerDetections(*stamps, self.sight(pose, marker_bias)))
            yield Instant(now, pose, heard, *(self._newest(sensor, now) for sensor in (scans, lanes, marks)))
            before, now = pose, now + TICK
            if progress >= 0.0 and waited < self.pause_s:
                waited += 0.02
            else:
                progress += self.speed * 0.02

    @staticmethod
    def _newest(sensor, now):
        return next((reported for reported in reversed(sensor) if reported.arrival <= now), None)

    def _others(self) -> tuple[tuple[float, float], ...]:
        """Return robots that wait at two other sides, one that is gone ahead and one behind the start."""
        sides = [side for side in Approach if side is not self.approach][:2]
        places = [Movement(side, Turn.STRAIGHT, FLOOR.crossing).path.pose(-0.02) for side in sides]
        places += [self.path.end.compose(Pose2D(1.1, 0.02)), self.path.pose(-2.5)]
        return tuple((place.x, place.y) for place in places)

    def _sees_lines(self, progress: float) -> bool:
        line = FLOOR.crossing.hold_distance - FLOOR.crossing.line_distance
        if progress < line - 0.6:
            return True
        if progress < line:
            return False
        return self.turn is Turn.STRAIGHT or progress > self.path.length / 2.0

    def _observe(self, pose: Pose2D, progress: float, stamps: tuple[int, int, int]) -> LaneLines:
        # Errors of images that follow each other are alike.
        self._drift = 0.8 * self._drift + 0.6 * self.rng.standard_normal(4)
        lane = self._lanes.nearest(self.path.end if progress > 0.3 else self.path.pose(0.0))
        ahead = -FLOOR.crossing.line_distance - lane.along(pose.x, pose.y)
        stop = ahead + 0.006 * self._drift[3] if 0.6 < ahead < 2.6 and progress < 0.0 else None
        if not self._sees_lines(progress):
            return LaneLines(*stamps, None, None, stop, 0.6)
        heading = wrap(lane.heading - pose.yaw) + 0.008 * self._drift[0]
        confidence = 1.0 / (1.0 + (self.line_sigma / 0.02) ** 2)
        red, black = (
            LaneLine(place - lane.beside(pose) + self.line_sigma * error, heading, confidence)
            for place, error in ((0.3, self._drift[1]), (-0.3, self._drift[2]))
        )
        lost = self.rng.random(2) < 0.15
        return LaneLines(*stamps, None if lost[0] else red, None if lost[1] else black, stop, 0.6)

    def sight(self, pose: Pose2D, bias: float) -> tuple[MarkerDetection, ...]:
        found = []
        for marker in FLOOR.markers:
            place = pose.relative(marker.pose)
            away, bearing = math.hypot(place.x, place.y), math.atan2(place.y, place.x)
            faces = abs(wrap(marker.pose.yaw - pose.yaw - math.pi)) < math.radians(50.0)
            if away > 2.0 and abs(bearing) < math.radians(20.0) and faces:
                away += bias + 0.03 * self.rng.standard_normal()
                bearing += 0.0017 * self.rng.standard_normal()
                facing = wrap(marker.pose.yaw - pose.yaw)
                found.append(MarkerDetection(marker.number, away * math.cos(bearing), away * math.sin(bearing), facing))
        return tuple(found)
