"""Measures the sign network on its signs put into real pictures, by a second generator than the training's.

    python benchmarks/sign_composites.py FOLDER --backgrounds PICTURES [--count 600] [--seed 9301] [--model FILE]

It shares the three drawings with training and nothing else: signs are placed as planes in space and seen through a
pinhole, printed with inks on paper, lit, blurred, and developed by a camera that errs in exposure and white balance.
``--backgrounds``, repeatable, is a folder of pictures in which none of the signs is; of the recorded frames under
``ARENA_TREES_DATA``, take those that training leaves out with ``--held-out``. FOLDER becomes a data set that
``arena-trees evaluate-signs`` reads; a face that is turned away by more than 70 degrees does not occur. The table is
that of models/signs.md; precision and recall stand with Wilson's interval, and small or other faces than a row's are
neither missed nor false in it. The backgrounds are looked at as they are as well: every box there is false.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from arena_trees.experiments.intervals import rate
from arena_trees.models.training.dataset import HELD_OUT
from arena_trees.models.training.drawings import DRAWINGS, LABELS, raster
from arena_trees.perception.signs.coco_scores import Frame, score_frames
from arena_trees.perception.signs.detector import CONFIDENCE, OnnxSignDetector
from arena_trees.perception.signs.evaluation import UNSURE
from arena_trees.perception.signs.yolo_dataset import LabelledBox, label_text, make_dataset, read_image

SIDE = 250
"""Width and height of the pictures, px: the preview of a TurtleBot 4's camera."""

FOCAL = SIDE / 2.0 / math.tan(math.radians(21.0))
SIGN = 0.21
"""Width of a printed sign, m."""

SMALLEST, LARGEST = 12.0, 160.0
FARTHEST = math.radians(70.0)
LEAST = 0.5
"""Share of a sign that is in the picture at least."""

LIGHTS = {
    "neutral": (1.0, 1.0, 1.0),
    "warm": (0.55, 0.85, 1.25),
    "cool": (1.3, 1.0, 0.7),
    "green": (0.75, 1.25, 0.75),
    "dim": (1.0, 1.0, 1.0),
}
"""What the camera's white balance leaves of a light: blue, green, red. Dim is dark and noisy besides."""

Linear = NDArray[np.float32]
Bytes = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Face(LabelledBox):
    """A sign in a picture.

    Attributes:
        oblique: angle between its normal and the line of sight, rad
        light: one of ``LIGHTS``
    """

    oblique: float
    light: str


