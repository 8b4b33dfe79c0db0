"""Localises a robot at a crossing: from odometry, lane lines, stop line, markers and the walls around."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import TypeVar

from arena_trees.control.odometry_buffer import OdometryBuffer
from arena_trees.control.pose_ekf import MotionNoise, PoseEkf
from arena_trees.games.crossroads.layout.floor import CrossingFloor
from arena_trees.games.crossroads.localisation.lanes import CrossingLanes, Lane
from arena_trees.games.crossroads.localisation.parameters import LocaliserParameters
from arena_trees.games.crossroads.localisation.place_search import PlaceSearch
from arena_trees.games.crossroads.localisation.stop_distances import StopDistances
from arena_trees.games.crossroads.localisation.thin_scans import ThinScans
from arena_trees.games.crossroads.localisation.wall_match import REACH, WallMatch, WallMatcher
from arena_trees.perception.sectors import free_ahead
from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.robot.geometry import Pose2D, wrap
from arena_trees.robot.lane import LaneLine, LaneLines, MarkerDetection, MarkerDetections
from arena_trees.robot.percepts import Odometry, PoseEstimate, Stamped
from arena_trees.robot.scan import Scan

__all__ = ["CrossingLocaliser", "LocaliserParameters"]

_SEEN_AHEAD = 1.0
"""m."""

_LATEST = from_seconds(2.0)
"""What was measured longer ago (ns) is not used: odometry is remembered for 3.2 s."""

_DETECTOR = 0.02
"""Standard deviation of a line's offset (m) to which the detector gives the confidence one half."""

_AHEAD, _HALF_WIDTH = 1.2, 0.25
"""Something this near ahead (m), this far to the side at most (m), may hide a stop line in part."""

_KNOWN = 0.03
"""A pose known as well as this (m) needs no search for walls."""

_WIDEST_REACH = 0.4

_THIN = 100
"""So many points are matched at once where the pose is not sure: of fewer, some robots may seem to be walls."""

_SURE = 0.05
"""A pose known as well as this (m) is matched with however few points lie on walls."""

_UNSURE = 0.1
"""A pose known less well (m) is searched for from many places, where scans do not tell it."""

_WIDEST = 0.3
"""A search in vain makes a lost robot's place no less certain than this, m."""

StampedT = TypeVar("StampedT", bound=Stamped)


