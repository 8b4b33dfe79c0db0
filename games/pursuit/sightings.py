"""Sightings: compares what the chaser believes of the ball with what its camera could see."""

from __future__ import annotations

import math
from collections.abc import Sequence

from arena_trees.games.figures import TIME, Chart, Curve
from arena_trees.games.metrics import Value
from arena_trees.games.pursuit.blackboard import Quarry
from arena_trees.games.pursuit.laser import centre_of
from arena_trees.games.truth import TruthSample
from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.robot.geometry import wrap
from arena_trees.robot.repeat import Repeat
from arena_trees.world.body import Body, Sphere
from arena_trees.world.camera_pose import CameraMount, CameraPose
from arena_trees.world.line_of_sight import LineOfSight, Point3
from arena_trees.world.pinhole import Pinhole

__all__ = ["SightingObserver", "VisibilityModel"]

_NEAREST, _FARTHEST = 1.0, 8.0
"""Ranges are judged between these, and a chaser need not see a ball beyond the second, m."""
_GLANCE = from_seconds(0.2)
"""A ball that can be seen for less than this is not missed."""
_GRACE = from_seconds(0.5)
"""What was in the picture this long ago may still be believed, for the first time too."""
_ASTRAY = 2.0
"""Whoever believes the ball more than this many times as far away as it is, or as near, believes in something else."""
_EDGE = math.radians(2.0)
"""Added to the picture's edge before a ball counts as outside."""
_EVERY_S = 0.2
"""Between two points of the chart."""
_APART_S = 0.5
"""Between two believed places that are drawn."""


class VisibilityModel:
    """The chaser's camera, as far as its picture reaches.

    Attributes:
        half_width: half of its horizontal field of view, rad

    Args:
        body: of the chaser
        camera: its pinhole
        ball: that it looks for
        sight: walls and boxes
    """

    def __init__(self, body: Body, camera: Pinhole, ball: Sphere, sight: LineOfSight) -> None:
        self.half_width = camera.hfov / 2.0
        self._mount = CameraMount.on(body, camera.mount_x, camera.mount_z)
        self._half_height = math.atan(math.tan(self.half_width) * camera.height / camera.width)
        self._ball = ball
        self._sight = sight

    def sees(self, chaser: TruthSample, evader: TruthSample) -> bool:
        """Return whether the ball's centre is in the picture and near enough, and nothing hides it."""
        camera, centre, distance = self._look(chaser, evader)
        inside = self._beyond(camera, centre) <= 0.0
        return inside and distance <= _FARTHEST and self._sight.clear((camera.x, camera.y, camera.z), centre)

    def may_see(self, chaser: TruthSample, evader: TruthSample) -> bool:
        """Return whether any part of the ball can be in the picture, however far away."""
        camera, centre, distance = self._look(chaser, evader)
        radius = self._ball.diameter / 2.0
        if self._beyond(camera, centre) > _EDGE + math.asin(min(1.0, radius / max(distance, radius))):
            return False
        eye = camera.x, camera.y, camera.z
        side = math.atan2(centre[1] - camera.y, centre[0] - camera.x) + math.pi / 2.0
        dx, dy = radius * math.cos(side), radius * math.sin(side)
        x, y, z = centre
        points: Sequence[Point3] = (centre, (x + dx, y + dy, z), (x - dx, y - dy, z), (x, y, z + radius))
        return any(self._sight.clear(eye, point) for point in points)

    def _look(self, chaser: TruthSample, evader: TruthSample) -> tuple[CameraPose, Point3, float]:
        camera = self._mount.pose(chaser.pose, chaser.turret)
        centre = centre_of(evader, self._ball)
        return camera, centre, math.dist((camera.x, camera.y, camera.z), centre)

    def _beyond(self, camera: CameraPose, point: Point3) -> float:
        """Return the angle (rad) by which a point is outside the picture; not more than 0 inside."""
        ahead, left, up = camera.place(point)
        if ahead <= 0.0:
            return math.inf
        return max(abs(math.atan2(left, ahead)) - self.half_width, abs(math.atan2(up, ahead)) - self._half_height)


