"""Watch the arena: where the rabbit can be, and where to look for it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from py_trees.common import Status

from arena_trees.behaviours.base import PerceptBehaviour
from arena_trees.behaviours.bumps import BUMPED, BumpedObstacles
from arena_trees.behaviours.wolf_rabbit.parameters import WolfParameters
from arena_trees.control.pid import clamp
from arena_trees.control.place_history import Place, PlaceHistory
from arena_trees.control.searching.room_search import ROOM, RoomSearch, RoomView, Searcher
from arena_trees.control.searching.search_grid import SearchGrid
from arena_trees.games.wolf_rabbit.blackboard import CAUGHT_SIGNS, PACK, CaughtSigns, PackPlan, Point
from arena_trees.games.wolf_rabbit.messages import game_of
from arena_trees.robot import keys
from arena_trees.robot.clock import to_seconds
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.detections import Detections
from arena_trees.robot.geometry import Disc, Pose2D
from arena_trees.robot.percepts import GeofenceReport, Odometry, Target
from arena_trees.robot.repeat import Repeat
from arena_trees.robot.scan import Scan
from arena_trees.world.geofence import room_within

__all__ = ["WatchArena", "where_seen"]

_PERIOD_S = 0.2
"""Between two looks at the grid, s."""
_MOST_CELLS = 80
"""In a row of the grid: what looks cost grows with them, and a tick has 20 ms."""
_BEYOND = 0.6
"""The rabbit may be so far outside the fence, m."""
_ROOM = ((-3.0, -3.0), (3.0, -3.0), (3.0, 3.0), (-3.0, 3.0))
"""Where it is looked for by a wolf that has no fence, map frame, m."""
_SHARED = 0.3
"""A rabbit that another wolf sees is within this of where that one sees it, m."""
_HULL = 0.2
"""Further than the target's radius from where it is seen, returns are not its own, m."""


def where_seen(target: Target | None, odometry: Odometry | None, pose: Pose2D) -> Point | None:
    """Return where a target was seen last, map frame, m; None where that is not known.

    Args:
        target: with a position in the odom frame
        odometry: now
        pose: of base_link now, map frame
    """
    if target is None or target.position is None or odometry is None:
        return None
    there = pose.compose(odometry.pose.relative(Pose2D(*target.position, 0.0)))
    return there.x, there.y


