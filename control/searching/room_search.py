"""Search of a room: go and look where a target that was lost can be."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from arena_trees.control.searching.search_grid import SearchGrid
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.repeat import Repeat

__all__ = ["ROOM", "RoomSearch", "RoomView", "Searcher", "Way"]

Way = tuple[tuple[float, float], ...]

ROOM = "room"
"""Key of the blackboard: the RoomView of a robot that searches, or None before it knows where it is."""

_ARRIVED = 0.25
"""A view is reached within this, m, or within a cell."""
_CHOICE_S = 1.0
"""Between two choices of a view, s."""
_FIELD = 0.8
"""Share of the field of view in which a target would surely have been seen."""
_AHEAD = 0.4
"""Directions within this share of the field of view are looked at without a turn."""
_ONWARD_S = 1.0
"""A target that is lost is looked for where it would be after so long, s."""
_STOP = 2.0
"""The robot stops to look round where that finds the target so many times sooner than going on."""
_STAY = 1.0
"""And looks round while that finds the target so many times sooner: each change costs a turn."""


@dataclass(frozen=True, slots=True)
class RoomView:
    """What a robot makes of the room while it looks for its target, and of its ways through it.

    Attributes:
        way: points to drive along, map frame, m; the last is the goal; empty where there is nowhere to go
        obstacles: discs (x, y, radius), map frame, m, that are in the way though no sensor shows them now
        look: direction in which to look from here, rad, map frame; None where nothing is to be seen from here
    """

    way: Way
    look: float | None
    obstacles: tuple[tuple[float, float, float], ...] = ()

    def __str__(self) -> str:
        return "looks round" if not self.way else f"to ({self.way[-1][0]:.1f}, {self.way[-1][1]:.1f})"


@dataclass(frozen=True, slots=True)
class Searcher:
    """What a robot that searches can do, and what it looks for.

    Attributes:
        hfov: of its camera, rad
        reach: within which it sees the target, m
        speed: at which it drives, m/s
        turn_rate: at which it looks round, rad/s
        clearance: of its ways, from the hull's centre to obstacles, m
        target_speed: greatest speed of the target, m/s
    """

    hfov: float
    reach: float
    speed: float
    turn_rate: float
    clearance: float
    target_speed: float


class RoomSearch:
    """Chooses directions to look in and places to go to, by where the target can be.

    Args:
        grid: of the room, map frame
    """

    def __init__(self, grid: SearchGrid) -> None:
        self.grid = grid
        self._view: tuple[float, float] | None = None
        self._prospect = 0.0
        self._looks = False
        self._choices = Repeat()

    def see_target(self) -> None:
        """The target is in sight: there is nothing to go to for a look."""
        self._view = None

    def lose_target(self, x: float, y: float, velocity: tuple[float, float], sigma: float, searcher: Searcher) -> None:
        """The target was lost just now.

        Args:
            x: where it was last believed to be, map frame, m
            y: the same
            velocity: that it had, map frame, m/s
            sigma: standard deviation of its place, m
            searcher: who looks for it
        """
        gone = 0.5 * searcher.target_speed * _ONWARD_S + 2.0 * sigma
        self.grid.begin_near(x + _ONWARD_S * velocity[0], y + _ONWARD_S * velocity[1], gone)
        self._choices.at_once()

    def see_nothing(self, camera: Pose2D, searcher: Searcher) -> None:
        """An image from a camera's pose (map frame) showed no target."""
        self.grid.see_nothing(camera.x, camera.y, camera.yaw, _FIELD * searcher.hfov, searcher.reach)

    def look(self, pose: Pose2D, turret_yaw: float | None, searcher: Searcher, now: int) -> RoomView:
        """Return where the target is found soonest, from here or from a better view.

        Args:
            pose: of base_link, map frame
            turret_yaw: direction of the camera, base_link, rad; None where it is fixed to the base
            searcher: who looks
            now: ns
        """
        # What is ahead is seen on the way.
        least_turn = _AHEAD * searcher.hfov if turret_yaw is None else 0.0
        look, here = self.grid.direction_to_look(
            pose.x, pose.y, pose.yaw + (turret_yaw or 0.0), searcher.hfov, searcher.turn_rate, searcher.reach,
            least_turn,
        )  # fmt: skip
        if self._view is not None and pose.distance_to(*self._view) < max(_ARRIVED, self.grid.cell):
            self._view = None
        if self._view is None or self._choices.due(now, _CHOICE_S):
            self._choose(pose, searcher)
        way = () if self._view is None else self.way(pose, self._view, searcher.clearance)
        self._looks = turret_yaw is None and here > (_STAY if self._looks else _STOP) * self._prospect
        if self._looks or not way:
            return RoomView((), look)
        return RoomView(way, look if turret_yaw is not None else None)

    def detour(self, pose: Pose2D, goal: tuple[float, float], clearance: float) -> Way:
        """Return the way to a goal if something is in the straight one; empty otherwise."""
        return () if self.grid.is_clear((pose.x, pose.y), goal, clearance) else self.way(pose, goal, clearance)

    def way(self, pose: Pose2D, goal: tuple[float, float], clearance: float) -> Way:
        """Return a way to a goal, shortened to what cannot be driven straight; straight where the grid knows none."""
        is_clear = self.grid.clear_test(clearance)
        if is_clear((pose.x, pose.y), goal):
            return (goal,)
        path = self.grid.path(pose.x, pose.y, goal, clearance)
        if not path:
            return ()
        way, begin = [], (pose.x, pose.y)
        for point, after in pairwise(path):
            if not is_clear(begin, after):
                way.append(point)
                begin = point
        return (*way, path[-1])

    def _choose(self, pose: Pose2D, searcher: Searcher) -> None:
        self.grid.confine(pose.x, pose.y)
        found = self.grid.next_view(
            pose.x, pose.y, searcher.reach, searcher.clearance, searcher.speed, self._view
        )  # fmt: skip
        self._view, self._prospect = (None, 0.0) if found is None else found
