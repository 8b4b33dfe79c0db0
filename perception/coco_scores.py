"""How good a detector's boxes are, by the COCO benchmark's own code (pycocotools, extra ``evaluate``)."""

from __future__ import annotations

import contextlib
import io
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arena_trees.perception.yolo_dataset import LabelledBox
from arena_trees.robot.errors import ArenaTreesError
from arena_trees.robot.percepts import Sighting

__all__ = ["BANDS", "OVERLAP", "Band", "Frame", "Outcome", "Score", "score_frames"]

OVERLAP = 0.5
"""A box is right when it overlaps a true one of its class by this (intersection over union), and none better does."""

_MOST_BOXES = 100


@dataclass(frozen=True, slots=True)
class Band:
    """A range of sizes: of a box's longer side, px."""

    name: str
    low: float
    high: float


BANDS = (
    Band("all", 0.0, math.inf),
    Band("20 and more", 20.0, math.inf),
    Band("under 20", 0.0, math.nextafter(20.0, 0.0)),
    Band("20 to 45", 20.0, 45.0),
    Band("over 45", math.nextafter(45.0, 90.0), math.inf),
)


@dataclass(frozen=True, slots=True)
class Frame:
    """One image.

    Attributes:
        truth: its true boxes
        found: what a detector found in it, however unsure it was
        doubtful: boxes of signs that need not be found, and are no mistake where they are: cut off,
            hidden or turned away too far
    """

    truth: Sequence[LabelledBox]
    found: Sequence[Sighting]
    doubtful: Sequence[LabelledBox] = ()


@dataclass(frozen=True, slots=True)
class Score:
    """A detector's score for one class and one range of sizes; None where there is nothing to divide by.

    Attributes:
        label: the class
        band: name of the range
        boxes: number of true boxes
        hits: true boxes that were found with enough confidence
        false: boxes with enough confidence that are at no true box of the class
        map50: mean average precision at an overlap of 0.5
        map50_95: the same, mean over overlaps of 0.5 to 0.95
        edge_px: root mean square error of the four edges of the hits, px
    """

    label: str
    band: str
    boxes: int
    hits: int
    false: int
    map50: float | None
    map50_95: float | None
    edge_px: float | None

    @property
    def precision(self) -> float | None:
        """Share of the boxes found that are right."""
        found = self.hits + self.false
        return self.hits / found if found else None

    @property
    def recall(self) -> float | None:
        """Share of the true boxes that were found."""
        return self.hits / self.boxes if self.boxes else None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the boxes of one image at the confidence asked for.

    Attributes:
        hits: found boxes that are right
        false: found boxes that are not
        missed: true boxes that were not found
    """

    hits: tuple[Sighting, ...]
    false: tuple[Sighting, ...]
    missed: tuple[LabelledBox, ...]


def score_frames(
    frames: Sequence[Frame], labels: Sequence[str], confidence: float
) -> tuple[list[Score], list[Outcome]]:
    """Return the scores of each class and band, and what became of the boxes of each image.

    Args:
        frames: the images; what was found should reach down to almost no confidence, for the mean precision
        labels: classes to score
        confidence: that counts as found

    Raises:
        ArenaTreesError: pycocotools is not installed
    """
    try:
        from pycocotools.coco import COCO
        from pycocotools.cocoeval import COCOeval
    except ImportError as error:
        raise ArenaTreesError(
            "scores need pycocotools, which is not installed: pip install 'arena-trees[evaluate]'"
        ) from error
    numbers = {label: number for number, label in enumerate(labels, 1)}
    true = [(image, box) for image, frame in enumerate(frames) for box in frame.truth if box.label in numbers]
    doubtful = [(image, box) for image, frame in enumerate(frames) for box in frame.doubtful if box.label in numbers]
    found = [(image, box) for image, frame in enumerate(frames) for box in frame.found if box.label in numbers]
    about = {
        "info": {},
        "images": [{"id": image} for image in range(len(frames))],
        "categories": [{"id": number, "name": label} for label, number in numbers.items()],
    }
    # It tells of its progress on standard output.
    with contextlib.redirect_stdout(io.StringIO()):
        tables = []
        for annotations in (_true_annotations(true, doubtful, numbers), _found_annotations(found, numbers)):
            table = COCO()
            table.dataset = {**about, "annotations": annotations}
            table.createIndex()
            tables.append(table)
        judge = COCOeval(*tables, "bbox")
        judge.params.areaRng = [[band.low**2, min(band.high**2, 1e12)] for band in BANDS]
        judge.params.areaRngLbl = [band.name for band in BANDS]
        judge.params.maxDets = [_MOST_BOXES]
        judge.evaluate()
        judge.accumulate()
    pairs = itertools.product(enumerate(labels), range(len(BANDS)))
    scores = [_score(judge, label, index, band, (true, found), confidence) for (index, label), band in pairs]
    return scores, _outcomes(judge, len(frames), true, found, confidence)


def _true_annotations(
    true: Sequence[tuple[int, LabelledBox]], doubtful: Sequence[tuple[int, LabelledBox]], numbers: Mapping[str, int]
) -> list[dict[str, Any]]:
    """Return the true boxes as COCO has them, numbered from 1 in their order, the doubtful ones after the others."""
    return [
        {
            "id": number,
            "image_id": image,
            "category_id": numbers[box.label],
            "bbox": [box.left, box.top, box.right - box.left, box.bottom - box.top],
            # By this "area" boxes are sorted into bands.
            "area": box.size**2,
            # COCO's crowds are neither missed nor false.
            "iscrowd": int(number > len(true)),
        }
        for number, (image, box) in enumerate((*true, *doubtful), 1)
    ]


def _found_annotations(found: Sequence[tuple[int, Sighting]], numbers: Mapping[str, int]) -> list[dict[str, Any]]:
    """Return the boxes found as COCO has them, numbered from 1 in their order."""
    return [
        {
            "id": number,
            "image_id": image,
            "category_id": numbers[box.label],
            "bbox": [box.x - box.width / 2.0, box.y - box.height / 2.0, box.width, box.height],
            "area": max(box.width, box.height) ** 2,
            "iscrowd": 0,
            "score": box.confidence,
        }
        for number, (image, box) in enumerate(found, 1)
    ]


def _score(
    judge: Any,
    label: str,
    index: int,
    band: int,
    boxes: tuple[Sequence[tuple[int, LabelledBox]], Sequence[tuple[int, Sighting]]],
    confidence: float,
) -> Score:
    """Read one score; COCOeval keeps a list of images for each class and band, at overlaps from 0.5 up."""
    true, found = boxes
    count = len(judge.params.imgIds)
    start = (index * len(BANDS) + band) * count
    number = false = 0
    squares = []
    for image in judge.evalImgs[start : start + count]:
        if image is None:
            continue
        number += int(np.sum(np.asarray(image["gtIgnore"]) == 0))
        counted = (np.asarray(image["dtScores"]) >= confidence) & ~np.asarray(image["dtIgnore"][0], dtype=bool)
        for own, match in zip(np.asarray(image["dtIds"])[counted], image["dtMatches"][0][counted], strict=True):
            if match > 0:
                squares.append(_edge_error(true[int(match) - 1][1], found[int(own) - 1][1]))
            else:
                false += 1
    precision = judge.eval["precision"][:, :, index, band, 0]
    return Score(
        label,
        BANDS[band].name,
        boxes=number,
        hits=len(squares),
        false=false,
        map50=_mean(precision[:1]),
        map50_95=_mean(precision),
        edge_px=math.sqrt(sum(squares) / len(squares)) if squares else None,
    )


def _edge_error(true: LabelledBox, found: Sighting) -> float:
    """Return the mean square error of a box's four edges, px^2."""
    half_width, half_height = found.width / 2.0, found.height / 2.0
    errors = (
        found.x - half_width - true.left,
        found.y - half_height - true.top,
        found.x + half_width - true.right,
        found.y + half_height - true.bottom,
    )
    return sum(error * error for error in errors) / 4.0


