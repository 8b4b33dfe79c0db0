"""Track the evader's ball: from circles in images to where it is and how well that is known."""

from __future__ import annotations

import math
from dataclasses import replace

from py_trees.common import Status

from arena_trees.behaviours.base import PerceptBehaviour
from arena_trees.behaviours.pursuit.chaser.equipment import Equipment
from arena_trees.behaviours.pursuit.chaser.parameters import ChaserParameters
from arena_trees.control.place_history import PlaceHistory
from arena_trees.control.target_filter import Sighting, TargetEstimate
from arena_trees.control.target_tracker import TargetTracker
from arena_trees.games.pursuit.blackboard import QUARRY, TRACK, BallTrack, Quarry
from arena_trees.perception.spheres.sighting import sphere_sighting
from arena_trees.robot import keys
from arena_trees.robot.circles import Circles
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.geometry import wrap
from arena_trees.world.camera_pose import CameraPose

__all__ = ["TrackBall"]

_EDGE_PX = 1.5
"""A circle that comes so near to the image's edge is cut off there, and its radius is unreliable."""
_CUT_SHARE = 0.3
"""Deviation of a distance from such a circle, as its share."""
_MARGIN = 0.9
"""Share of the field of view within which an image should show the ball."""
_HEIGHT_SIGMA = 0.03
"""How well the ball's height is known, m: floors are not flat, and hulls rock."""
_PLACE_SIGMA = 0.15
"""How well the room's walls and the own place are known, m."""


class TrackBall(PerceptBehaviour):
    """Keep track of the ball; belongs into the sensing branch, so that no image is missed. SUCCESS always.

    Each image is compared with where the camera was when it was exposed. A circle that no ball at its height and within
    the room would show is left out: small things of its colour look like a ball far away. Tracks are believed and lost
    by their likelihood (:class:`TargetTracker`).

    Blackboard Variables:
        * circles (Circles) [r]: in the newest image
        * pose (PoseEstimate), odometry (Odometry), turret (TurretState) [r]: own motion
        * track (BallTrack) [w]: None while no track is believed
        * quarry (Quarry) [w]: the same for who watches; None until the ball was believed for the first time
    """

    def __init__(self, name: str, robot: str, live: Live[ChaserParameters], equipment: Equipment) -> None:
        reads = ("circles", keys.POSE, keys.ODOMETRY, "turret")
        super().__init__(name, robot, reads, (TRACK, QUARRY))
        self.live = live
        self.equipment = equipment
        self._reset()

    def _reset(self) -> None:
        self._history = PlaceHistory()
        self._tracker = TargetTracker()
        self._sequence = 0
        self._stamp = 0
        self._arrival = 0
        self._seen = 0
        self._shown = 1.0
        self.outputs.track = None
        self.outputs.quarry = None

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._reset()

    def update(self) -> Status:
        """Update the track by a new image, if any, and predict it for now; SUCCESS always."""
        percepts = self.percepts
        self._history.add(percepts.pose, percepts.odometry, percepts.turret)
        circles: Circles | None = percepts.circles
        if circles is not None and circles.sequence != self._sequence:
            self._sequence = circles.sequence
            self._observe(circles)
        self._publish()
        return Status.SUCCESS

    def _observe(self, circles: Circles) -> None:
        place = self._history.at(circles.stamp)
        if place is None or circles.stamp < self._stamp:
            return
        parameters = self.live.value
        self._stamp, self._arrival = circles.stamp, circles.arrival
        camera = self.equipment.camera_at(place)
        field = self.equipment.camera.hfov
        found = self._sightings(circles, camera, parameters)
        self._tracker.take(
            circles.stamp,
            [sighting for sighting, _ in found],
            lambda target: _in_view(target, camera, field, parameters.sight_reach),
            parameters.track_rules,
        )
        if self._tracker.stamp == circles.stamp:
            self._seen = circles.arrival
            self._shown = self._share_of(found, circles.stamp)

    def _share_of(self, found: list[tuple[Sighting, float]], stamp: int) -> float:
        """Return the share of its edge that the sighting nearest to the track showed."""
        target = self._tracker.at(stamp)
        if target is None or not found:
            return self._shown

        def off(one: tuple[Sighting, float]) -> float:
            azimuth = math.atan2(target.y - one[0].y, target.x - one[0].x)
            return abs(wrap(one[0].azimuth - azimuth))

        return min(found, key=off)[1]

    def _sightings(
        self, circles: Circles, camera: CameraPose, parameters: ChaserParameters
    ) -> list[tuple[Sighting, float]]:
        """Return what the circles of an image say, less those that no ball at its height and in the room would show.

        Each stands with the share of its edge that was seen.
        """
        width, height = circles.image_width, circles.image_height
        pinhole = self.equipment.optics(circles)
        turn_rate = self._history.turn_rate(circles.stamp)
        found = []
        for circle in circles.circles:
            if circle.quality < parameters.quality_min:
                continue
            sighting = sphere_sighting(
                circle, pinhole, parameters.ball_diameter, camera, circles.stamp, turn_rate, parameters.range_share
            )
            if sighting is None:
                continue
            room = min(circle.x, width - circle.x, circle.y, height - circle.y) - circle.radius
            if room < _EDGE_PX:
                sigma = math.hypot(sighting.range_sigma, _CUT_SHARE * sighting.range)
                sighting = replace(sighting, range_sigma=sigma, height_sigma=math.hypot(sighting.height_sigma, 0.1))
            off = abs(sighting.height - parameters.ball_height)
            if off > parameters.height_gate * math.hypot(sighting.height_sigma, _HEIGHT_SIGMA):
                continue
            if _outside(sighting, parameters.room_half) <= 3.0 * math.hypot(sighting.range_sigma, _PLACE_SIGMA):
                found.append((sighting, circle.quality))
        return found

    def _publish(self) -> None:
        now, known = self.now, self.outputs.quarry
        target, height, place = self._tracker.at(now), self._tracker.height, self._history.at(now)
        if target is None or height is None or place is None:
            self.outputs.track = None
            if known is not None and known.in_sight:
                self.outputs.quarry = replace(known, in_sight=False)
                self.feedback_message = "lost the ball"
            return
        if known is None or not known.in_sight:
            self.feedback_message = "sees the ball"
        self.outputs.track = BallTrack(target, height, self._seen, self._shown)
        self.outputs.quarry = Quarry(
            x=target.x,
            y=target.y,
            vx=target.vx,
            vy=target.vy,
            sigma=target.sigma,
            range=place.pose.distance_to(target.x, target.y),
            range_sigma=target.sigmas_from(place.pose.x, place.pose.y)[0],
            bearing=place.pose.bearing_to(target.x, target.y),
            stamp=self._tracker.stamp,
            in_sight=True,
        )


def _outside(sighting: Sighting, half: float) -> float:
    """Return how far (m) beyond the walls of the square room about home a sighting is."""
    x = sighting.x + sighting.range * math.cos(sighting.azimuth)
    y = sighting.y + sighting.range * math.sin(sighting.azimuth)
    return max(abs(x), abs(y)) - half


def _in_view(target: TargetEstimate, camera: CameraPose, field: float, reach: float) -> bool:
    """Return whether an image from a camera with a field of view (rad) and a reach (m) should show a ball there."""
    dx, dy = target.x - camera.x, target.y - camera.y
    off = abs(wrap(math.atan2(dy, dx) - camera.yaw))
    return off < _MARGIN * field / 2.0 and math.hypot(dx, dy) < reach
