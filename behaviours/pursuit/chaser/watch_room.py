"""Watch the room: where the evader can be, where to look for it, and which ways are free."""

from __future__ import annotations

import math
from dataclasses import replace

from py_trees.common import Status

from arena_trees.behaviours.base import PerceptBehaviour
from arena_trees.behaviours.bumps import BUMPED, BumpedObstacles
from arena_trees.behaviours.pursuit.chaser.equipment import Equipment
from arena_trees.behaviours.pursuit.chaser.parameters import ChaserParameters
from arena_trees.control.place_history import Place, PlaceHistory
from arena_trees.control.searching.room_search import ROOM, RoomSearch, RoomView, Searcher
from arena_trees.control.searching.search_grid import SearchGrid
from arena_trees.games.pursuit.blackboard import PLACE, TRACK, BallTrack
from arena_trees.games.pursuit.home import HOME
from arena_trees.games.pursuit.messages import PursuitPhase, PursuitState
from arena_trees.robot import keys
from arena_trees.robot.circles import Circles
from arena_trees.robot.clock import to_seconds
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.geometry import Disc, Pose2D
from arena_trees.robot.repeat import Repeat
from arena_trees.robot.scan import Scan
from arena_trees.sensors.ranges.sensor import Ranges

__all__ = ["WatchRoom"]

_PERIOD_S = 0.2
"""Between two looks at the grid, s."""