def main() -> None:
    """Compose, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--backgrounds", type=Path, action="append", required=True)
    parser.add_argument("--held-out", action="store_true", help="leave out frames that training may have seen")
    parser.add_argument("--count", type=int, default=600)
    parser.add_argument("--seed", type=int, default=9301)
    parser.add_argument("--model", type=Path)
    arguments = parser.parse_args()
    files = pictures(arguments.backgrounds, arguments.held_out)
    if not files:
        parser.error("there is no picture in the folders of --backgrounds")
    faces = compose_set(arguments.folder, [read_image(file) for file in files], arguments.count, arguments.seed)
    report(faces, OnnxSignDetector(arguments.model, UNSURE), files)


def pictures(folders: Sequence[Path], held_out: bool) -> list[Path]:
    """Return the pictures in folders and below, in the order of their names.

    Args:
        folders: searched for ``*.jpg`` and ``*.png``
        held_out: leave out those of recorded frames that training may have seen
    """
    found = [path for folder in folders for path in sorted(folder.rglob("*")) if path.suffix in (".jpg", ".png")]
    return [path for path in found if not held_out or "_frame_" not in path.name or path.name.startswith(HELD_OUT)]


def compose_set(folder: Path, backgrounds: Sequence[Bytes], count: int, seed: int) -> dict[Path, list[Face]]:
    """Write a data set of composites in YOLO's form and return the faces of each picture.

    Args:
        folder: to write to
        backgrounds: real pictures, red green blue
        count: of pictures; each depends on the seed and its own number only
        seed: of everything that is drawn
    """
    make_dataset(folder, LABELS, test="images")
    faces = {}
    for number in range(count):
        rng = np.random.default_rng((seed, number))
        picture, own, quality = compose(backgrounds, rng)
        file = folder / "images" / f"composite_{number:05d}.jpg"
        cv2.imwrite(str(file), picture[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])
        (folder / "labels" / f"{file.stem}.txt").write_text(label_text(own, LABELS, SIDE, SIDE), encoding="utf-8")
        faces[file] = own
    return faces


def compose(backgrounds: Sequence[Bytes], rng: np.random.Generator) -> tuple[Bytes, list[Face], int]:
    """Return a picture, shape (SIDE, SIDE, 3) in red green blue, its faces, and the quality to keep it with."""
    scene = crop(backgrounds[int(rng.integers(len(backgrounds)))], rng)
    light = str(rng.choice(list(LIGHTS)))
    faces: list[Face] = []
    for _ in range(int(rng.choice([0, 1, 2, 3], p=[0.1, 0.45, 0.3, 0.15]))):
        label = int(rng.integers(len(LABELS)))
        for _ in range(60):
            corners, oblique = place(rng)
            face = outline(LABELS[label], corners, oblique, light)
            if face is not None and all(apart(face, other) for other in faces):
                stick(scene, printed(label, rng), corners, rng)
                faces.append(face)
                break
    return develop(scene, light, min((face.size for face in faces), default=60.0), rng), faces, quality(rng)


def crop(picture: Bytes, rng: np.random.Generator) -> Linear:
    """Return a square part of a picture in linear light, shape (SIDE, SIDE, 3)."""
    part = int(min(picture.shape[:2]) * rng.uniform(0.75, 1.0))
    top, left = (int(rng.integers(0, length - part + 1)) for length in picture.shape[:2])
    square = cv2.resize(picture[top : top + part, left : left + part], (SIDE, SIDE), interpolation=cv2.INTER_AREA)
    return linear(np.asarray(square[:, ::-1] if rng.random() < 0.5 else square, np.uint8))


def linear(picture: Bytes) -> Linear:
    """Return the light of sRGB's values, 0 to 1 (IEC 61966-2-1)."""
    value = picture.astype(np.float32) / 255.0
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4).astype(np.float32)


def shown(light: Linear) -> Linear:
    """Return sRGB's values, 0 to 1, of light."""
    value = np.clip(light, 0.0, 1.0)
    return np.where(value <= 0.0031308, value * 12.92, 1.055 * value ** (1.0 / 2.4) - 0.055).astype(np.float32)


def place(rng: np.random.Generator) -> tuple[NDArray[np.float64], float]:
    """Return where a sign's corners are in the picture, shape (4, 2) clockwise from its upper left, and its angle.

    The obliqueness is uniform up to ``FARTHEST``; most signs stand upright and are turned to the side.
    """
    width = math.exp(rng.uniform(math.log(SMALLEST), math.log(LARGEST)))
    sight = np.array([*((rng.uniform(0.02, 0.98, 2) * SIDE - SIDE / 2.0) / FOCAL), 1.0])
    centre = sight * (FOCAL * SIGN / width)
    sight /= np.linalg.norm(sight)
    oblique = rng.uniform(0.0, FARTHEST)
    # The direction in which the face is turned away: sideways, and a little upwards or downwards.
    tilt = rng.normal(0.0, 0.15) if rng.random() < 0.85 else rng.uniform(0.0, math.tau)
    lateral = np.array([math.cos(tilt), math.sin(tilt), 0.0]) * rng.choice([-1.0, 1.0])
    lateral -= sight * (lateral @ sight)
    lateral /= np.linalg.norm(lateral)
    normal = -sight * math.cos(oblique) + lateral * math.sin(oblique)
    down = np.array([0.0, 1.0, 0.0]) - normal * normal[1]
    down /= np.linalg.norm(down)
    right = np.cross(down, -normal)
    turn = rng.normal(0.0, math.radians(5.0))
    right, down = right * math.cos(turn) + down * math.sin(turn), down * math.cos(turn) - right * math.sin(turn)
    ends = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * SIGN / 2.0
    points = centre + ends[:, :1] * right + ends[:, 1:] * down
    return points[:, :2] / points[:, 2:] * FOCAL + SIDE / 2.0, oblique


def outline(label: str, corners: NDArray[np.float64], oblique: float, light: str) -> Face | None:
    """Return the face with these corners, or None where too little of it is in the picture."""
    low, high = corners.min(axis=0), corners.max(axis=0)
    left, top = np.maximum(low, 0.0)
    right, bottom = np.minimum(high, SIDE)
    if right - left < 5.0 or bottom - top < 5.0 or (right - left) * (bottom - top) < LEAST * np.prod(high - low):
        return None
    return Face(label, float(left), float(top), float(right), float(bottom), oblique, light)


