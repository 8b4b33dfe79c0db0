"""Watch the room: where the evader can be, where to look for it, and which ways are free."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from py_trees.common import Status

from arena_trees.behaviours.base import PerceptBehaviour
from arena_trees.behaviours.pursuit.chaser.blackboard import PLACE, ROOM, TRACK, BallTrack, Place, RoomView
from arena_trees.behaviours.pursuit.chaser.equipment import Equipment
from arena_trees.behaviours.pursuit.chaser.locate import PlaceHistory
from arena_trees.behaviours.pursuit.chaser.parameters import ChaserParameters
from arena_trees.control.search_grid import SearchGrid
from arena_trees.games.pursuit.home import HOME
from arena_trees.games.pursuit.messages import PursuitPhase, PursuitState
from arena_trees.robot import keys
from arena_trees.robot.circles import Circles
from arena_trees.robot.clock import to_seconds
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.geometry import wrap
from arena_trees.robot.ranges import Ranges
from arena_trees.robot.repeat import Repeat
from arena_trees.robot.scan import Scan

__all__ = ["WatchRoom"]

_PERIOD_S = 0.2
"""Between two looks at the grid, s."""
_FIELD = 0.8
"""Share of the field of view in which a ball would surely have been seen."""
_WHOLE = 1.1 * math.tau
"""After so much turning the chaser has looked round and goes elsewhere, rad."""
_ARRIVED = 0.25
"""A view is reached within this, m, or within a cell."""
_PATIENCE_S = 25.0
"""After so long on the way another view is chosen, s."""
_WORTH = 0.1
"""Share of where the evader can be that is worth a look round."""


class WatchRoom(PerceptBehaviour):
    """Keep account of the room; belongs into the sensing branch. SUCCESS always.

    What range sensors hit is occupied, and says nothing of the evader. Where the evader can be grows with its greatest
    speed over the free floor, less what the camera has seen since. While the ball is in sight the way leads to it if
    something is between, after a hit it leads home, and else to the view that shows most of where the evader can be
    soonest: the chaser looks round first where it is.

    Blackboard Variables:
        * scan (Scan), ranges (Ranges) [r]: what stands in the room; absent where there are none
        * circles (Circles) [r]: when an image was exposed
        * pose (PoseEstimate), odometry (Odometry), turret (TurretState) [r]: own motion
        * place (Place) [r]: where it is now
        * track (BallTrack) [r]: the ball, or None
        * inbox (Inbox) [r]: whether it has hit
        * room (RoomView) [w]: None before the first place
    """

    def __init__(self, name: str, robot: str, live: Live[ChaserParameters], equipment: Equipment) -> None:
        reads = (
            keys.SCAN, keys.RANGES, keys.CIRCLES, keys.POSE, keys.ODOMETRY, keys.TURRET, PLACE, TRACK, keys.INBOX,
        )  # fmt: skip
        super().__init__(name, robot, reads, (ROOM,))
        self.live = live
        self.equipment = equipment
        self._reset()

    def _reset(self) -> None:
        parameters = self.live.value
        self._grid = SearchGrid(parameters.room_half, parameters.room_cell)
        self._history = PlaceHistory()
        self._repeat = Repeat()
        self._then: int | None = None
        self._scan = self._ranges = self._image = 0
        self._ball: BallTrack | None = None
        self._view: tuple[float, float] | None = None
        self._since = 0
        self._turned = 0.0
        self._yaw: float | None = None
        self._side = 1.0
        self.outputs.room = None

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._reset()

    def update(self) -> Status:
        """Take in what the sensors say, and look at the grid now and then."""
        percepts = self.percepts
        self._history.add(percepts.pose, percepts.odometry, percepts.turret)
        place: Place | None = percepts.place
        if place is None:
            return Status.SUCCESS
        parameters = self.live.value
        self._sense(parameters)
        if self._repeat.due(self.now, _PERIOD_S):
            self.outputs.room = self._look(place, parameters)
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

    def _see_ranges(
        self, ranges: Ranges, there: Place, parameters: ChaserParameters, hull: tuple[float, float, float] | None
    ) -> None:
        for reading in ranges.readings:
            start = there.pose.compose(reading.mount)
            far = min(reading.limit, parameters.range_reach)
            length = min(reading.distance, far)
            end = (start.x + length * math.cos(start.yaw), start.y + length * math.sin(start.yaw))
            hit = reading.distance < far and (hull is None or math.dist(end, hull[:2]) > hull[2])
            self._grid.see_ray((start.x, start.y), end, hit)

    def _look(self, place: Place, parameters: ChaserParameters) -> RoomView:
        now, grid = self.now, self._grid
        passed = 0.0 if self._then is None else max(0.0, to_seconds(now - self._then))
        self._then = now
        heard = self.percepts.inbox.newest(PursuitState)
        if heard is not None and heard.message.phase in (PursuitPhase.HIT, PursuitPhase.OVER):
            return self._view_of(self._way(place, (HOME.x, HOME.y), parameters), None)
        track: BallTrack | None = self.percepts.track
        if track is not None:
            self._ball, self._view, self._turned = track, None, 0.0
            return self._view_of(self._detour(place, (track.target.x, track.target.y), parameters), None)
        if self._ball is not None:
            # It was lost just now.
            ball, self._ball = self._ball, None
            gone = parameters.target_speed * max(0.0, to_seconds(now - ball.seen)) + 2.0 * ball.target.sigma
            grid.begin_near(ball.target.x, ball.target.y, gone)
            self._side = 0.0
        else:
            grid.grow(parameters.target_speed * passed)
        self._see_images(parameters)
        self._count_turn(place)
        if not grid.possible.any():
            grid.begin_everywhere()
        return self._search(place, parameters)

    def _see_images(self, parameters: ChaserParameters) -> None:
        """The images since the last look showed no ball that was believed."""
        circles: Circles | None = self.percepts.circles
        if circles is None or circles.sequence == self._image:
            return
        self._image = circles.sequence
        there = self._history.at(circles.stamp)
        if there is not None:
            camera, field = self.equipment.camera_at(there), _FIELD * self.equipment.camera.hfov
            self._grid.see_nothing(camera.x, camera.y, camera.yaw, field, parameters.sight_reach)

    def _count_turn(self, place: Place) -> None:
        yaw = place.pose.yaw + (place.turret or (0.0, 0.0))[0]
        if self._yaw is not None and self._view is None:
            self._turned += abs(wrap(yaw - self._yaw))
        self._yaw = yaw

    def _search(self, place: Place, parameters: ChaserParameters) -> RoomView:
        """Look round, then go where more is to be seen."""
        pose = place.pose
        if self._view is not None:
            away = pose.distance_to(*self._view)
            late = to_seconds(self.now - self._since) > _PATIENCE_S
            way = () if late or away < max(_ARRIVED, self._grid.cell) else self._way(place, self._view, parameters)
            look = self._bearing(place, parameters)
            if way:
                return self._view_of(way, look if place.turret is not None else None)
            self._view, self._turned, self._side = None, 0.0, 0.0
        look = self._bearing(place, parameters)
        if look is not None and self._turned < _WHOLE:
            return self._view_of((), look)
        self._view = self._grid.next_view(
            pose.x, pose.y, parameters.sight_reach, parameters.clearance, parameters.speed
        )
        self._since, self._turned = self.now, 0.0
        if self._view is None:
            # Nothing that can be reached shows anything more: it must be elsewhere.
            self._grid.begin_everywhere()
            return self._view_of((), pose.yaw + 1.0)
        return self._view_of(self._way(place, self._view, parameters), look)

    def _bearing(self, place: Place, parameters: ChaserParameters) -> float | None:
        """Return the direction in which to look next: on to the side to which it turns, from where the camera looks."""
        bearings, of_all = self._grid.bearings_to_see(place.pose.x, place.pose.y, parameters.sight_reach)
        if not bearings.size or bearings.size < _WORTH * of_all:
            return None
        yaw = place.pose.yaw + (place.turret or (0.0, 0.0))[0]
        off = (bearings - yaw + math.pi) % math.tau - math.pi
        nearest = float(off[int(np.argmin(np.abs(off)))])
        if self._side == 0.0:
            self._side = math.copysign(1.0, nearest)
        onward = off[off * self._side > 0.0]
        if onward.size:
            nearest = float(onward[int(np.argmin(np.abs(onward)))])
        else:
            self._side = -self._side
        return wrap(yaw + nearest)

    def _detour(
        self, place: Place, goal: tuple[float, float], parameters: ChaserParameters
    ) -> tuple[tuple[float, float], ...]:
        """Return the way to a goal if something is in the straight one; empty otherwise."""
        return self._way(place, goal, parameters) if self._blocked(place, goal, parameters) else ()

    def _blocked(self, place: Place, goal: tuple[float, float], parameters: ChaserParameters) -> bool:
        return not self._grid.is_clear((place.pose.x, place.pose.y), goal, parameters.clearance)

    def _way(
        self, place: Place, goal: tuple[float, float], parameters: ChaserParameters
    ) -> tuple[tuple[float, float], ...]:
        """Return a way to a goal, shortened to what cannot be driven straight; straight where the grid knows none."""
        here = (place.pose.x, place.pose.y)
        if not self._blocked(place, goal, parameters):
            return (goal,)
        path = self._grid.path(*here, goal, parameters.clearance)
        if not path:
            return ()
        way, begin = [], here
        for point, after in pairwise(path):
            if not self._grid.is_clear(begin, after, parameters.clearance):
                way.append(point)
                begin = point
        return (*way, path[-1])

    def _view_of(self, way: tuple[tuple[float, float], ...], look: float | None) -> RoomView:
        return RoomView(way, look, float(self._grid.possible.mean()))