class SightingObserver:
    """Times when the ball comes into sight and is believed, leaves it and is given up, and how far away it is believed.

    Args:
        eye: of the chaser
    """

    def __init__(self, eye: VisibilityModel) -> None:
        self.places: list[tuple[float, float]] = []
        self._eye = eye
        self._watched = 0
        self._detections: list[float] = []
        self._losses: list[float] = []
        self._last_seen: list[float] = []
        self._missed = 0
        self._false = 0
        self._ranges = (0, 0.0, 0.0)
        self._visible_since: int | None = None
        self._gone_since: int | None = None
        self._astray_since: int | None = None
        self._possible_at: int | None = None
        self._believed: Quarry | None = None
        self._points: list[tuple[float, float]] = []
        self._drawn, self._charted = Repeat(), Repeat()

    def observe(self, now: int, step: int, chaser: TruthSample, evader: TruthSample, quarry: Quarry | None) -> None:
        """Look at an instant (ns), which lasts for a step (ns)."""
        self._watched += step
        quarry = quarry if quarry is not None and quarry.in_sight else None
        possible = self._eye.may_see(chaser, evader)
        if possible:
            self._possible_at = now
        self._watch_detection(now, quarry is not None, possible and self._eye.sees(chaser, evader))
        self._watch_truth(now, chaser, evader, quarry)
        self._watch_loss(now, quarry, possible, evader)
        if quarry is not None:
            self._measure(now, chaser, evader, quarry)
        elif self._points and not math.isnan(self._points[-1][1]):
            self._points.append((to_seconds(now), math.nan))
        self._believed = quarry

    def values(self) -> dict[str, Value]:
        """Return what sightings are judged by; None where nothing was measured."""
        ticks, absolute, signed = self._ranges
        watched_s = to_seconds(self._watched)
        return {
            "range_ticks": ticks,
            "range_mae_pct": absolute / ticks if ticks else None,
            "range_bias_pct": signed / ticks if ticks else None,
            "sightings": len(self._detections),
            "detection_latency_s": _mean(self._detections),
            "missed_sightings": self._missed,
            "losses": len(self._losses),
            "loss_latency_s": _mean(self._losses),
            "watched_s": watched_s,
            "false_detections": self._false,
            "false_detections_per_10_min": self._false * 600.0 / watched_s if watched_s else None,
            "last_seen": len(self._last_seen),
            "last_seen_error_m": _mean(self._last_seen),
        }

    def chart(self) -> Chart:
        """Return the error of the believed range over the time."""
        xs, ys = tuple(now for now, _ in self._points), tuple(error for _, error in self._points)
        return Chart("Believed range - true range, m", TIME, "", (Curve("", xs, ys),))

    def _watch_detection(self, now: int, believed: bool, visible: bool) -> None:
        since = self._visible_since
        if believed and since is not None:
            self._detections.append(to_seconds(now - since))
        elif since is not None and not visible and now - since >= _GLANCE:
            self._missed += 1
        if believed or not visible:
            self._visible_since = None
        elif since is None:
            self._visible_since = now

    def _watch_truth(self, now: int, chaser: TruthSample, evader: TruthSample, quarry: Quarry | None) -> None:
        """Count a belief in a ball that begins with none in the picture, or goes astray from it.

        A chaser that takes the ball to be in the middle of its picture, as the report's does, is not astray.
        """
        if quarry is None:
            self._astray_since = None
            return
        seen_lately = self._possible_at is not None and now - self._possible_at <= _GRACE
        true = chaser.pose.distance_to(evader.pose.x, evader.pose.y)
        off = abs(wrap(quarry.bearing - chaser.pose.bearing_to(evader.pose.x, evader.pose.y)))
        near = off <= self._eye.half_width + _EDGE and true / _ASTRAY <= quarry.range <= true * _ASTRAY
        if self._believed is None and not (seen_lately and near):
            self._false += 1
            # This belief is counted, however it goes on.
            self._astray_since = -1
        elif self._astray_since != -1:
            if near or not seen_lately:
                self._astray_since = None
            elif self._astray_since is None:
                self._astray_since = now
            elif now - self._astray_since > _GRACE:
                self._false += 1
                self._astray_since = -1

    def _watch_loss(self, now: int, quarry: Quarry | None, possible: bool, evader: TruthSample) -> None:
        if self._believed is not None and quarry is None:
            self._last_seen.append(evader.pose.distance_to(self._believed.x, self._believed.y))
            if self._gone_since is not None:
                self._losses.append(to_seconds(now - self._gone_since))
        if quarry is None or possible:
            self._gone_since = None
        elif self._gone_since is None:
            self._gone_since = now

    def _measure(self, now: int, chaser: TruthSample, evader: TruthSample, quarry: Quarry) -> None:
        true = chaser.pose.distance_to(evader.pose.x, evader.pose.y)
        error = quarry.range - true
        if _NEAREST <= true <= _FARTHEST:
            ticks, absolute, signed = self._ranges
            percent = 100.0 * error / true
            self._ranges = ticks + 1, absolute + abs(percent), signed + percent
        if self._charted.due(now, _EVERY_S):
            self._points.append((to_seconds(now), error))
        if self._drawn.due(now, _APART_S):
            self.places.append((quarry.x, quarry.y))


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