def apart(face: Face, other: Face) -> bool:
    """Return whether two faces have nothing in common."""
    gap = max(face.left - other.right, other.left - face.right, face.top - other.bottom, other.top - face.bottom)
    return gap > 0.0


def printed(label: int, rng: np.random.Generator) -> Linear:
    """Return a print of a sign in linear light: inks that are not quite the screen's colours, on paper with a tint."""
    side = 384
    value = linear(np.asarray(raster(DRAWINGS[label], side)[..., ::-1], np.uint8))
    # Ink is weaker or stronger than it should be (in density), and bleeds into the other colours.
    ink = value ** rng.uniform(0.7, 1.2, 3).astype(np.float32)
    bleed = np.eye(3) * (1.0 - rng.uniform(0.0, 0.2)) + rng.uniform(0.0, 0.06, (3, 3))
    ink = ink @ (bleed / bleed.sum(axis=1, keepdims=True)).T.astype(np.float32)
    paper = rng.uniform(0.72, 0.92) * np.array([1.0, rng.uniform(0.96, 1.0), rng.uniform(0.86, 1.03)])
    black = rng.uniform(0.02, 0.07)
    sheet = (black + (1.0 - black) * ink) * paper.astype(np.float32)
    # Stripes of a printer's head, and the sheet's waves.
    rows = np.arange(side, dtype=np.float32)[:, None, None]
    sheet *= 1.0 - rng.uniform(0.0, 0.08) * (np.sin(rows * rng.uniform(0.3, 1.5)) > 0.6)
    waves = cv2.resize(rng.normal(0.0, 1.0, (4, 4)).astype(np.float32), (side, side), interpolation=cv2.INTER_CUBIC)
    sheet *= 1.0 + rng.uniform(0.0, 0.08) * waves[..., None]
    if rng.random() < 0.25:
        # A lamp's reflection on glossy paper.
        columns = np.arange(side, dtype=np.float32)[None, :, None]
        away = ((columns - rng.uniform(0, side)) ** 2 + (rows - rng.uniform(0, side)) ** 2) / (side * 0.15) ** 2
        sheet += rng.uniform(0.05, 0.4) * np.exp(-away)
    return np.asarray(sheet, np.float32)


def stick(scene: Linear, sheet: Linear, corners: NDArray[np.float64], rng: np.random.Generator) -> None:
    """Put a sheet into a scene, in light like that of its place, with a weak shadow round it."""
    scale, side = 4, sheet.shape[0]
    ends = np.array([[0, 0], [side, 0], [side, side], [0, side]], np.float32) - 0.5
    warp = cv2.getPerspectiveTransform(ends, (corners * scale - 0.5).astype(np.float32))
    extent = float(np.ptp(corners, axis=0).max()) * scale
    # Fine lines of a far sign are averaged rather than left out.
    blurred = cv2.GaussianBlur(sheet, (0, 0), max(0.3, 0.4 * side / extent))
    size = (SIDE * scale, SIDE * scale)
    area = (SIDE, SIDE)
    layer = cv2.resize(cv2.warpPerspective(blurred, warp, size), area, interpolation=cv2.INTER_AREA)
    whole = cv2.warpPerspective(np.ones((side, side), np.float32), warp, size)
    cover = cv2.resize(whole, area, interpolation=cv2.INTER_AREA)[..., None]
    local = float(np.quantile(scene[cover[..., 0] > 0.2], 0.8)) if (cover > 0.2).any() else 0.3
    level = float(np.clip(local * rng.uniform(0.7, 1.6), 0.12, 1.1))
    slope = np.linspace(rng.uniform(0.75, 1.0), rng.uniform(0.75, 1.0), SIDE, dtype=np.float32)[None, :, None]
    shadow = cv2.GaussianBlur(cover[..., 0], (0, 0), max(0.5, extent / scale * 0.06))[..., None]
    dimmed = scene * (1.0 - rng.uniform(0.0, 0.4) * shadow)
    scene[:] = dimmed * (1.0 - cover) + layer * (level * slope)