class WatchArena(PerceptBehaviour):
    """Keep account of where the rabbit can be; belongs into the sensing branch. SUCCESS always.

    Where it can be grows with its greatest speed over the free floor, less what the camera has seen since. While it is
    out of sight, the view from which it is found soonest is chosen, well inside the fence.

    Blackboard Variables:
        * scan (Scan) [r]: what stands in the arena
        * detections (Detections) [r]: when an image was exposed, and whether it shows the rabbit
        * caught_signs (CaughtSigns) [r]: which signs of it are those of caught rabbits
        * pose (PoseEstimate), odometry (Odometry) [r]: own motion
        * target (Target) [r]: the rabbit, as it was seen last
        * geofence (GeofenceReport) [r]: how wide the fence's warning band is, in which no view is
        * bumped (BumpedObstacles) [r]: what the bumper has met twice, which no way leads through
        * inbox (Inbox) [r]: how many rabbits are caught, where there are several
        * pack (PackPlan) [r]: where others see the rabbit, and where this wolf cuts it off; only of a wolf in a pack
        * room (RoomView) [w]: None before the first pose, and while the rabbit is in sight

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters
        fence: corners of the robot's fence, map frame, m; empty where it has none
        pack: whether the wolf hunts in a pack
    """

    optional_reads = (PACK,)

    def __init__(
        self,
        name: str,
        robot: str,
        live: Live[WolfParameters],
        fence: Sequence[Point] = (),
        *,
        pack: bool = False,
    ) -> None:
        reads = (
            keys.SCAN, "detections", CAUGHT_SIGNS, keys.POSE, keys.ODOMETRY, keys.TARGET, keys.GEOFENCE, keys.INBOX,
            BUMPED, PACK,
        )  # fmt: skip
        super().__init__(name, robot, reads, (ROOM,))
        self.live = live
        self._fence = tuple(fence)
        self._pack = pack
        self._reset()

    def _reset(self) -> None:
        corners = self._fence or _ROOM
        low, high = map(min, zip(*corners, strict=True)), map(max, zip(*corners, strict=True))
        spans = list(zip(low, high, strict=True))
        centre = (sum(spans[0]) / 2.0, sum(spans[1]) / 2.0)
        half = max(end - begin for begin, end in spans) / 2.0 + _BEYOND
        self._grid = SearchGrid(half, max(self.live.value.search_cell, 2.0 * half / _MOST_CELLS), centre)
        self._band: float | None = None
        self._search = RoomSearch(self._grid)
        self._history = PlaceHistory()
        self._repeat = Repeat()
        self._then: int | None = None
        self._scan = self._image = 0
        self._seen: Target | None = None
        self._caught = 0
        self.outputs.room = None

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._reset()

    def update(self) -> Status:
        """Update the grid by scan and images and write the room view periodically; SUCCESS always."""
        percepts = self.percepts
        self._history.add(percepts.pose, percepts.odometry)
        place = self._history.at(self.now)
        if place is None:
            return Status.SUCCESS
        target: Target | None = percepts.target
        hunted = target if target is not None and target.in_sight else None
        self._see_scan(hunted, place)
        if self._repeat.due(self.now, _PERIOD_S):
            bumped: BumpedObstacles = percepts.bumped
            self._keep_inside()
            self._grid.block(map(place.pose.compose_disc, bumped.obstacles))
            self.outputs.room = self._look(hunted, place, self.live.value)
        return Status.SUCCESS

    def _keep_inside(self) -> None:
        """Keep ways inside the fence, and views out of its warning band where there is room for them."""
        report: GeofenceReport | None = self.percepts.geofence
        band = 0.0 if report is None else report.warning_distance
        if self._fence and band != self._band:
            self._band = band
            self._grid.keep_inside(room_within(self._fence, 0.0), room_within(self._fence, band))

    def _see_scan(self, hunted: Target | None, place: Place) -> None:
        scan: Scan | None = self.percepts.scan
        if scan is None or scan.sequence == self._scan:
            return
        self._scan = scan.sequence
        there = self._history.at(scan.stamp)
        if there is not None:
            self._grid.see_scan(scan, there.pose, self.live.value.search_scan_reach, self._hull(hunted, place))

    def _hull(self, hunted: Target | None, place: Place) -> Disc | None:
        """Return a disc of the map frame whose returns are the rabbit's own."""
        spot = where_seen(hunted, self.percepts.odometry, place.pose)
        return None if spot is None else (*spot, self.live.value.target_radius + _HULL)

    def _look(self, hunted: Target | None, place: Place, parameters: WolfParameters) -> RoomView | None:
        search, searcher = self._search, self._searcher(parameters)
        passed = 0.0 if self._then is None else max(0.0, to_seconds(self.now - self._then))
        self._then = self.now
        pack: PackPlan = self.percepts.pack if self._pack else PackPlan()
        if hunted is not None:
            self._seen = hunted
            search.see_target()
        if pack.place is not None:
            return RoomView(search.way(place.pose, pack.place, parameters.search_clearance), None)
        if hunted is not None:
            return None
        if self._others_left(place):
            self._grid.begin_everywhere()
        elif self._seen is not None:
            # It was lost just now.
            lost, self._seen = self._seen, None
            spot = where_seen(lost, self.percepts.odometry, place.pose)
            if spot is not None:
                velocity = self._velocity(lost, place, spot, parameters)
                search.lose_target(*spot, velocity, lost.range_sigma, searcher)
        elif pack.rabbit is not None:
            self._grid.begin_near(*pack.rabbit, _SHARED)
        else:
            self._grid.grow(parameters.search_target_speed * passed)
        self._see_images(searcher, parameters)
        return search.look(place.pose, None, searcher, self.now)

    def _others_left(self, place: Place) -> bool:
        """Return whether one of several rabbits was caught since the last look, and no other has been chased since."""
        game = game_of(self.percepts.inbox)
        if len(game.caught) == self._caught:
            return False
        self._caught = len(game.caught)
        seen, self._seen = self._seen, None
        spot = where_seen(seen, self.percepts.odometry, place.pose)
        if spot is None or game.caught_near(spot, self.live.value.caught_radius):
            return True
        self._seen = seen
        return False

    def _velocity(
        self, lost: Target, place: Place, spot: tuple[float, float], parameters: WolfParameters
    ) -> tuple[float, float]:
        """Return the rabbit's velocity across the line of sight, map frame, m/s; the rest of it is not known."""
        away = place.pose.distance_to(*spot)
        # A column that moved right means that the rabbit went to the right: clockwise.
        rate = -lost.velocity_px / parameters.camera.focal_px(lost.image_width)
        across = clamp(rate * away, parameters.search_target_speed)
        sight = place.pose.yaw + place.pose.bearing_to(*spot)
        return -across * math.sin(sight), across * math.cos(sight)

    def _see_images(self, searcher: Searcher, parameters: WolfParameters) -> None:
        """Take in the newest image, where it showed no rabbit."""
        signs: CaughtSigns = self.percepts.caught_signs
        image: Detections | None = signs.left(self.percepts.detections)
        if image is None or image.sequence == self._image:
            return
        self._image = image.sequence
        there = self._history.at(image.stamp)
        if there is not None and image.best(parameters.target_label) is None:
            self._search.see_nothing(there.pose.compose(Pose2D(parameters.camera_x, 0.0, 0.0)), searcher)

    def _searcher(self, parameters: WolfParameters) -> Searcher:
        return Searcher(
            math.radians(parameters.camera_hfov_deg), parameters.search_sight_reach, parameters.search_speed,
            parameters.look_turn_speed, parameters.search_clearance, parameters.search_target_speed,
        )  # fmt: skip
