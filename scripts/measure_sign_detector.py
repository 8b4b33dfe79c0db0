"""Measures how the sign detector fails on rendered pictures, by which the pinhole camera's figures are set.

    python scripts/measure_sign_detector.py [--worlds 300] [--seed 7000] [--model FILE]

Each table has one property of a sign vary while the others make no trouble; a frame's false boxes are
those that lie on no sign at all.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from arena_trees.perception.sign_detector import OnnxSignDetector
from arena_trees.perception.yolo_dataset import LabelledBox
from arena_trees.robot.percepts import Sighting
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.simulation.render_dataset import SeenFace, photograph


@dataclass(frozen=True, slots=True)
class Look:
    """A face that was to be found, and what was found at it: a box, or None."""

    face: SeenFace
    found: Sighting | None

    @property
    def size(self) -> float:
        """Shorter side of the true box, px."""
        box = self.face.box
        return min(box.right - box.left, box.bottom - box.top)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=300, help="worlds, of eight pictures each")
    parser.add_argument("--seed", type=int, default=7000)
    parser.add_argument("--model", type=Path)
    arguments = parser.parse_args()
    looks, frames, false = measure(OnnxSignDetector(arguments.model), arguments.worlds, arguments.seed)
    print(f"{frames} pictures, {len(looks)} faces seen, {false} boxes on no sign: {false / frames:.5f} a picture")
    plain = [look for look in looks if look.face.inside > 0.999 and look.face.visible > 0.9]
    facing = [look for look in plain if look.face.obliqueness < math.radians(45.0)]
    show("shorter side, px", facing, lambda look: look.size, (3, 6, 8, 10, 12, 15, 20, 30, 45, 70, 120, 250))
    large = [look for look in plain if look.face.box.bottom - look.face.box.top > 30]
    oblique = (0, 15, 30, 45, 55, 60, 65, 70, 75, 80, 85, 90)
    show("obliqueness, deg; over 30 px", large, lambda look: math.degrees(look.face.obliqueness), oblique)
    near = [
        look
        for look in looks
        if look.size > 15 and look.face.visible > 0.9 and look.face.obliqueness < math.radians(45.0)
    ]
    shares = (0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.6, 0.8, 0.9999, 1.001)
    show("share inside the image; over 15 px", near, lambda look: look.face.inside, shares)
    hidden = [
        look
        for look in looks
        if look.size > 15 and look.face.inside > 0.999 and look.face.obliqueness < math.radians(45.0)
    ]
    show("share unhidden; over 15 px", hidden, lambda look: look.face.visible, shares)


def measure(detector: OnnxSignDetector, worlds: int, seed: int) -> tuple[list[Look], int, int]:
    """Return all faces seen, the number of pictures, and that of boxes on no sign."""
    looks: list[Look] = []
    frames = false = 0
    for world in range(worlds):
        for picture, faces in photograph(RandomStreams(seed, f"measure.{world}")):
            boxes = list(detector.detect(picture))
            frames += 1
            false += sum(all(share(face.box, box) < 0.1 for face in faces) for box in boxes)
            looks += [Look(face, take(face.box, boxes)) for face in faces]
    return looks, frames, false


def take(true: LabelledBox, boxes: list[Sighting]) -> Sighting | None:
    """Take the box that overlaps a true one best out of the list, if it does by a half."""
    fitting = [box for box in boxes if box.label == true.label and overlap(true, box) >= 0.5]
    if not fitting:
        return None
    best = max(fitting, key=lambda box: overlap(true, box))
    boxes.remove(best)
    return best


def common(true: LabelledBox, box: Sighting) -> float:
    """Return the area (px^2) that two boxes share."""
    width = min(true.right, box.x + box.width / 2.0) - max(true.left, box.x - box.width / 2.0)
    height = min(true.bottom, box.y + box.height / 2.0) - max(true.top, box.y - box.height / 2.0)
    return max(0.0, width) * max(0.0, height)


def overlap(true: LabelledBox, box: Sighting) -> float:
    """Return the intersection over the union of two boxes."""
    area = common(true, box)
    return area / ((true.right - true.left) * (true.bottom - true.top) + box.width * box.height - area)


def share(true: LabelledBox, box: Sighting) -> float:
    """Return the share of a found box that lies on a true one."""
    return common(true, box) / (box.width * box.height)


def errors(look: Look) -> list[float]:
    """Return the errors of the edges that are in the image: left, top, right, bottom, px."""
    true, box = look.face.box, look.found
    assert box is not None
    pairs = (
        (true.left, box.x - box.width / 2.0, true.left > 0.5),
        (true.top, box.y - box.height / 2.0, true.top > 0.5),
        (true.right, box.x + box.width / 2.0, true.right < 249.5),
        (true.bottom, box.y + box.height / 2.0, true.bottom < 249.5),
    )
    return [found - edge for edge, found, inside in pairs if inside]


def show(title: str, looks: Sequence[Look], value: Callable[[Look], float], limits: Sequence[float]) -> None:
    """Print one table."""
    print(f"\n{title:>36} {'faces':>7} {'found':>7} {'edges, px':>10} {'confidence':>11}")
    for low, high in pairwise(limits):
        inside = [look for look in looks if low <= value(look) < high]
        hits = [look for look in inside if look.found is not None]
        if not inside:
            continue
        edges = [error for look in hits for error in errors(look)]
        deviation = f"{np.sqrt(np.mean(np.square(edges))):.2f}" if edges else "-"
        sure = f"{np.mean([look.found.confidence for look in hits if look.found]):.2f}" if hits else "-"
        print(
            f"{f'{low:g} to {high:g}':>36} {len(inside):>7} {len(hits) / len(inside):>7.3f} {deviation:>10} {sure:>11}"
        )


if __name__ == "__main__":
    main()
