"""Hunt in a pack: tell the others what is seen, and cut the rabbit's way off while another wolf drives it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import shapely
from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour, PerceptBehaviour
from arena_trees.behaviours.wolf_rabbit.parameters import WolfParameters
from arena_trees.behaviours.wolf_rabbit.watch_arena import where_seen
from arena_trees.games.wolf_rabbit.blackboard import PACK, PackPlan, Point
from arena_trees.games.wolf_rabbit.messages import Sighting, game_of
from arena_trees.robot import keys
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.percepts import GeofenceReport, PoseEstimate
from arena_trees.robot.repeat import Repeat
from arena_trees.world.geofence import room_within

__all__ = ["CutsOff", "HuntInPack"]

_THERE = 0.3
"""A place to wait for the rabbit is reached within this, m."""
_NEARER = 0.2
"""Another wolf drives the rabbit once it is so much nearer than who drives it now, m."""
_SPREAD = math.radians(70.0)
"""Between the places of two wolves that cut it off, seen from the rabbit, rad."""


class HuntInPack(ActionBehaviour):
    """Tell the other wolves where this one is and sees the rabbit, and choose its part; in the sensing branch.

    The wolf that is nearest drives the rabbit. Each other one goes to where the rabbit flees to from that one:
    ``pack_ahead`` beyond it, several of them side by side, well inside the fence. There, or so near to the rabbit, it
    hunts by its own eyes. SUCCESS always.

    Blackboard Variables:
        * target (Target), pose (PoseEstimate), odometry (Odometry) [r]: what it sees itself, and where it is
        * geofence (GeofenceReport) [r]: how wide the fence's warning band is
        * inbox (Inbox) [r]: the others' sightings, and where rabbits were caught
        * pack (PackPlan) [w]
        * outbox [w]: its own ``sighting``, each ``pack_period``

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters
        fence: corners of the robot's fence, map frame, m; empty where it has none
    """

    def __init__(self, name: str, robot: str, live: Live[WolfParameters], fence: Sequence[Point] = ()) -> None:
        reads = (keys.TARGET, keys.POSE, keys.ODOMETRY, keys.GEOFENCE, keys.INBOX)
        super().__init__(name, robot, reads, (PACK,))
        self.live = live
        self._fence = tuple(fence)
        self._reset()

    def _reset(self) -> None:
        self._repeat = Repeat()
        self._driver = ""
        self.outputs.pack = PackPlan()

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._reset()

    def update(self) -> Status:
        """Send what is seen, periodically, and write the part that this wolf has; SUCCESS always."""
        estimate: PoseEstimate | None = self.percepts.pose
        if estimate is None:
            self.outputs.pack = PackPlan()
            return Status.SUCCESS
        pose, target = estimate.pose, self.percepts.target
        seen = where_seen(target, self.percepts.odometry, pose) if target is not None and target.in_sight else None
        if seen is not None and self._is_caught(seen):
            seen = None
        if self._repeat.due(self.now, self.live.value.pack_period):
            self.send(Sighting(x=pose.x, y=pose.y, rabbit=seen))
        self.outputs.pack = self._plan((pose.x, pose.y), seen)
        return Status.SUCCESS

    def _plan(self, own: Point, seen: Point | None) -> PackPlan:
        wolves = {self.robot: own}
        age = from_seconds(self.live.value.pack_memory_s)
        newest = 0
        rabbit = seen
        for name, received in self.percepts.inbox[Sighting].items():
            if name == self.robot or received.age(self.now) > age:
                continue
            wolves[name] = (received.message.x, received.message.y)
            there = received.message.rabbit
            if seen is None and there is not None and received.arrival > newest and not self._is_caught(there):
                newest, rabbit = received.arrival, there
        if rabbit is None or len(wolves) == 1:
            self._driver = ""
            return PackPlan(rabbit)
        away = {name: math.dist(place, rabbit) for name, place in wolves.items()}
        nearest = min(away, key=lambda name: (away[name], name))
        if self._driver not in away or away[nearest] < away[self._driver] - _NEARER:
            self._driver = nearest
        if self._driver == self.robot or away[self.robot] < self.live.value.pack_ahead:
            return PackPlan(rabbit)
        place = self._place(rabbit, wolves)
        return PackPlan(rabbit, None if math.dist(own, place) < _THERE else place)

    def _is_caught(self, place: Point) -> bool:
        return game_of(self.percepts.inbox).caught_near(place, self.live.value.caught_radius)

    def _place(self, rabbit: Point, wolves: dict[str, Point]) -> Point:
        """Return where this wolf waits for a rabbit that another one drives."""
        others = sorted(name for name in wolves if name != self._driver)
        side = others.index(self.robot) - (len(others) - 1) / 2.0
        driver = wolves[self._driver]
        bearing = math.atan2(rabbit[1] - driver[1], rabbit[0] - driver[0]) + side * _SPREAD
        ahead = self.live.value.pack_ahead
        place = rabbit[0] + ahead * math.cos(bearing), rabbit[1] + ahead * math.sin(bearing)
        if not self._fence:
            return place
        report: GeofenceReport | None = self.percepts.geofence
        room = room_within(self._fence, 0.0 if report is None else report.warning_distance)
        nearest = shapely.shortest_line(room, shapely.Point(place))
        x, y = shapely.get_coordinates(nearest)[0].tolist()
        return x, y


class CutsOff(PerceptBehaviour):
    """SUCCESS while this wolf has a place to cut the rabbit off at. FAILURE otherwise.

    Blackboard Variables:
        * pack (PackPlan) [r]
    """

    def __init__(self, name: str, robot: str) -> None:
        super().__init__(name, robot, (PACK,))

    def update(self) -> Status:
        """Return SUCCESS if another wolf drives the rabbit and this one goes ahead of it, FAILURE otherwise."""
        pack: PackPlan = self.percepts.pack
        return Status.FAILURE if pack.place is None else Status.SUCCESS
