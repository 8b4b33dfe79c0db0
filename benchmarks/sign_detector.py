"""Measures how the sign network and the pinhole camera fail on the same rendered pictures.

    python benchmarks/sign_detector.py [--worlds 300] [--seed 7000] [--model FILE]

By the network's figures the pinhole camera's are set. The tables, in Markdown, are those of docs/perception.md. In
each, one property of a sign varies while the others make no trouble; a frame's false boxes are those that lie on no
sign at all. The pinhole camera reports one face of a sign, so it is asked for the most frontal one only.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np

from arena_trees.perception.signs.detector import OnnxSignDetector
from arena_trees.perception.signs.yolo_dataset import LabelledBox
from arena_trees.robot.detections import Detection
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.simulation.physics.engine import mujoco
from arena_trees.simulation.physics.model import build_model
from arena_trees.simulation.rendering.dataset import SeenFace, photograph
from arena_trees.simulation.rendering.worlds import OBSERVER, SignWorld, View, draw_view, draw_world
from arena_trees.simulation.sensors.camera_image import smear
from arena_trees.simulation.sensors.parametric_detector import ParametricDetector
from arena_trees.simulation.sensors.rays import RayCaster
from arena_trees.simulation.sensors.sign_camera import CameraParameters
from arena_trees.world.body import TURTLEBOT4

_SMEARS = (0.0, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0)
"""Shares of a face's width by which a picture is smeared."""
_SIZES = {"12 to 25 px": 25.0, "25 to 60 px": 60.0, "60 px and more": math.inf}


@dataclass(frozen=True, slots=True)
class SignView:
    """A face that was to be found, and what was found at it: a box, or None."""

    face: SeenFace
    found: Detection | None

    @property
    def size(self) -> float:
        """Shorter side of the true box, px."""
        box = self.face.box
        return min(box.right - box.left, box.bottom - box.top)

    @property
    def oblique_deg(self) -> float:
        """Angle between the face's normal and the line to the camera, degrees."""
        return math.degrees(self.face.obliqueness)


@dataclass(slots=True)
class Tally:
    """What became of a detector's boxes: its looks at faces, and the number of boxes on no sign."""

    looks: list[SignView] = field(default_factory=list)
    false: int = 0

    def add(self, faces: Sequence[SeenFace], asked: Sequence[SeenFace], boxes: list[Detection]) -> None:
        """Compare one picture's boxes with the faces in it, of which some are asked for."""
        self.false += sum(all(share(face.box, box) < 0.1 for face in faces) for box in boxes)
        self.looks += [SignView(face, take(face.box, boxes)) for face in asked]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=300, help="worlds, of eight pictures each")
    parser.add_argument("--seed", type=int, default=7000)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--smears", action="store_true", help="what a turning camera costs the network, in place of it")
    arguments = parser.parse_args()
    if arguments.smears:
        show_smears(OnnxSignDetector(arguments.model), arguments.worlds, arguments.seed)
        return
    tallies, frames = measure(OnnxSignDetector(arguments.model), arguments.worlds, arguments.seed)
    for name, tally in zip(("network", "pinhole"), tallies, strict=True):
        rate = tally.false / frames
        print(f"{name}: {frames} pictures, {len(tally.looks)} faces, {tally.false} boxes on no sign, {rate:.5f} each")
    looks = [tally.looks for tally in tallies]
    facing = [[look for look in part if plain(look) and look.oblique_deg < 45.0] for part in looks]
    show("shorter side, px", facing, lambda look: look.size, (3, 6, 8, 10, 12, 15, 20, 30, 45, 70, 120, 250))
    large = [[look for look in part if plain(look) and height(look.face.box) > 30] for part in looks]
    oblique = (0, 15, 30, 45, 55, 60, 65, 70, 75, 80, 85, 90)
    show("obliqueness, degrees (over 30 px high)", large, lambda look: look.oblique_deg, oblique)
    near = [[look for look in part if look.size > 15 and look.oblique_deg < 45.0] for part in looks]
    unhidden = [[look for look in part if look.face.visible > 0.9] for part in near]
    shares = (0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.6, 0.8, 0.9999, 1.001)
    show("share inside the image (over 15 px)", unhidden, lambda look: look.face.inside, shares)
    whole = [[look for look in part if look.face.inside > 0.999] for part in near]
    show("share unhidden (over 15 px)", whole, lambda look: look.face.visible, shares)


def show_smears(detector: OnnxSignDetector, worlds: int, seed: int) -> None:
    """Print how many faces in plain view are found in pictures smeared sideways by shares of the face's width."""
    counts: dict[str, dict[float, list[bool]]] = {size: {} for size in _SIZES}
    for world in range(worlds):
        for picture, faces in photograph(RandomStreams(seed, f"measure.{world}")):
            for face in faces:
                width = face.box.right - face.box.left
                if width < 12.0 or not (plain(SignView(face, None)) and face.obliqueness < math.pi / 4.0):
                    continue
                size = next(name for name, most in _SIZES.items() if width < most)
                for share in _SMEARS:
                    found = take(face.box, list(detector.detect(smear(picture, share * width, 0.0))))
                    counts[size].setdefault(share, []).append(found is not None)
    print("| width | faces | " + " | ".join(f"{share:g}" for share in _SMEARS) + " |")
    print("|---" * (2 + len(_SMEARS)) + "|")
    for size, shares in counts.items():
        print(f"| {size} | {len(shares[0.0])} | " + " | ".join(f"{np.mean(shares[one]):.2f}" for one in _SMEARS) + " |")


