"""How good a detector's boxes are, by the COCO benchmark's own code (pycocotools, extra ``evaluate``)."""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from arena_trees.perception.signs.yolo_dataset import LabelledBox
from arena_trees.robot.detections import Detection
from arena_trees.robot.errors import ArenaTreesError

__all__ = ["BANDS", "BoxMatches", "Frame", "Score", "score_frames"]

BANDS = {
    "all": (0.0, 1e6),
    "20 and more": (20.0, 1e6),
    "under 20": (0.0, math.nextafter(20.0, 0.0)),
    "20 to 45": (20.0, 45.0),
    "over 45": (math.nextafter(45.0, 90.0), 1e6),
}
"""Ranges of sizes: least and greatest length of a box's longer side, px."""

_Pair: TypeAlias = "tuple[Detection, LabelledBox | None]"
"""A box found, and the true box that it is at, if it is at any."""


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
    found: Sequence[Detection]
    doubtful: Sequence[LabelledBox] = ()


@dataclass(frozen=True, slots=True)
class Score:
    """A detector's score for one class and one range of sizes; None where there is nothing to divide by.

    Attributes:
        label: the class, or ``all``
        band: name of the range
        boxes: number of true boxes
        hits: true boxes that were found with enough confidence
        false: boxes with enough confidence that are at no true box of the class
        precision: share of the boxes found that are right
        recall: share of the true boxes that were found
        map50: mean average precision at an overlap of 0.5
        map50_95: the same, mean over overlaps of 0.5 to 0.95
        edge_px: root mean square error of the four edges of the hits, px
    """

    label: str
    band: str
    boxes: int
    hits: int
    false: int
    precision: float | None
    recall: float | None
    map50: float | None
    map50_95: float | None
    edge_px: float | None


@dataclass(frozen=True, slots=True)
class BoxMatches:
    """What became of an image's boxes: those found that are right and those that are not, and true ones missed."""

    hits: tuple[Detection, ...]
    false: tuple[Detection, ...]
    missed: tuple[LabelledBox, ...]


def score_frames(
    frames: Sequence[Frame], labels: Sequence[str], confidence: float
) -> tuple[list[Score], list[BoxMatches]]:
    """Return the scores of each band, by class and of all classes, and what became of the boxes of each image.

    Args:
        frames: the images; what was found should reach down to almost no confidence, for the mean precision
        labels: classes to score; boxes of others do not count
        confidence: that counts as found

    Raises:
        ArenaTreesError: pycocotools is not installed
    """
    judge = _judge(frames, labels)
    images = np.array(judge.evalImgs, dtype=object).reshape(len(labels), len(BANDS), len(frames))
    scores = []
    for label, chosen in [(label, [index]) for index, label in enumerate(labels)] + [("all", [*range(len(labels))])]:
        for band, name in enumerate(BANDS):
            judged = images[chosen, band]
            boxes = sum(list(image["gtIgnore"]).count(0) for image in judged.flat if image is not None)
            precision = judge.eval["precision"][:, :, chosen, band, 0]
            scores.append(_score(label, name, boxes, _pairs(judge, judged, confidence), precision))
    outcomes = [
        _outcome([box for box in frame.truth if box.label in labels], _pairs(judge, images[:, 0, index], confidence))
        for index, frame in enumerate(frames)
    ]
    return scores, outcomes


def _score(label: str, band: str, boxes: int, pairs: Sequence[_Pair], precision: Any) -> Score:
    """Return a score; precision is COCO's table, in which -1 stands for nothing to find."""
    squares = [np.subtract(own.edges, true.edges) ** 2 for own, true in pairs if true is not None]
    hits = len(squares)
    map50, map50_95 = (
        float(part[part > -1.0].mean()) if (part > -1.0).any() else None for part in (precision[:1], precision)
    )
    return Score(
        label, band, boxes, hits, len(pairs) - hits,
        precision=hits / len(pairs) if pairs else None, recall=hits / boxes if boxes else None,
        map50=map50, map50_95=map50_95, edge_px=math.sqrt(np.mean(squares)) if squares else None,
    )  # fmt: skip


def _outcome(truth: Sequence[LabelledBox], pairs: Sequence[_Pair]) -> BoxMatches:
    reached = {id(true) for _, true in pairs}
    return BoxMatches(
        tuple(own for own, true in pairs if true is not None),
        tuple(own for own, true in pairs if true is None),
        tuple(box for box in truth if id(box) not in reached),
    )


def _judge(frames: Sequence[Frame], labels: Sequence[str]) -> Any:
    """Return a COCOeval that has matched the frames' boxes; each of its annotations holds its own ``box``."""
    try:
        from pycocotools.coco import COCO
        from pycocotools.cocoeval import COCOeval
    except ImportError as error:
        raise ArenaTreesError(
            "scores need pycocotools, which is not installed: pip install 'arena-trees[evaluate]'"
        ) from error
    about = {
        "info": {},
        "images": [{"id": image} for image in range(len(frames))],
        "categories": [{"id": number, "name": label} for number, label in enumerate(labels)],
    }
    # It tells of its progress on standard output.
    with contextlib.redirect_stdout(io.StringIO()):
        tables = [COCO(), COCO()]
        for table, parts in zip(tables, (("truth", "doubtful"), ("found",)), strict=True):
            table.dataset = {**about, "annotations": _annotations(frames, labels, parts)}
            table.createIndex()
        judge = COCOeval(*tables, "bbox")
        judge.params.areaRng = [[low**2, high**2] for low, high in BANDS.values()]
        judge.params.areaRngLbl = [*BANDS]
        judge.params.maxDets = [100]
        judge.evaluate()
        judge.accumulate()
    return judge


def _annotations(frames: Sequence[Frame], labels: Sequence[str], parts: Sequence[str]) -> list[dict[str, Any]]:
    """Return the boxes of some parts of the frames as COCO has them, numbered from 1."""
    boxes = [(part, image, box) for part in parts for image, frame in enumerate(frames) for box in getattr(frame, part)]
    return [
        {
            "id": number,
            "image_id": image,
            "category_id": labels.index(box.label),
            "bbox": [left, top, right - left, bottom - top],
            # By this "area" boxes are sorted into bands.
            "area": max(right - left, bottom - top) ** 2,
            # COCO's crowds are neither missed nor false.
            "iscrowd": int(part == "doubtful"),
            "score": getattr(box, "confidence", 1.0),
            "box": box,
        }
        for number, (part, image, box) in enumerate((row for row in boxes if row[2].label in labels), 1)
        for left, top, right, bottom in [box.edges]
    ]


def _pairs(judge: Any, images: Any, confidence: float) -> list[_Pair]:
    """Return the boxes found that count, each with the true box that it matches at an overlap of 0.5."""
    found, truth = judge.cocoDt.anns, judge.cocoGt.anns
    matches = (
        (own, int(match))
        for image in images.flat
        if image is not None
        for own, score, ignored, match in zip(
            image["dtIds"], image["dtScores"], image["dtIgnore"][0], image["dtMatches"][0], strict=True
        )
        if score >= confidence and not ignored
    )
    return [(found[own]["box"], truth[match]["box"] if match else None) for own, match in sorted(matches)]
