"""Camera geometry: bearing and range of a sign of known size from its box in the image."""

from __future__ import annotations

import math
from dataclasses import dataclass

from arena_trees.robot.detections import Detection
from arena_trees.robot.geometry import Pose2D

__all__ = ["CAMERA", "SIGN", "Camera", "RangeEstimate", "Sign", "sign_range"]

_EDGE = 2.0
"""A box edge within this many pixels of the image's edge may be cut off there."""

_EDGE_SIGMA, _EDGE_SHARE, _CUT_FACTOR = 0.6, 0.012, 1.5
"""Standard deviation of a box edge: so many pixels, and such a share of the box's longer side.

Of a box that is cut off at a side it is larger by the factor. All are somewhat more than the detector
that comes with the code showed on rendered images.
"""

_MODEL_SIGMA = 0.012
"""Deviation of what is taken as exact: the sign's size and place, and the camera's; m."""

_SMALLEST_SPAN = 4.0
"""Less than this many pixels tell nothing."""

_TURNS = tuple((2 * index + 1 - 13) / 26.0 * math.pi / 2.0 for index in range(13))
"""Turns of a face against the line of sight that are tried, rad: a sign with four faces shows one of these."""


@dataclass(frozen=True, slots=True)
class Camera:
    """A pinhole camera without tilt on a robot.

    Attributes:
        hfov: horizontal field of view, rad
        x: of the optical centre in base_link, m
        z: of the optical centre above the floor, m
    """

    hfov: float
    x: float
    z: float

    def focal_px(self, image_width: int) -> float:
        """Return the focal length in pixels, which is also pixels per radian at the image's centre."""
        return image_width / 2.0 / math.tan(self.hfov / 2.0)

    def bearing(self, px: float, image_width: int) -> float:
        """Return the bearing (rad, left positive) of a column."""
        return math.atan((image_width / 2.0 - px) / self.focal_px(image_width))


@dataclass(frozen=True, slots=True)
class Sign:
    """A square sign on each side of a box about a robot's vertical axis.

    Attributes:
        size: edge length, m
        z: of the sign's centre above the floor, m
    """

    size: float
    z: float


CAMERA = Camera(math.radians(42.0), -0.06, 0.244)
"""A TurtleBot 4's camera, as it comes."""

SIGN = Sign(0.21, 0.415)
"""The sign that a robot carries, where nothing else is specified."""


@dataclass(frozen=True, slots=True)
class RangeEstimate:
    """Where the axis of the robot that carries a sign is, in the observer's base_link.

    Attributes:
        distance: between the two robots' axes, m
        bearing: of the other's axis, rad, left positive
        sigma: standard deviation of the distance, m
    """

    distance: float
    bearing: float
    sigma: float

    def place(self, pose: Pose2D) -> tuple[float, float]:
        """Return it in the frame of the observer's pose, m."""
        angle = pose.yaw + self.bearing
        return pose.x + self.distance * math.cos(angle), pose.y + self.distance * math.sin(angle)


def sign_range(box: Detection, image_width: int, image_height: int, camera: Camera, sign: Sign) -> RangeEstimate | None:
    """Return where the axis of the robot that carries the sign is, or None where the box does not tell.

    A whole box gives depth = f S / height: the height does not shrink when the sign is seen from
    the side, as the width does. A box cut off above gives depth = f (z_lower - z_camera) / rise of
    its lower edge over the image's centre. Where neither tells, a box whose sides are both in the image
    gives depth = f S cos(turn) / width.

    The axis lies behind the face, the further the more the face looks at the camera. Turns of up to an
    eighth of a circle either way are equally likely at first; the box's width tells which of them fit.
    The mean over them is taken, and their spread enters the deviation.
    """
    view = _View(box, image_width, image_height, camera.focal_px(image_width))
    height = _depth_by_height(view, camera, sign)
    if height is None and (view.cut_left or view.cut_right or box.width < _SMALLEST_SPAN):
        return None
    guesses = [_guess(view, camera, sign, turn, height) for turn in _TURNS]
    total = sum(weight for weight, _, _, _ in guesses)
    if total < 1e-6:
        # No turn fits such a width; then the width is not to be believed.
        guesses = [(1.0, x, y, noise) for _, x, y, noise in guesses]
        total = float(len(guesses))
    x = sum(weight * x for weight, x, _, _ in guesses) / total
    y = sum(weight * y for weight, _, y, _ in guesses) / total
    distance = math.hypot(x, y)
    spread = sum(weight * (math.hypot(x, y) - distance) ** 2 for weight, x, y, _ in guesses) / total
    noise = sum(weight * noise for weight, _, _, noise in guesses) / total
    return RangeEstimate(distance, math.atan2(y, x), math.sqrt(spread + noise * noise + _MODEL_SIGMA**2))


