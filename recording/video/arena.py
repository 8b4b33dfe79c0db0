"""The arena of a film: what lies where, drawn from above."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from arena_trees.recording.camera_model import CameraModel
from arena_trees.recording.report_page.tracks import FARTHEST
from arena_trees.recording.video.letters import Colour, Letters
from arena_trees.recording.video.pen import Pen, bgr
from arena_trees.robot.geometry import Pose2D
from arena_trees.world import palette
from arena_trees.world.body import Body
from arena_trees.world.shapes import Shape, corners

__all__ = ["CARD", "GRID", "INK", "MUTED", "PAPER", "ArenaView", "pale", "robot_colour"]

PAPER: Colour = (240, 245, 247)
CARD: Colour = (255, 255, 255)
INK, MUTED = bgr(palette.INK), bgr(palette.MUTED)
GRID: Colour = (226, 234, 238)

_CONE_M = 1.3
"""Length of the cone of a camera of which it is unknown how far it sees."""
NOSE = 1.3
"""How far a robot's nose reaches, in radii of its hull."""
_STEPS = (0.5, 1.0, 2.0, 5.0, 10.0, 50.0, 100.0, 1e3, 1e4, 1e5, 1e6)


def robot_colour(number: int) -> Colour:
    """Return the colour of a recording's robot."""
    return bgr(palette.robot_colour(number))


def pale(colour: Colour, share: float) -> Colour:
    """Return a colour mixed with white; a share of 0 is the colour itself."""
    blue, green, red = (round(part + (255 - part) * share) for part in colour)
    return blue, green, red


