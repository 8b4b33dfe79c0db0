"""The judge of a pursuit: shots, sightings, odometry and the way home, by the truth."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from arena_trees.games.common_judge import CommonJudge
from arena_trees.games.figures import TIME, Chart, Curve, Mark
from arena_trees.games.game import GameContext
from arena_trees.games.metrics import Value
from arena_trees.games.pursuit.blackboard import QUARRY, RECKONED, Quarry
from arena_trees.games.pursuit.home import HOME
from arena_trees.games.pursuit.laser import centre_of
from arena_trees.games.pursuit.messages import AtHome
from arena_trees.games.pursuit.rules import PursuitRules, laser_of, sight_of
from arena_trees.games.pursuit.shooting import ShotObserver
from arena_trees.games.pursuit.sightings import SightingObserver, VisibilityModel
from arena_trees.games.truth import Observation
from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.robot.geometry import Pose2D, wrap
from arena_trees.robot.messaging.game_message import MessageError
from arena_trees.robot.repeat import Repeat
from arena_trees.world.body import Sphere
from arena_trees.world.shapes import Disc, Layer, Path, Shape

__all__ = ["PursuitJudge"]

ValueT = TypeVar("ValueT")

_EVERY_S = 0.2
"""Between two points of a trail and of the chart."""
_TRAILS = {"chaser": "#8c3b1f", "evader": "#2c5f86"}
_BELIEVED = "#7a3e9d"


class PursuitJudge(CommonJudge):
    """Watches a trial from outside.

    The outcome is home after a hit and the way home, hit where the way home was not ended in time, escaped, or aborted.
    Shots are judged by the truth and by the rules of the scenario, also in isolation, where no messages are passed.
    """

    def __init__(self, context: GameContext) -> None:
        super().__init__(context)
        chaser, evader = context.with_role("chaser"), context.with_role("evader")
        self._names = {role: name for role, name in (("chaser", chaser), ("evader", evader)) if name is not None}
        self._shots: ShotObserver | None = None
        self._sightings: SightingObserver | None = None
        if chaser is not None and evader is not None:
            hunter, hunted = context.players[chaser], context.players[evader]
            self._shots = ShotObserver(laser_of(context, hunter, hunted), context.rules_as(PursuitRules))
            self._ball = hunted.body.sphere or Sphere()
            if hunter.camera is not None:
                self._sightings = SightingObserver(
                    VisibilityModel(hunter.body, hunter.camera, self._ball, sight_of(context))
                )
        self._reckoned: dict[str, list[tuple[float, float]]] = {role: [] for role in self._names}
        self._odometry: dict[str, float] = {}
        self._distances: list[tuple[float, float]] = []
        self._sampled = Repeat()
        self._touched = False
        self._hit_place: tuple[float, float] | None = None
        self._home: tuple[Pose2D, Pose2D] | None = None

    def observe(self, seen: Observation) -> None:
        """Look at an instant."""
        self.count(seen)
        chaser = seen.truth.get(self._names.get("chaser", ""))
        evader = seen.truth.get(self._names.get("evader", ""))
        if chaser is not None:
            self._touched = self._touched or bool(chaser.contacts)
        if self._shots is not None and chaser is not None and evader is not None and self._shots.hit is None:
            if self._sightings is not None:
                self._sightings.observe(seen.now, seen.step, chaser, evader, self._quarry(seen))
            if self._shots.observe(seen.now, chaser, evader):
                self._hit_place = centre_of(evader, self._ball)[:2]
        self._follow_odometry(seen)
        self._note_home(seen)
        self._check_end(seen)

    def values(self) -> dict[str, Value]:
        """Return what the trial is judged by."""
        values: dict[str, Value] = {}
        if self._shots is not None:
            values |= self._shots.values()
            if self._sightings is not None:
                values |= self._sightings.values()
            values |= self._home_values()
        if "chaser" in self._names:
            values["contact_free"] = not self._touched
        for role, error in self._odometry.items():
            values[f"{self._names[role]}_odometry_error_m"] = error
        return {**values, **super().values()}

    def marks(self) -> Sequence[Mark]:
        """Return the shots, and where the chaser was when it reported being home."""
        marks = list(self._shots.marks()) if self._shots is not None else []
        if self._home is not None and self.ended_s is not None:
            true, _ = self._home
            marks.append(Mark(self.ended_s, true.x, true.y, "home", "#f2c230"))
        return marks

    def charts(self) -> Sequence[Chart]:
        """Return the error of the believed range, and how far the robots were from each other."""
        charts = [] if self._sightings is None else [self._sightings.chart()]
        if self._shots is not None:
            curve = Curve("", tuple(now for now, _ in self._distances), tuple(far for _, far in self._distances))
            charts.append(Chart("Distance between the robots, m", TIME, "", (curve,)))
        return charts

    def shapes(self) -> Sequence[Shape]:
        """Return the ways by odometry alone, and where the chaser believed the ball while it saw it."""
        shapes: list[Shape] = [
            Path(
                tuple(way), _TRAILS[role], 0.03, dash=0.12, layer=Layer.FLOOR + 1, group="odometry",
                name=f"{self._names[role]} by its odometry",
            )
            for role, way in self._reckoned.items()
        ]  # fmt: skip
        places = [] if self._sightings is None else self._sightings.places
        shapes += [
            Disc(
                x, y, 0.05, _BELIEVED, None, alpha=0.7, layer=Layer.THINGS, group="believed",
                name="" if number else "believed place of the evader",
            )
            for number, (x, y) in enumerate(places)
        ]  # fmt: skip
        if self._hit_place is not None:
            shapes.append(Disc(*self._hit_place, self._ball.diameter / 2.0, "#3fa34d", None, alpha=0.6, group="ball"))
        return shapes

    def _quarry(self, seen: Observation) -> Quarry | None:
        return _on_board(seen, self._names["chaser"], QUARRY, Quarry)

    def _follow_odometry(self, seen: Observation) -> None:
        due = self._sampled.due(seen.now, _EVERY_S)
        for role, name in self._names.items():
            start, sample = self.context.players[name].start, seen.truth.get(name)
            way = _on_board(seen, name, RECKONED, Pose2D)
            if start is None or sample is None or way is None:
                continue
            place = start.compose(way)
            self._odometry[role] = sample.pose.distance_to(place.x, place.y)
            if due:
                self._reckoned[role].append((place.x, place.y))
        poses = [seen.truth[name].pose for name in self._names.values() if name in seen.truth]
        if due and len(poses) == 2:
            self._distances.append((to_seconds(seen.now), poses[0].distance_to(poses[1].x, poses[1].y)))

    def _note_home(self, seen: Observation) -> None:
        """Note the chaser's first word that it is home after a hit, and where it was then."""
        chaser = self._names.get("chaser", "")
        if self._home is not None or chaser not in seen.truth or self._shots is None or self._shots.hit is None:
            return
        for message in seen.messages:
            if message.topic == AtHome.topic and message.sender == chaser:
                try:
                    report = AtHome.decode(dict(message.payload))
                except MessageError:
                    continue
                self._home = seen.truth[chaser].pose, Pose2D(report.x, report.y, report.yaw)
                return

    def _home_values(self) -> dict[str, Value]:
        values: dict[str, Value] = {}
        for number, name in enumerate(("error", "believed")):
            pose = None if self._home is None else self._home[number]
            values[f"return_{name}_m"] = None if pose is None else HOME.distance_to(pose.x, pose.y)
            values[f"return_{name}_deg"] = None if pose is None else abs(math.degrees(wrap(pose.yaw - HOME.yaw)))
        return values

    def _check_end(self, seen: Observation) -> None:
        self.follow_end(seen)
        hit = None if self._shots is None else self._shots.hit
        lit = from_seconds(self.context.rules_as(PursuitRules).lit_s)
        if hit is not None and self.context.isolated and seen.now - hit.now >= lit:
            # Without messages the chaser does not learn of its hit.
            self.over, self.ended_s = True, to_seconds(hit.now)
        if hit is not None and self.reason == "time is up" and seen.end is None:
            self.outcome, self.reason = "hit", f"at {hit.aim.distance:.2f} m"
        if self.over and self.outcome == "over" and self._shots is not None:
            self.outcome = "escaped"


def _on_board(seen: Observation, robot: str, key: str, kind: type[ValueT]) -> ValueT | None:
    """Return what a robot has on its blackboard under a key; None where it is none of a kind, or the robot is dead."""
    record = seen.ticks.get(robot)
    board: Mapping[str, Any] = {} if record is None else record.blackboard
    value = board.get(key)
    return value if isinstance(value, kind) else None
