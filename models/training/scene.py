"""Synthetic scenes: signs on robots, on the floor and in the air, among things that are none of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from arena_trees.models.training.drawings import LABELS
from arena_trees.models.training.photograph import photograph
from arena_trees.models.training.pictures import Image, on_paper, paste, random_picture, sign_pictures
from arena_trees.models.training.placing import place_carried, place_hanging, place_standing
from arena_trees.models.training.ranges import SceneRanges
from arena_trees.models.training.surroundings import (
    add_clutter,
    draw_room,
    draw_texture,
    real_background,
    surface_colour,
)
from arena_trees.models.training.viewing import Card, ViewCamera, share_inside
from arena_trees.perception.signs.yolo_dataset import LabelledBox
from arena_trees.robot.random_streams import RandomStreams

__all__ = ["CompositeScene", "FaceBox", "SceneGenerator"]

Array = NDArray[np.float64]

LEAST_SHARE = 0.25
"""Signs of which less is inside the image are not drawn: nobody could say whether they count."""

_UNSEEN_SHARE = 0.02
_EDGE_ON = math.radians(73.0)
"""A face seen from farther off its normal than this counts as not seen; none is drawn between it and the range."""

_LEAST_SIDE = 6.0
"""Shortest side of a labelled box, px."""

_CARROT = LABELS.index("carrot")
_TRIES = 40
_OVERLAP = 0.25
"""Share of a card that a nearer thing may hide."""

_WHOLE = 0.7
"""Only signs with at least this share of their outline inside the image get something put before them."""


@dataclass(frozen=True, slots=True)
class FaceBox(LabelledBox):
    """The smallest upright box around a sign's face, clipped to the image.

    Attributes:
        corners: of the face, clockwise from its upper left, not clipped; shape (4, 2), px
    """

    corners: Array


@dataclass(frozen=True, slots=True)
class CompositeScene:
    """An image, shape (n, n, 3) in blue green red, and the signs in it."""

    image: Image
    boxes: tuple[FaceBox, ...]


@dataclass(slots=True)
class _Thing:
    """Something to paint: perhaps a robot's body, and its cards with one picture: corners and light of each."""

    distance: float
    picture: Image
    body: tuple[Array, Array] | None
    cards: list[tuple[Array, Array]] = field(default_factory=list)
    boxes: list[FaceBox] = field(default_factory=list)

    def extent(self) -> Array:
        """Return left, top, right and bottom of everything that carries a picture, px."""
        return _around(np.concatenate([corners for corners, _ in self.cards]))

    def hides(self, other: _Thing) -> float:
        """Return which share of any card of a farther thing this one may hide."""
        outlines = [self.extent()] if self.body is None else [self.extent(), _around(self.body[0])]
        return max(_overlap(_around(corners), mine) for corners, _ in other.cards for mine in outlines)