class WatchRoom(PerceptBehaviour):
    """Keep account of the room; belongs into the sensing branch. SUCCESS always.

    What range sensors hit is occupied, and no evidence of the evader. Where the evader can be grows with its greatest
    speed over the free floor, less what the camera has seen since. While the ball is in sight the way leads to it if
    something is between, after a hit it leads home, and else to the view from which the ball is found soonest. A turret
    looks round on the way; a chaser without one stands and looks round where that finds the ball sooner than going on.
    No way leads through what the bumper has met twice, nor, after a hit, through the evader where it was seen last: the
    LiDAR may look over its hull.

    Blackboard Variables:
        * scan (Scan), ranges (Ranges) [r]: what stands in the room; absent where there are none
        * circles (Circles) [r]: when an image was exposed
        * pose (PoseEstimate), odometry (Odometry), turret (TurretState) [r]: own motion
        * place (Place) [r]: where it is now
        * bumped (BumpedObstacles) [r]: what the bumper has met twice
        * track (BallTrack) [r]: the ball, or None
        * inbox (Inbox) [r]: whether it has hit
        * room (RoomView) [w]: None before the first place
    """

    def __init__(self, name: str, robot: str, live: Live[ChaserParameters], equipment: Equipment) -> None:
        reads = (
            keys.SCAN, "ranges", "circles", keys.POSE, keys.ODOMETRY, "turret", PLACE, TRACK, keys.INBOX,
            BUMPED,
        )  # fmt: skip
        super().__init__(name, robot, reads, (ROOM,))
        self.live = live
        self.equipment = equipment
        self._reset()

    def _reset(self) -> None:
        parameters = self.live.value
        self._grid = SearchGrid(parameters.room_half, parameters.room_cell)
        self._search = RoomSearch(self._grid)
        self._history = PlaceHistory()
        self._repeat = Repeat()
        self._then: int | None = None
        self._scan = self._ranges = self._image = 0
        self._ball: BallTrack | None = None
        self._quarry: Disc | None = None
        self._silent: set[str] = set()
        self.outputs.room = None

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._reset()

    def update(self) -> Status:
        """Update the grid by the sensors and write the room view periodically; SUCCESS always."""
        percepts = self.percepts
        self._history.add(percepts.pose, percepts.odometry, percepts.turret)
        place: Place | None = percepts.place
        if place is None:
            return Status.SUCCESS
        parameters = self.live.value
        self._sense(parameters)
        if self._repeat.due(self.now, _PERIOD_S):
            obstacles = self._obstacles(place, parameters)
            self._grid.block(obstacles)
            self.outputs.room = replace(self._look(place, parameters), obstacles=obstacles)
        return Status.SUCCESS

    def _sense(self, parameters: ChaserParameters) -> None:
        scan: Scan | None = self.percepts.scan
        ranges: Ranges | None = self.percepts.ranges
        track: BallTrack | None = self.percepts.track
        hull = None if track is None else (track.target.x, track.target.y, parameters.target_radius + 0.2)
        if scan is not None and scan.sequence != self._scan:
            self._scan = scan.sequence
            there = self._history.at(scan.stamp)
            if there is not None:
                self._grid.see_scan(scan, there.pose, parameters.range_reach, hull)
        if ranges is not None and ranges.sequence != self._ranges:
            self._ranges = ranges.sequence
            there = self._history.at(ranges.stamp)
            if there is not None:
                self._see_ranges(ranges, there, parameters, hull)

    def _obstacles(self, place: Place, parameters: ChaserParameters) -> tuple[Disc, ...]:
        """Return discs of the map frame that no way may lead through, though no range sensor shows them."""
        track: BallTrack | None = self.percepts.track
        if track is not None:
            self._quarry = (track.target.x, track.target.y, parameters.target_radius)
        bumped: BumpedObstacles = self.percepts.bumped
        found = [place.pose.compose_disc(disc) for disc in bumped.obstacles]
        if self._is_hit() and self._quarry is not None:
            found.append(self._quarry)
        return tuple(found)

    def _is_hit(self) -> bool:
        received = self.percepts.inbox.newest(PursuitState)
        return received is not None and received.message.phase in (PursuitPhase.HIT, PursuitPhase.OVER)

    def _see_ranges(
        self, ranges: Ranges, there: Place, parameters: ChaserParameters, hull: tuple[float, float, float] | None
    ) -> None:
        for reading in ranges.readings:
            start = there.pose.compose(reading.mount)
            far = min(reading.limit, parameters.range_reach)
            nothing = reading.distance >= reading.limit
            if nothing and reading.name not in self._silent:
                # Echoes get lost at times: only two missing ones in a row mean that there is nothing.
                self._silent.add(reading.name)
                continue
            if not nothing:
                self._silent.discard(reading.name)
            length = min(reading.distance, far)
            end = (start.x + length * math.cos(start.yaw), start.y + length * math.sin(start.yaw))
            hit = reading.distance < far and (hull is None or math.dist(end, hull[:2]) > hull[2])
            self._grid.see_ray((start.x, start.y), end, hit)

    def _look(self, place: Place, parameters: ChaserParameters) -> RoomView:
        now, search = self.now, self._search
        passed = 0.0 if self._then is None else max(0.0, to_seconds(now - self._then))
        self._then = now
        if self._is_hit():
            return RoomView(search.way(place.pose, (HOME.x, HOME.y), parameters.clearance), None)
        track: BallTrack | None = self.percepts.track
        if track is not None:
            self._ball = track
            search.see_target()
            return RoomView(search.detour(place.pose, (track.target.x, track.target.y), parameters.clearance), None)
        searcher = self._searcher(parameters)
        if self._ball is not None:
            # It was lost just now.
            ball, self._ball = self._ball.target, None
            search.lose_target(ball.x, ball.y, (ball.vx, ball.vy), ball.sigma, searcher)
        else:
            self._grid.grow(parameters.target_speed * passed)
        self._see_images(searcher)
        turret = None if place.turret is None else place.turret[0]
        return search.look(place.pose, turret, searcher, now)

    def _searcher(self, parameters: ChaserParameters) -> Searcher:
        return Searcher(
            self.equipment.camera.hfov, parameters.sight_reach, parameters.speed, parameters.scan_rate,
            parameters.clearance, parameters.target_speed,
        )  # fmt: skip

    def _see_images(self, searcher: Searcher) -> None:
        """The images since the last look showed no ball that was believed."""
        circles: Circles | None = self.percepts.circles
        if circles is None or circles.sequence == self._image:
            return
        self._image = circles.sequence
        there = self._history.at(circles.stamp)
        if there is not None:
            camera = self.equipment.camera_at(there)
            self._search.see_nothing(Pose2D(camera.x, camera.y, camera.yaw), searcher)