class CrossingLocaliser:
    """Keeps the pose of one robot in the crossing's frame, which is the map frame.

    It begins where a person put the robot. A clock that goes back begins anew there. Odometry that jumps leaves the
    robot where it was, but less certainly so.

    Attributes:
        used: how many measurements were believed and refused, by source, such as ``walls`` and ``walls: refused``

    Args:
        floor: the crossing's
        start: the place where the robot was put, map frame
        parameters: how far each source is trusted

    Raises:
        ValueError: the start is not finite
    """

    def __init__(self, floor: CrossingFloor, start: Pose2D, parameters: LocaliserParameters | None = None) -> None:
        if not start.is_finite:
            raise ValueError("a start must be finite")
        self.parameters = parameters or LocaliserParameters()
        self.used: Counter[str] = Counter()
        self._start = start
        self._walls = WallMatcher(floor)
        self._lanes = CrossingLanes(floor)
        self._markers = {marker.number: marker.pose for marker in floor.markers}
        self._sequence = self._now = 0
        self._received: PoseEstimate | None = None
        self._odometry: Odometry | None = None
        self._begin()

    @property
    def sigma(self) -> tuple[float, float, float]:
        """Standard deviations along the robot's heading (m), across it (m) and of the yaw (rad)."""
        return self._filter.sigmas

    @property
    def lost(self) -> bool:
        """Whether the pose is too uncertain to be published."""
        return max(self.sigma[:2]) > self.parameters.lost_sigma

    @property
    def stop_distances(self) -> dict[str, float]:
        """Distance (m) from base_link to the stop line ahead by source; empty where the robot is not before one.

        ``pose`` is what all sources together say, ``walls`` (LiDAR), ``stop_line`` and ``marker`` the newest of each
        by itself, carried on by odometry: a marker is pinned in this robot's own odometry frame.
        """
        lane = self._lanes.nearest(self._filter.pose)
        distance = lane.stop_distance(self._filter.pose)
        newest = self._odometry
        if distance is None or newest is None:
            return {}
        return {"pose": distance, **self._stops.at(newest.stamp, lane, newest.pose)}

    def report(self) -> dict[str, str]:
        """Return what diagnostics show of it: how well it knows its place, by what, and where the stop line is."""
        along, across, yaw = self.sigma
        values = {"along [m]": f"{along:.3f}", "aside [m]": f"{across:.3f}", "yaw [rad]": f"{yaw:.3f}"}
        values |= {f"used: {source}": str(count) for source, count in sorted(self.used.items())}
        return values | {f"stop line by {source} [m]": f"{d:.3f}" for source, d in self.stop_distances.items()}

    def update(
        self,
        now: int,
        odometry: Odometry | None,
        scan: Scan | None,
        lane: LaneLines | None,
        markers: MarkerDetections | None,
    ) -> PoseEstimate | None:
        """Return the newest pose of base_link in the map frame; its stamp is that of the newest odometry.

        While the robot is lost, the last pose from before is returned, whose age grows.

        Args:
            now: ns
            odometry: the newest, checked, as are the others; None before the first
            scan: the newest
            lane: of the newest image
            markers: in the newest image
        """
        if now < self._now:
            self._begin()
        self._now = now
        changed = self._move(odometry)
        newest = self._odometry
        if newest is None:
            return None
        changed |= self._observe(scan, self._take_scan)
        changed |= self._observe(lane, self._take_lane)
        changed |= self._observe(markers, self._take_markers)
        if changed and not self.lost:
            self._sequence += 1
            self._received = PoseEstimate(newest.stamp, now, self._sequence, self._filter.pose)
        return self._received

    def _begin(self) -> None:
        """Know what is known at the start and nothing else."""
        p = self.parameters
        noise = MotionNoise(along=p.along_walk, yaw_driven=p.yaw_walk, yaw_turned=p.turn_walk)
        self._filter = PoseEkf(self._start, (p.start_sigma, p.start_sigma, p.start_yaw_sigma), noise)
        self._stops = StopDistances()
        self._thin, self._search = ThinScans(_THIN), PlaceSearch(self._walls)
        self._history = OdometryBuffer()
        self._odometry = self._received = None
        self._since = self._renewed = 0
        self._seen: dict[type[Stamped], tuple[int, int]] = {}
        self._crowded = False

    def _move(self, odometry: Odometry | None) -> bool:
        """Carry the pose on, and return whether the odometry was new."""
        before = self._odometry
        # After a clock went back the newest percepts are, for a while, those of that other time.
        if odometry is None or odometry.arrival > self._now or not odometry.pose.is_finite:
            return False
        if before is None:
            self._since = self._renewed = odometry.stamp
        elif odometry.stamp <= before.stamp:
            return False
        else:
            motion = before.pose.relative(odometry.pose)
            if self._jumped(motion, to_seconds(odometry.stamp - before.stamp)):
                # What is remembered is of another odom frame.
                self._history, self._stops, self._since = OdometryBuffer(), StopDistances(), odometry.stamp
                self._thin.forget()
                self._search.forget()
                self._filter.widen(self.parameters.start_sigma, self.parameters.start_yaw_sigma)
                self.used["odometry: jumped"] += 1
            else:
                self._filter.move(motion)
        self._odometry = odometry
        self._history.add(odometry)
        return True

    def _jumped(self, motion: Pose2D, dt: float) -> bool:
        p = self.parameters
        too_far = math.hypot(motion.x, motion.y) > p.max_speed * dt + 0.05
        return too_far or abs(motion.yaw) > p.max_rate * dt + 0.1

    def _observe(self, stamped: StampedT | None, take: Callable[[StampedT, Pose2D], None]) -> bool:
        """Take in a percept with the pose in odom of its instant, and return whether it was new."""
        if stamped is None or stamped.arrival > self._now:
            return False
        if self._seen.get(type(stamped)) == (stamped.stamp, stamped.sequence):
            return False
        self._seen[type(stamped)] = (stamped.stamp, stamped.sequence)
        instant = min(stamped.stamp, stamped.arrival)
        moved = self._history.at(instant)
        if moved is None or instant < max(self._since, self._now - _LATEST):
            self.used["too late"] += 1
            return False
        if not self._history.reaches(instant):
            # Odometry, when it comes, would move the robot once more by what was seen of its motion already.
            self.used["without odometry"] += 1
            return False
        take(stamped, moved)
        return True

    def _then(self, moved: Pose2D) -> Pose2D:
        """Return where the robot was in the map frame when it was at a pose in odom."""
        now = moved if self._odometry is None else self._odometry.pose
        return self._filter.pose.compose(now.relative(moved))

    def _renew(self, stamp: int) -> None:
        """Forget a little: errors of one source are alike for a while, and must not seem to average out."""
        dt = min(1.0, max(0.0, to_seconds(stamp - self._renewed)))
        self._renewed = max(stamp, self._renewed)
        doubt = self.parameters.renewal * math.sqrt(dt)
        self._filter.widen(doubt, doubt)

    def _count(self, source: str, believed: bool) -> bool:
        self.used[source if believed else f"{source}: refused"] += 1
        return believed

    def _take_scan(self, scan: Scan, moved: Pose2D) -> None:
        p = self.parameters
        self._crowded = free_ahead(scan, _HALF_WIDTH) < _AHEAD
        if not p.walls:
            return
        if not self.lost and self._match_scan(scan, moved):
            self._search.forget()
        else:
            self._search_place(scan, moved)

    def _match_scan(self, scan: Scan, moved: Pose2D) -> bool:
        """Match a scan with the walls, and return whether it was believed."""
        p = self.parameters
        expected = self._then(moved)
        match = self._on_walls(scan, moved, expected)
        if match is None:
            if self._walls.contradicts(scan.x, scan.y, expected):
                self._count("walls", False)
                self._filter.widen(p.doubt, p.doubt)
            else:
                self.used["walls: hidden"] += 1
            return False
        self._renew(scan.stamp)
        x, y, yaw = match.correction
        believed = self._count("walls", self._filter.match(match.correction, match.information, expected, p.gate))
        if not believed:
            self._filter.widen(p.doubt, p.doubt)
        found = Pose2D(expected.x + x, expected.y + y, wrap(expected.yaw + yaw))
        lane = self._lanes.nearest(found)
        distance = lane.stop_distance(found)
        if distance is not None:
            self._stops.add("walls", scan.stamp, lane, distance, moved, found.yaw)
        return believed

    def _on_walls(self, scan: Scan, moved: Pose2D, expected: Pose2D) -> WallMatch | None:
        """Return how a scan lies on the walls, with those before it where it has too few points by itself."""
        along, across, yaw = self.sigma
        reach = min(REACH + 2.0 * max(0.0, max(along, across) + yaw - _KNOWN), _WIDEST_REACH)
        if max(along, across) <= _SURE and self._thin.is_thin(scan):
            match = self._walls.match(scan.x, scan.y, expected, reach)
            if match is not None:
                self._thin.forget()
                return match
        points = self._thin.gathered(scan, moved)
        return None if points is None else self._walls.match(*points, expected, reach)

    def _search_place(self, scan: Scan, moved: Pose2D) -> None:
        """Search for the place where it is hardly known."""
        sigma = max(self.sigma[:2])
        if sigma <= _UNSURE:
            self._search.forget()
            return
        ended, found = self._search.look(scan, moved, self._then(moved), 2.0 * sigma)
        if found is not None:
            expected, pose = self._then(found.moved), found.fit.pose
            off = (pose.x - expected.x, pose.y - expected.y, wrap(pose.yaw - expected.yaw))
            self._renew(found.stamp)
            believed = self._filter.match(off, found.fit.information, expected, self.parameters.gate)
            self._count("search", believed)
        elif ended:
            self.used["search: undecided"] += 1
        if ended and self.lost and sigma < _WIDEST:
            self._filter.widen(self.parameters.doubt, self.parameters.doubt)

    def _take_lane(self, seen: LaneLines, moved: Pose2D) -> None:
        if seen.heading is not None and self.parameters.lines:
            self._take_lines(seen, seen.heading, moved)
        if seen.stop_distance is not None:
            self._take_stop(seen.stop_distance, seen.stamp, moved)

    def _take_lines(self, seen: LaneLines, heading: float, moved: Pose2D) -> None:
        """Use the lines as those of the lane whose direction is nearest to theirs: a quarter turn lies between."""
        p = self.parameters
        base = self._then(moved)
        lane = self._lanes.nearest(base, heading)
        self._renew(seen.stamp)
        off = wrap(base.yaw + heading - lane.heading)
        # A line that is seen about a metre ahead is as uncertain in its heading as in its offset, for each metre.
        sigma = math.hypot(p.line_yaw_sigma, _offset_sigma(seen.confidence) / _SEEN_AHEAD)
        if not self._filter.measure(off, (0.0, 0.0, -1.0), sigma, base, p.gate):
            self._count("lines", False)
            # Where line after line is refused, it is the pose that is wrong.
            self._filter.widen(p.line_doubt, p.line_doubt)
            return
        for line, side in ((seen.red, 0.5), (seen.black, -0.5)):
            if line is not None and line.confidence > 0.0:
                self._count("lines", self._take_line(line, lane, side * lane.width, moved))

    def _take_line(self, line: LaneLine, lane: Lane, place: float, moved: Pose2D) -> bool:
        """Use a line that is so far (m) to the left of the middle of its lane."""
        p = self.parameters
        base = self._then(moved)
        sigma = max(p.line_floor, _offset_sigma(line.confidence))
        off = line.offset - (place - lane.beside(base))
        return self._filter.measure(off, (-lane.left[0], -lane.left[1], 0.0), sigma, base, p.gate)

    def _take_stop(self, distance: float, stamp: int, moved: Pose2D) -> None:
        """Use a stop line if one of the robot's own lane is ahead; others belong to others."""
        p = self.parameters
        base = self._then(moved)
        lane = self._lanes.nearest(base)
        expected = lane.stop_distance(base)
        if expected is None:
            self._count("stop_line", False)
            return
        self._stops.add("stop_line", stamp, lane, distance, moved, base.yaw)
        if p.stop_line:
            sigma = p.stop_sigma_behind if self._crowded else p.stop_sigma
            jacobian = (-lane.ahead[0], -lane.ahead[1], 0.0)
            self._count("stop_line", self._filter.measure(distance - expected, jacobian, sigma, base, p.gate))

    def _take_markers(self, detections: MarkerDetections, moved: Pose2D) -> None:
        for detection in detections.markers:
            place = self._markers.get(detection.number)
            if place is not None:
                self._take_marker(detection, place, detections.stamp, moved)

    def _take_marker(self, detection: MarkerDetection, place: Pose2D, stamp: int, moved: Pose2D) -> None:
        p = self.parameters
        base = self._then(moved)
        self._tell_marker(detection, place, stamp, moved, base)
        away = base.distance_to(place.x, place.y)
        if not p.markers or away < 0.1:
            return
        to = ((place.x - base.x) / away, (place.y - base.y) / away)
        bearing = wrap(detection.bearing - base.bearing_to(place.x, place.y))
        jacobian = (to[1] / away, -to[0] / away, -1.0)
        if not self._filter.measure(bearing, jacobian, p.marker_bearing_sigma, base, p.gate):
            self._count("markers", False)
            return
        off = detection.distance - away
        self._count("markers", self._filter.measure(off, (-to[0], -to[1], 0.0), p.marker_sigma, base, p.gate))

    def _tell_marker(self, detection: MarkerDetection, place: Pose2D, stamp: int, moved: Pose2D, base: Pose2D) -> None:
        """Tell how far it is to the stop line by a marker, which is a known way behind the line."""
        lane = self._lanes.nearest(base)
        if lane.line is None or lane.stop_distance(base) is None:
            return
        turned = lane.heading - base.yaw
        ahead = detection.x * math.cos(turned) + detection.y * math.sin(turned)
        self._stops.add("marker", stamp, lane, ahead - lane.along(place.x, place.y) - lane.line, moved, base.yaw)


def _offset_sigma(confidence: float) -> float:
    """Return the standard deviation (m) of a line's offset that a confidence stands for."""
    return _DETECTOR * math.sqrt(max(0.0, 1.0 / max(confidence, 1e-6) - 1.0))
