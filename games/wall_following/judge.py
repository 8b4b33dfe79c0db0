"""The judge of wall following: distance from the wall, laps, and how calmly they are driven, by the truth."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import shapely

from arena_trees.games.common_judge import CommonJudge
from arena_trees.games.figures import TIME, Chart, Curve, Mark
from arena_trees.games.game import GameContext, Player
from arena_trees.games.metrics import Value
from arena_trees.games.truth import Observation
from arena_trees.games.wall_following.blackboard import LEADER, LeaderSighting
from arena_trees.games.wall_following.chase import FollowObserver
from arena_trees.games.wall_following.laps import Lap, LapRules
from arena_trees.games.wall_following.observers import (
    DistanceBand,
    DistanceObserver,
    GateObserver,
    HeadingObserver,
    StuckObserver,
    WallDistance,
)
from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.world.line_of_sight import LineOfSight
from arena_trees.world.shapes import Layer, Polygon, Shape

__all__ = ["WallFollowingJudge"]

_EVERY = from_seconds(0.1)
"""Between two points of a chart, ns."""
_IDEAL, _RIM = "#5c8f4a", "#a9c39c"


class _Driver:
    """What is measured of one robot, up to the end of its lap."""

    def __init__(
        self, player: Player, band: DistanceBand, wall: WallDistance, chase: FollowObserver | None, step_s: float
    ) -> None:
        self.wall = wall
        self.chase = chase
        self.lap: Lap | None = None
        self.finished_at: tuple[float, float] | None = None
        self.distance = DistanceObserver(wall, band)
        self.heading = HeadingObserver(band.ideal / band.speed, step_s)
        self.stuck = StuckObserver(player.body.radius)
        self.gate = GateObserver()
        self.course: list[tuple[float, float]] = []
        self._sampled: int | None = None

    def observe(self, name: str, seen: Observation, rules: LapRules) -> None:
        sample = seen.truth.get(name)
        if sample is None:
            return
        if self.lap is None:
            self.lap = Lap(rules, sample.pose, seen.now)
        elif self.lap.time_s is not None:
            return
        record = seen.ticks.get(name)
        self.lap.observe(seen.now, sample.pose)
        if self.lap.time_s is not None:
            self.finished_at = sample.pose.x, sample.pose.y
        sighting = None if record is None else record.blackboard.get(LEADER)
        sighting = sighting if isinstance(sighting, LeaderSighting) and sighting.followed else None
        self.distance.observe(sample, record, following=sighting is None)
        if self.chase is not None:
            self.chase.observe(seen.now, seen.truth, sighting)
        self.heading.observe(sample.twist.angular)
        self.stuck.observe(sample)
        if record is not None:
            self.gate.observe(record)
        if self._sampled is None or seen.now - self._sampled >= _EVERY:
            self._sampled = seen.now
            self.course.append((to_seconds(seen.now), self.wall(sample.pose.x, sample.pose.y)))

    def values(self) -> dict[str, Value]:
        return {
            **self.distance.values(),
            **self.heading.values(),
            **({} if self.chase is None else self.chase.values()),
            "lap_time_s": None if self.lap is None else self.lap.time_s,
            "stuck_count": self.stuck.count,
            "gate_share": self.gate.share,
        }


class WallFollowingJudge(CommonJudge):
    """Watches a trial from outside.

    The outcome is lap where every robot completed its own, collided, over or aborted. Without rules, in isolation, laps
    are timed all the same.

    Args:
        context: what is played
        bands: what each robot is to keep, by its name
    """

    def __init__(self, context: GameContext, bands: Mapping[str, DistanceBand]) -> None:
        super().__init__(context)
        self._bands = bands
        self._rules = context.rules_as(LapRules)
        self._solids = () if context.arena is None else context.arena.solids()
        wall = WallDistance(self._solids)
        self._drivers: dict[str, _Driver] = {}
        self._wall = wall

    @property
    def _complete(self) -> bool:
        """Whether every robot has completed its lap."""
        laps = [driver.lap for driver in self._drivers.values()]
        return bool(laps) and all(lap is not None and lap.time_s is not None for lap in laps)

    def observe(self, seen: Observation) -> None:
        """Look at an instant."""
        self.count(seen)
        for name, player in self.context.players.items():
            if name not in self._drivers:
                chase = self._chase(player)
                self._drivers[name] = _Driver(player, self._bands[name], self._wall, chase, to_seconds(seen.step))
            self._drivers[name].observe(name, seen, self._rules)
        self.follow_end(seen)
        if self.context.isolated and self._complete and not self.over:
            self.over, self.outcome, self.reason = True, "lap", "all laps are complete"
            self.ended_s = to_seconds(seen.now)

    def _chase(self, player: Player) -> FollowObserver | None:
        """Return what watches a robot that follows another one; None of others, and where nobody else drives."""
        if player.role != "robot_follower":
            return None
        others = {name: other.body.radius for name, other in self.context.players.items() if name != player.name}
        return FollowObserver(player.name, others, LineOfSight(self._solids), self._bands[player.name].follow_distance)

    def values(self) -> dict[str, Value]:
        """Return what the trial is judged by."""
        values: dict[str, Value] = {"laps_completed": self._complete}
        for name, driver in self._drivers.items():
            values |= {f"{name}_{key}": value for key, value in driver.values().items()}
        return {**values, **super().values()}

    def marks(self) -> Sequence[Mark]:
        """Return where and when laps ended, and where a robot was taken to be seen that was not."""
        marks = [
            Mark(driver.lap.time_s, *driver.finished_at, f"{name}: lap", "#3c7a2b")
            for name, driver in self._drivers.items()
            if driver.lap is not None and driver.lap.time_s is not None and driver.finished_at is not None
        ]
        for driver in self._drivers.values():
            marks += [] if driver.chase is None else driver.chase.marks
        return marks

    def charts(self) -> Sequence[Chart]:
        """Return how far the robots were from the wall."""
        curves = tuple(
            Curve(name, tuple(now for now, _ in driver.course), tuple(far for _, far in driver.course))
            for name, driver in self._drivers.items()
            if all(math.isfinite(far) for _, far in driver.course)
        )
        return [Chart("Distance from the wall, m", TIME, "", curves)]

    def shapes(self) -> Sequence[Shape]:
        """Return the lines at the ideal distance, and at the tolerance about it."""
        bands = dict.fromkeys((band.ideal, band.tolerance) for band in self._bands.values())
        area = shapely.union_all([solid.polygon() for solid in self._solids])
        shapes: list[Shape] = []
        for ideal, tolerance in bands if not area.is_empty else ():
            for distance, colour, name in (
                (ideal, _IDEAL, "ideal distance"),
                (ideal - tolerance, _RIM, "tolerance"),
                (ideal + tolerance, _RIM, ""),
            ):
                ring = area.buffer(distance)
                for part in getattr(ring, "geoms", (ring,)):
                    points = tuple(part.exterior.coords[:-1])
                    shapes.append(
                        Polygon(points, None, colour, 0.02, dash=0.2, layer=Layer.FLOOR + 1, group="band", name=name)
                    )
        return shapes