def _mean(precision: Any) -> float | None:
    """Return the mean of a table of precisions, in which -1 stands for nothing to find."""
    known = precision[precision > -1.0]
    return float(known.mean()) if known.size else None


def _outcomes(
    judge: Any,
    frames: int,
    true: Sequence[tuple[int, LabelledBox]],
    found: Sequence[tuple[int, Sighting]],
    confidence: float,
) -> list[Outcome]:
    """Sort each image's boxes into right, false and missed, by the matches that COCOeval made of all sizes."""
    matches: dict[int, int] = {}
    for image in judge.evalImgs:
        if image is not None and image["aRng"] == judge.params.areaRng[0]:
            counted = ~np.asarray(image["dtIgnore"][0], dtype=bool)
            ids = np.asarray(image["dtIds"], dtype=int)[counted].tolist()
            matches.update(zip(ids, image["dtMatches"][0][counted].astype(int).tolist(), strict=True))
    hits: list[list[Sighting]] = [[] for _ in range(frames)]
    false: list[list[Sighting]] = [[] for _ in range(frames)]
    reached = set()
    for number, (index, box) in enumerate(found, 1):
        if box.confidence >= confidence and number in matches:
            (hits if matches[number] else false)[index].append(box)
            reached.add(matches[number])
    missed: list[list[LabelledBox]] = [[] for _ in range(frames)]
    for number, (index, truth) in enumerate(true, 1):
        if number not in reached:
            missed[index].append(truth)
    return [Outcome(tuple(h), tuple(f), tuple(m)) for h, f, m in zip(hits, false, missed, strict=True)]