def develop(scene: Linear, light: str, smallest: float, rng: np.random.Generator) -> Bytes:
    """Return what the camera makes of a scene: white balance, exposure, blur, noise of light and sensor, contrast.

    Args:
        scene: linear light
        light: one of ``LIGHTS``
        smallest: longer side of the smallest sign, px, which blur leaves readable
        rng: its random stream
    """
    cast = np.array(LIGHTS[light][::-1]) ** rng.uniform(0.6, 1.2) * rng.uniform(0.94, 1.06, 3)
    dark = rng.uniform(0.12, 0.35) if light == "dim" else rng.uniform(0.6, 1.4)
    seen = np.asarray(scene * (cast * dark), np.float32)
    sigma = min(rng.uniform(0.3, 1.3), 0.3 + 0.05 * smallest)
    seen = np.asarray(cv2.GaussianBlur(seen, (0, 0), sigma), np.float32)
    length = min(rng.exponential(2.0), 0.2 * smallest)
    if length > 1.0:
        # A driving robot's camera moves sideways; a share of a pixel more or less is a weight at the ends.
        taps = np.clip((length + 1.0) / 2.0 - np.abs(np.arange(-12, 13)), 0.0, 1.0).astype(np.float32)
        kernel = (taps / taps.sum())[None, :]
        seen = np.asarray(cv2.filter2D(seen, -1, kernel, borderType=cv2.BORDER_REFLECT), np.float32)
    photons = rng.uniform(300.0, 3000.0) * (0.3 if light == "dim" else 1.0)
    seen = np.maximum(seen, 0.0)
    noisy = rng.normal(seen, np.sqrt(seen / photons + rng.uniform(0.0, 0.004) ** 2))
    if light == "dim":
        # Automatic gain lifts the picture and its noise, though not quite enough.
        noisy *= rng.uniform(1.2, 2.2)
    value = shown(np.asarray(noisy, np.float32)) ** np.float32(rng.uniform(0.85, 1.2))
    return np.asarray(np.round(value * 255.0), np.uint8)


def quality(rng: np.random.Generator) -> int:
    """Return a quality for JPEG: that of a compressed image topic, or nearly none lost."""
    return int(rng.integers(35, 90)) if rng.random() < 0.6 else 95


def report(faces: dict[Path, list[Face]], detector: OnnxSignDetector, backgrounds: Sequence[Path]) -> None:
    """Print precision and recall by size, class, obliqueness and light, and the boxes in bare backgrounds."""
    found = {file: detector.detect(read_image(file)) for file in faces}

    def row(name: str, counts: Callable[[Face], bool], band: str = "20 and more", label: str = "all") -> None:
        frames = [
            Frame([box for box in own if counts(box)], found[file], [box for box in own if not counts(box)])
            for file, own in faces.items()
        ]
        scores, _ = score_frames(frames, LABELS, CONFIDENCE)
        score = next(score for score in scores if (score.label, score.band) == (label, band))
        cells = [shares(score.hits, score.false), shares(score.hits, score.boxes - score.hits)]
        print(f"| {name} | {score.boxes} | " + " | ".join(cells) + f" | {score.map50 or 0.0:.3f} |")

    print(f"{len(faces)} composites\n\n| faces | boxes | precision | recall | mAP50 |\n|---|---|---|---|---|")
    for band in ("all", "20 and more", "under 20", "20 to 45", "over 45"):
        row(f"all, {band} px" if band != "all" else "all", lambda face: True, band)
    for label in LABELS:
        row(label, lambda face: True, label=label)
    for low, high in ((0, 30), (30, 45), (45, 60), (60, 70)):
        row(f"{low} to {high} degrees", lambda face, low=low, high=high: low <= math.degrees(face.oblique) < high)  # type: ignore[misc]
    for light in LIGHTS:
        row(f"{light} light", lambda face, light=light: face.light == light)  # type: ignore[misc]
    boxes = [box for file in backgrounds for box in detector.detect(read_image(file))]
    false = sum(box.confidence >= CONFIDENCE for box in boxes)
    print(f"\n{false} boxes in the {len(backgrounds)} backgrounds as they are")


def shares(hits: int, others: int) -> str:
    """Return the share of hits, with its interval."""
    estimate = rate([True] * hits + [False] * others)
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return "-"
    return f"{estimate.value:.3f} ({estimate.low:.3f} to {estimate.high:.3f})"


if __name__ == "__main__":
    main()
