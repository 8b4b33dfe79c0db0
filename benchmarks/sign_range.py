"""Measures the range from a box on rendered pictures: how large its error is, and whether its deviation is honest.

    python benchmarks/sign_range.py [--worlds 400] [--seed 9500] [--model FILE]

As the wolf does, it takes the network's most confident box of a class in each picture. The tables, in Markdown, are
those of docs/perception.md. Of an honest deviation, 68 % of the errors lie within one, and 95 % within two.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from sign_detector import overlap

from arena_trees.control.sign_range import Camera, RangeEstimate, Sign, sign_range
from arena_trees.perception.signs.detector import OnnxSignDetector, best_of_each
from arena_trees.robot.detections import Detection
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.simulation.rendering.dataset import SeenFace, photograph
from arena_trees.simulation.rendering.worlds import OBSERVER, SignWorld, View, draw_view, draw_world
from arena_trees.world.signs import CARROT, PlacedSign

EDGE = 2.0
"""A box edge this near (px) to the image's edge counts as cut off, as in the range itself."""


@dataclass(frozen=True, slots=True)
class Case:
    """A box on a robot's sign, the range from it (None where it does not tell), and the truth, m and rad."""

    box: Detection
    found: RangeEstimate | None
    distance: float
    bearing: float

    @property
    def cut(self) -> str:
        """Where the image's edge cuts the box off."""
        box = self.box
        sideways = box.x - box.width / 2.0 <= EDGE or box.x + box.width / 2.0 >= 250.0 - EDGE
        above = box.y - box.height / 2.0 <= EDGE
        return {(False, False): "nowhere", (True, False): "above", (False, True): "at a side"}.get(
            (above, sideways), "above and at a side"
        )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=400, help="worlds, of eight pictures each")
    parser.add_argument("--seed", type=int, default=9500)
    parser.add_argument("--model", type=Path)
    arguments = parser.parse_args()
    detector = OnnxSignDetector(arguments.model)
    cases = [
        case
        for world in range(arguments.worlds)
        for case in look(detector, RandomStreams(arguments.seed, f"range.{world}"))
    ]
    print(f"{8 * arguments.worlds} pictures, {len(cases)} boxes on a robot's sign")
    limits = (0.34, 0.5, 0.6, 0.8, 1.2, 2.0, 3.5, 6.0)
    bands = [(f"{low:g} to {high:g}", between(low, high)) for low, high in pairwise(limits)]
    show("true distance, m", cases, [*bands, ("all", between(0.0, math.inf))])
    cuts = ("nowhere", "above", "at a side", "above and at a side")
    show("the box is cut off", cases, [(cut, is_cut(cut)) for cut in cuts])


def look(detector: OnnxSignDetector, streams: RandomStreams) -> Iterator[Case]:
    """Yield the cases of one world."""
    world = draw_world(streams)
    for index, (picture, faces) in enumerate(photograph(streams)):
        view = draw_view(world, streams.generator(f"view.{index}"))
        for box in best_of_each(detector.detect(picture)):
            target = None if box.label == CARROT else bearer(world, view, faces, box)
            if target is not None:
                yield judge(world, view, box, target)


def bearer(world: SignWorld, view: View, faces: Sequence[SeenFace], box: Detection) -> PlacedSign | None:
    """Return the sign that a box lies on, or None where it lies on none of its class."""
    own = [face for face in faces if face.box.label == box.label]
    best = max(own, key=lambda face: overlap(face.box, box), default=None)
    if best is None or overlap(best.box, box) < 0.1:
        return None
    for target in world.placed(view.poses):
        for number in range(target.sign.faces):
            projection = world.camera.project_face(view.poses[OBSERVER], target, number)
            # A face is known by its angle: no two have the same.
            if projection is not None and projection.obliqueness == best.obliqueness:
                return target
    return None


def judge(world: SignWorld, view: View, box: Detection, target: PlacedSign) -> Case:
    """Return the range from a box, with the true one."""
    optics, sign = world.camera, target.sign
    camera = Camera(optics.hfov, optics.mount_x, optics.mount_z)
    found = sign_range(box, optics.width, optics.height, camera, Sign(sign.size, sign.height))
    true = view.poses[OBSERVER].relative(target.pose)
    return Case(box, found, math.hypot(true.x, true.y), math.atan2(true.y, true.x))


def between(low: float, high: float) -> Callable[[Case], bool]:
    """Return whether a case's true distance is within limits, m."""
    return lambda case: low <= case.distance < high


def is_cut(where: str) -> Callable[[Case], bool]:
    """Return whether a case's box is cut off there."""
    return lambda case: case.cut == where


def show(title: str, cases: Sequence[Case], rows: Sequence[tuple[str, Callable[[Case], bool]]]) -> None:
    """Print one table."""
    print(
        f"\n| {title} | boxes | without a range | mean error, m | rms error, m | median deviation, m"
        " | within 1 | within 2 | within 3 | rms error of the bearing, degrees |"
    )
    print("|---" * 10 + "|")
    for name, belongs in rows:
        own = [case for case in cases if belongs(case)]
        if own:
            print(f"| {name} | {len(own)} | " + " | ".join(cells(own)) + " |")


def cells(cases: Sequence[Case]) -> list[str]:
    """Return a row's figures."""
    known = [(case, case.found) for case in cases if case.found is not None]
    without = str(len(cases) - len(known))
    if not known:
        return [without, *"--------"]
    errors = np.array([found.distance - case.distance for case, found in known])
    sigmas = np.array([found.sigma for _, found in known])
    bearings = np.degrees([found.bearing - case.bearing for case, found in known])
    within = [f"{np.mean(np.abs(errors) <= times * sigmas):.3f}" for times in (1.0, 2.0, 3.0)]
    middle = [f"{np.mean(errors):+.3f}", f"{rms(errors):.3f}", f"{np.median(sigmas):.3f}"]
    return [without, *middle, *within, f"{rms(bearings):.2f}"]


def rms(values: np.ndarray) -> float:
    """Return the root of the mean square."""
    return float(np.sqrt(np.mean(np.square(values))))


if __name__ == "__main__":
    main()