class _View:
    """A box in an image, px, and at which sides it is cut off.

    Attributes:
        near_top: whether noise may hide that it is cut off above
        edge_sigma: standard deviation of an edge
        rise: of its lower edge over the image's centre
        slope: tangent of its middle column's bearing, left positive
    """

    def __init__(self, box: Detection, width: int, height: int, focal: float) -> None:
        self.focal = focal
        self.width, self.height = box.width, box.height
        self.left, self.right = box.x - box.width / 2.0, box.x + box.width / 2.0
        self.centre = width / 2.0
        top, bottom = box.y - box.height / 2.0, box.y + box.height / 2.0
        self.rise = height / 2.0 - bottom
        self.cut_left, self.cut_right = self.left <= _EDGE, self.right >= width - _EDGE
        self.cut_top, self.cut_bottom = top <= _EDGE, bottom >= height - _EDGE
        self.edge_sigma = _EDGE_SIGMA + _EDGE_SHARE * max(box.width, box.height)
        if self.cut_left or self.cut_right:
            self.edge_sigma *= _CUT_FACTOR
        self.near_top = top <= _EDGE + 3.0 * self.edge_sigma
        self.slope = (self.centre - box.x) / focal

    def middle_slope(self, face_width: float) -> float:
        """Return the slope of a face's middle, also where one of its sides is outside the image."""
        half = max(self.width, face_width) / 2.0
        if self.cut_left and not self.cut_right:
            return (self.centre - self.right + half) / self.focal
        if self.cut_right and not self.cut_left:
            return (self.centre - self.left - half) / self.focal
        return self.slope


def _depth_by_height(view: _View, camera: Camera, sign: Sign) -> tuple[float, float, float] | None:
    """Return a depth (m) by the box's height or lower edge, its relative deviation, and k; None where neither tells.

    A face turned by a to the camera's axis has its vertical edges (S/2)(+-|sin a|) before and behind its
    middle. Seen from below, the far edge is the lower one in the image, so it ends a box cut off above
    and k = -1; a whole box spans from it to the near edge, so that the middle of the face lies
    (S/2) k |sin a| behind the depth, with k = 2 |dz| / S to first order in S over depth, and k = 1 where
    the camera's height is within the sign's.
    """
    if view.cut_bottom:
        return None
    lower = sign.z - sign.size / 2.0 - camera.z
    lower_edge_tells = view.rise >= _SMALLEST_SPAN and lower > 0.0
    if not (view.cut_top or (view.near_top and lower_edge_tells)):
        k = max(1.0, 2.0 * abs(sign.z - camera.z) / sign.size)
        deviation = math.sqrt(2.0) * view.edge_sigma / max(view.height, _SMALLEST_SPAN)
        return None if view.height < _SMALLEST_SPAN else (view.focal * sign.size / view.height, deviation, k)
    if not lower_edge_tells:
        return None
    return view.focal * lower / view.rise, view.edge_sigma / view.rise, -1.0


def _guess(
    view: _View, camera: Camera, sign: Sign, turn: float, height: tuple[float, float, float] | None
) -> tuple[float, float, float, float]:
    """Return how well a turn (rad, against the line of sight) fits, the axis' x and y, and its deviation, m."""
    half = sign.size / 2.0
    heading = math.atan(view.slope) + turn
    # Width of the face times its middle's depth, px m.
    frontal = view.focal * sign.size * math.cos(turn) * math.hypot(1.0, view.slope)
    if height is None:
        ahead, weight = frontal / view.width, 1.0
        noise = ahead * math.sqrt(2.0) * view.edge_sigma / view.width
    else:
        depth, deviation, k = height
        ahead = depth + half * k * abs(math.sin(heading))
        noise = depth * deviation
        excess = view.width - frontal / ahead
        if excess < 0.0 and (view.cut_left or view.cut_right):
            # Of a face that is cut off, any part may be seen.
            excess = 0.0
        scale = math.hypot(math.sqrt(2.0) * view.edge_sigma, deviation * frontal / ahead)
        weight = math.exp(-0.5 * (excess / scale) ** 2)
    slope = view.middle_slope(frontal / ahead)
    x = ahead + half * math.cos(heading) + camera.x
    return weight, x, ahead * slope + half * math.sin(heading), noise * math.hypot(1.0, slope)