def plain(look: SignView) -> bool:
    """Return whether a face is in the image whole and unhidden."""
    return look.face.inside > 0.999 and look.face.visible > 0.9


def measure(detector: OnnxSignDetector, worlds: int, seed: int) -> tuple[tuple[Tally, Tally], int]:
    """Return what the network and the pinhole camera made of the pictures, and the number of pictures."""
    network, pinhole = Tally(), Tally()
    frames = 0
    for world in range(worlds):
        streams = RandomStreams(seed, f"measure.{world}")
        for (picture, faces), (leading, boxes) in zip(photograph(streams), reckon(streams), strict=False):
            frames += 1
            network.add(faces, faces, list(detector.detect(picture)))
            pinhole.add(faces, [face for face in faces if face.obliqueness in leading], boxes)
    return (network, pinhole), frames


def reckon(streams: RandomStreams) -> Iterator[tuple[set[float], list[Detection]]]:
    """Yield what the pinhole camera makes of each view of :func:`photograph`, without an end.

    Yields:
        obliqueness of the most frontal face of each sign, by which it is known, and the boxes
    """
    world = draw_world(streams)
    arena = build_model(
        world.layout, dict.fromkeys([OBSERVER, *(sign.name for sign in world.signs)], TURTLEBOT4), world.signs
    )
    data = mujoco.MjData(arena.model)
    optics = CameraParameters(hfov_deg=math.degrees(world.camera.hfov), mount_z=world.camera.mount_z)
    detector = ParametricDetector(OBSERVER, optics, streams.child("pinhole"), RayCaster(arena, data))
    index = 0
    while True:
        view = draw_view(world, streams.generator(f"view.{index}"))
        for name, pose in view.poses.items():
            first = arena.states[name]
            data.qpos[first : first + 3] = (pose.x, pose.y, pose.yaw)
        mujoco.mj_forward(arena.model, data)
        observer = view.poses[OBSERVER]
        yield leading_faces(world, view), list(detector.detect(observer, world.placed(view.poses)))
        index += 1


def leading_faces(world: SignWorld, view: View) -> set[float]:
    """Return the obliqueness (rad) of the most frontal face of each sign before the camera."""
    observer = view.poses[OBSERVER]
    projections = [world.camera.project(observer, target) for target in world.placed(view.poses)]
    return {projection.obliqueness for projection in projections if projection is not None}


def take(true: LabelledBox, boxes: list[Detection]) -> Detection | None:
    """Take the box that overlaps a true one best out of the list, if it does by a half."""
    fitting = [box for box in boxes if box.label == true.label and overlap(true, box) >= 0.5]
    if not fitting:
        return None
    best = max(fitting, key=lambda box: overlap(true, box))
    boxes.remove(best)
    return best


def height(box: LabelledBox) -> float:
    """Return a box's height, px."""
    return box.bottom - box.top


def common(true: LabelledBox, box: Detection) -> float:
    """Return the area (px^2) that two boxes share."""
    left, top, right, bottom = box.edges
    width = min(true.right, right) - max(true.left, left)
    height = min(true.bottom, bottom) - max(true.top, top)
    return max(0.0, width) * max(0.0, height)


def overlap(true: LabelledBox, box: Detection) -> float:
    """Return the intersection over the union of two boxes."""
    area = common(true, box)
    return area / ((true.right - true.left) * (true.bottom - true.top) + box.width * box.height - area)


def share(true: LabelledBox, box: Detection) -> float:
    """Return the share of a found box that lies on a true one."""
    return common(true, box) / (box.width * box.height)


def errors(look: SignView) -> list[float]:
    """Return the errors of the edges that are in the image: left, top, right, bottom, px."""
    true, box = look.face.box, look.found
    assert box is not None
    inside = (true.left > 0.5, true.top > 0.5, true.right < 249.5, true.bottom < 249.5)
    return [found - edge for edge, found, seen in zip(true.edges, box.edges, inside, strict=True) if seen]


def show(
    title: str, parts: Sequence[Sequence[SignView]], value: Callable[[SignView], float], limits: Sequence[float]
) -> None:
    """Print one table, each detector's figures side by side."""
    print(f"\n| {title} | network: faces | found | edges, px | confidence |", end="")
    print(" pinhole: faces | found | edges, px | confidence |\n" + "|---" * 9 + "|")
    for low, high in pairwise(limits):
        rows = [[look for look in part if low <= value(look) < high] for part in parts]
        if any(rows):
            print(f"| {low:g} to {high:g} | " + " | ".join(cell for row in rows for cell in cells(row)) + " |")


def cells(looks: Sequence[SignView]) -> list[str]:
    """Return number of faces, share found, deviation of the edges (root mean square), and mean confidence."""
    hits = [look for look in looks if look.found is not None]
    edges = [error for look in hits for error in errors(look)]
    return [
        str(len(looks)),
        f"{len(hits) / len(looks):.3f}" if looks else "-",
        f"{np.sqrt(np.mean(np.square(edges))):.2f}" if edges else "-",
        f"{np.mean([look.found.confidence for look in hits if look.found]):.2f}" if hits else "-",
    ]


if __name__ == "__main__":
    main()