class SceneGenerator:
    """Makes scenes; each depends on the seed and its own number only.

    Args:
        ranges: what varies, and how far
        streams: of the set
        frames: real frames to put some of the scenes into, each of shape (h, w, 3); may be empty
    """

    def __init__(self, ranges: SceneRanges, streams: RandomStreams, frames: Sequence[Image] = ()) -> None:
        self._ranges = ranges
        self._streams = streams
        self._frames = frames
        self._signs = sign_pictures()

    def make(self, index: int) -> CompositeScene:
        """Return one scene."""
        rng = self._streams.generator(f"scene.{index}")
        ranges = self._ranges
        empty = rng.random() < ranges.empty
        if empty and len(self._frames) and rng.random() < 0.4:
            frame = self._frames[int(rng.integers(len(self._frames)))]
            return CompositeScene(photograph(frame, ranges, 60.0, rng) if rng.random() < 0.5 else frame.copy(), ())
        camera = self._camera(rng)
        things = self._things(camera, 0 if empty else int(rng.choice([1, 2, 3, 4], p=[0.35, 0.3, 0.2, 0.15])), rng)
        canvas = self._background(camera, rng)
        for thing in sorted(things, key=lambda item: -item.distance):
            self._paint(canvas, thing, rng)
        boxes = tuple(box for thing in things for box in thing.boxes)
        smallest = min((box.size for box in boxes), default=60.0)
        return CompositeScene(photograph(canvas, ranges, smallest, rng), boxes)

    def _camera(self, rng: np.random.Generator) -> ViewCamera:
        ranges = self._ranges
        hfov = math.radians(rng.uniform(*ranges.hfov_deg))
        return ViewCamera(
            image_px=ranges.image_px,
            focal_px=ranges.image_px / 2.0 / math.tan(hfov / 2.0),
            height=rng.uniform(*ranges.camera_height),
            # Level half of the time, as it is mounted.
            pitch=math.radians(rng.uniform(*ranges.camera_pitch_deg) * float(rng.random() < 0.5 or _tilted(ranges))),
            roll=math.radians(rng.uniform(*ranges.camera_roll_deg) * float(rng.random() < 0.5 or _tilted(ranges))),
        )

    def _background(self, camera: ViewCamera, rng: np.random.Generator) -> Image:
        kind, colourful = rng.random(), self._ranges.colourful
        if len(self._frames) and kind < self._ranges.real:
            return real_background(self._frames, camera.image_px, rng)
        if kind < 0.75:
            picture = draw_room(camera, rng, colourful)
        else:
            picture = draw_texture(camera.image_px, rng, colourful)
        if rng.random() < 0.5:
            add_clutter(picture, rng, colourful)
        return picture

    def _things(self, camera: ViewCamera, signs: int, rng: np.random.Generator) -> list[_Thing]:
        """Return signs and other cards that hide little of each other."""
        placed: list[_Thing] = []
        others = int(rng.choice([0, 1, 2, 3], p=[0.4, 0.3, 0.2, 0.1]))
        for number in range(signs + others):
            label = int(rng.integers(len(LABELS))) if number < signs else None
            # Always a new one: of a few hundred pictures the network would learn each by heart.
            picture = random_picture(rng) if label is None else self._signs[label]
            if self._ranges.paper > 0.0:
                picture = on_paper(picture, self._ranges.paper, rng)
            for _ in range(_TRIES):
                thing = self._thing(camera, label, picture, rng)
                if thing is not None and all(_apart(thing, other) for other in placed):
                    placed.append(thing)
                    break
        return placed

    def _thing(self, camera: ViewCamera, label: int | None, picture: Image, rng: np.random.Generator) -> _Thing | None:
        """Return a card or a robot with a sign, or None where this draw may not be labelled either way."""
        low, high = self._ranges.sign_px
        pixels = math.exp(rng.uniform(math.log(low), math.log(high)))
        kind = rng.random()
        if kind < 0.5 and label == _CARROT:
            cards, body = [place_standing(camera, pixels, self._ranges, rng)], None
        elif kind < 0.6 and label != _CARROT:
            # Robots are often met at the distance at which the upper part of their sign is cut off.
            pixels = rng.uniform(0.55 * high, high) if rng.random() < 0.25 else pixels
            cards, body = place_carried(camera, pixels, rng)
        else:
            cards, body = [place_hanging(camera, pixels, self._ranges, rng)], None
        thing = _Thing(float(np.linalg.norm(cards[0].centre)), picture, body)
        return thing if self._see(camera, thing, cards, label, rng) else None

    def _see(
        self, camera: ViewCamera, thing: _Thing, cards: Sequence[Card], label: int | None, rng: np.random.Generator
    ) -> bool:
        """Give a thing its cards and boxes as the camera sees them; return whether it may stay."""
        farthest = math.radians(self._ranges.oblique_deg[1])
        for card in cards:
            oblique = card.obliqueness(camera)
            if oblique > math.radians(88.0):
                continue
            corners = camera.project(card.corners())
            if corners is None or farthest < oblique < _EDGE_ON:
                return False
            light = rng.uniform(*self._ranges.face_light) * rng.uniform(0.8, 1.0, 2)
            thing.cards.append((corners, light))
            if oblique < _EDGE_ON:
                share = share_inside(corners, camera.image_px)
                if share < _UNSEEN_SHARE:
                    continue
                box = _box(LABELS[label or 0], corners, camera.image_px)
                shortest = min(box.right - box.left, box.bottom - box.top)
                if share < LEAST_SHARE or box.size < self._ranges.sign_px[0] or shortest < _LEAST_SIDE:
                    return False
                if label is not None:
                    thing.boxes.append(box)
        return bool(thing.cards and (label is None or thing.boxes))

    def _paint(self, canvas: Image, thing: _Thing, rng: np.random.Generator) -> None:
        if thing.body is not None:
            hull, colour = thing.body
            cv2.fillConvexPoly(canvas, np.round(hull * 16.0).astype(np.int32), colour.tolist(), cv2.LINE_AA, 4)
        for corners, light in thing.cards:
            paste(canvas, thing.picture, corners, light)
        for box in thing.boxes:
            shown = _overlap(_around(box.corners), np.array(box.edges))
            if rng.random() < self._ranges.occluded and shown >= _WHOLE:
                self._hide(canvas, box, rng)

    def _hide(self, canvas: Image, box: FaceBox, rng: np.random.Generator) -> None:
        """Paint a bar of one colour over one side of a sign."""
        share = rng.uniform(*self._ranges.occlusion)
        width, height = box.right - box.left, box.bottom - box.top
        spread = rng.uniform(0.0, 0.5, 4) * np.array([width, height, width, height])
        edges = np.array(box.edges) + spread * [-1, -1, 1, 1]
        insides = (box.left + share * width, box.right - share * width, box.top + share * height)
        side = int(rng.integers(4))
        edges[(2, 0, 3, 1)[side]] = (*insides, box.bottom - share * height)[side]
        left, top, right, bottom = edges
        colour = surface_colour(rng, self._ranges.colourful).tolist()
        bar = np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
        cv2.fillConvexPoly(canvas, np.round(bar * 16.0 - 8.0).astype(np.int32), colour, cv2.LINE_AA, 4)


def _tilted(ranges: SceneRanges) -> bool:
    """Return whether the camera is never level."""
    return ranges.camera_pitch_deg[0] > 0.0


def _box(label: str, corners: Array, image_px: int) -> FaceBox:
    left, top, right, bottom = np.clip(_around(corners), 0.0, float(image_px)).tolist()
    return FaceBox(label, left, top, right, bottom, corners)


def _around(points: Array) -> Array:
    """Return left, top, right and bottom of points of shape (n, 2)."""
    return np.concatenate([points.min(axis=0), points.max(axis=0)])


def _apart(one: _Thing, other: _Thing) -> bool:
    """Return whether the nearer of two things leaves enough of the farther one's cards in view."""
    near, far = (one, other) if one.distance < other.distance else (other, one)
    return near.hides(far) <= _OVERLAP and _overlap(near.extent(), far.extent()) <= _OVERLAP


def _overlap(outline: Array, other: Array) -> float:
    """Return which share of an outline's area lies in another's; left, top, right and bottom each."""
    sides = np.minimum(outline[2:], other[2:]) - np.maximum(outline[:2], other[:2])
    return float(np.prod(np.maximum(sides, 0.0))) / max(1e-9, float(np.prod(outline[2:] - outline[:2])))