class ArenaView:
    """Draws in metres of the map.

    Args:
        size: of the square image, px
        shapes: of the world, which do not move
        ways: points that shall be seen, each array of shape (k, 2)
    """

    def __init__(self, size: int, shapes: Sequence[Shape], ways: Sequence[NDArray[np.float64]]) -> None:
        self._size = size
        points = np.concatenate([np.array(corners(shapes), dtype=np.float64).reshape(-1, 2), *ways])
        if not len(points):
            points = np.zeros((1, 2))
        points = np.clip(points, -FARTHEST, FARTHEST)
        low, high = points.min(axis=0), points.max(axis=0)
        room = 0.15 if shapes else 0.8
        self._middle = (low + high) / 2.0
        self._scale = size / float((high - low).max() + 2.0 * room)
        self.pen = Pen(size, self._middle, self._scale)
        self._names = Letters(14, bold=True)
        self._small = Letters(11)
        self.ground = np.full((size, size, 3), CARD, dtype=np.uint8)
        """What does not move, shape (size, size, 3)."""
        texts = list(self._grid())
        self.pen.draw(self.ground, shapes)
        for text, place in texts:
            self._small.write(self.ground, text, place, MUTED, halo=CARD)

    def points(self, image: NDArray[np.uint8], pixels: NDArray[np.float64], colour: Colour) -> None:
        """Draw a scan's points, in pixels."""
        for x, y in np.rint(pixels).astype(int):
            if 0 < x < self._size - 1 and 0 < y < self._size - 1:
                image[y - 1 : y + 2, x - 1 : x + 2] = colour

    def ring(self, image: NDArray[np.uint8], pixel: NDArray[np.float64], colour: Colour) -> None:
        """Draw where a way begins."""
        self.pen.disc(image, pixel, 4.0, CARD)
        self.pen.disc(image, pixel, 4.0, colour, 1)

    def cone(self, image: NDArray[np.uint8], eye: Pose2D, look: CameraModel, colour: Colour, strong: bool) -> None:
        """Draw what a camera can see: as far as it sees, or only its direction where that is not known."""
        hfov, reach = look.camera.hfov, _CONE_M if look.reach is None else look.reach
        angles = eye.yaw + np.linspace(-hfov / 2.0, hfov / 2.0, 24)
        rim = np.stack([eye.x + reach * np.cos(angles), eye.y + reach * np.sin(angles)], axis=1)
        shape = self.pen.pixels(np.vstack([[(eye.x, eye.y)], rim]))
        layer = image.copy()
        self.pen.fill(layer, shape, colour)
        cv2.addWeighted(layer, 0.16 if strong else 0.07, image, 0.84 if strong else 0.93, 0.0, image)
        self.pen.line(image, shape, pale(colour, 0.3 if strong else 0.7), 1, closed=True)

    def detection(
        self, image: NDArray[np.uint8], eye: Pose2D, bearing: float, distance: float | None, side: float, colour: Colour
    ) -> None:
        """Draw where a sign was seen: a ray, and a square where its distance is known.

        Args:
            image: changed
            eye: pose that bearing and distance are from
            bearing: of the sign, rad
            distance: of the sign, m, or None
            side: of the sign, m
            colour: of the robot that sees
        """
        angle, reach = eye.yaw + bearing, _CONE_M if distance is None else distance
        end = (eye.x + reach * math.cos(angle), eye.y + reach * math.sin(angle))
        ends = self.pen.pixels(np.array([(eye.x, eye.y), end]))
        self.pen.dashed(image, ends, colour, 0.0, 5.0)
        if distance is not None:
            half = max(side * self._scale / 2.0, 4.0)
            square = ends[1] + np.array([(-half, -half), (half, -half), (half, half), (-half, half)])
            self.pen.line(image, square, colour, 2, closed=True)

    def robot(
        self,
        image: NDArray[np.uint8],
        name: str,
        body: Body,
        pose: Pose2D,
        colour: Colour,
        up: bool,
        turret: float | None = None,
    ) -> None:
        """Draw a robot: hull, nose, the barrel of its turret, sign with its letter, and name.

        Args:
            image: changed
            name: stands above the robot, or below
            body: what it is made of
            pose: map frame
            colour: of the robot
            up: whether the name stands above
            turret: where that points, rad, base_link; None without one
        """
        centre = self.pen.pixels(np.array([(pose.x, pose.y)]))[0]
        radius = max(body.radius * self._scale, 7.0)
        # A spike of odometry may lead out of the picture: the robot is then shown at its edge.
        centre = np.clip(centre, NOSE * radius, self._size - NOSE * radius)
        turn = np.array([(math.cos(pose.yaw), -math.sin(pose.yaw)), (math.sin(pose.yaw), math.cos(pose.yaw))])
        self.pen.disc(image, centre, radius, pale(colour, 0.7) if body.colour is None else bgr(body.colour))
        self.pen.disc(image, centre, radius, colour, 2)
        nose = np.array([(NOSE, 0.0), (0.86, 0.36), (0.86, -0.36)])
        sign = np.array([(0.5, 0.5), (0.5, -0.5), (-0.5, -0.5), (-0.5, 0.5)])
        self.pen.fill(image, centre + radius * nose @ turn, colour)
        if turret is not None:
            barrel = np.array([(0.0, 0.0), (math.cos(turret), -math.sin(turret))])
            self.pen.line(image, centre + 1.6 * radius * barrel @ turn, INK, 3)
        self.pen.fill(image, centre + radius * sign @ turn, colour)
        self._names.write(image, palette.robot_letter(name), (centre[0], centre[1] + 5), CARD, middle=True)
        away = -radius - 9.0 if up else radius + 20.0
        place = (centre[0], centre[1] + away)
        self._names.write(image, self._names.fitted(name, 160), place, INK, middle=True, halo=CARD)

    def _grid(self) -> Iterator[tuple[str, tuple[int, int]]]:
        """Draw a grid; yield what is to be written next to its lines, and where."""
        step = next((metres for metres in _STEPS if metres * self._scale >= 48), 1e7)
        reach = self._size / 2.0 / self._scale
        for axis in (0, 1):
            first = math.ceil((self._middle[axis] - reach) / step)
            for number in range(first, math.floor((self._middle[axis] + reach) / step) + 1):
                value = number * step
                at = round(float(self.pen.pixels(np.full((1, 2), value))[0, axis]))
                line = ((at, 0), (at, self._size)) if axis == 0 else ((0, at), (self._size, at))
                cv2.line(self.ground, *line, GRID, 1)
                place = (at + 3, self._size - 6) if axis == 0 else (5, at - 4)
                if 24 < at < self._size - 24:
                    yield f"{value:g} m", place
