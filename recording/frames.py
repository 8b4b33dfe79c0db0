"""Frames of a recording with what was detected in them, and random samples of them to be labelled by hand.

The source system asks for at least 200 frames a class and robot, for precision and recall at a confidence of 0.5.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from arena_trees.perception.image import Image, ImageError, Rgb
from arena_trees.perception.signs.yolo_dataset import label_text, make_dataset, write_image, write_label
from arena_trees.recording.bags.decoding import decoded, stamp_of
from arena_trees.recording.bags.reader import read_bag
from arena_trees.recording.privacy import blurred_outside
from arena_trees.recording.traces.decoder import MalformedError
from arena_trees.robot.detections import Detection
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.sensor import RefusedReadingError, Times
from arena_trees.sensors.detections.sensor import SENSOR, found
from arena_trees.world.signs import sign_classes

__all__ = ["CLASSES", "Frame", "Sample", "draw_sample"]

CLASSES = tuple(sorted(sign_classes()))
"""Classes of the signs, in the order of their numbers in a dataset."""

_IMAGE = "sensor_msgs/msg/Image"
_DETECTIONS = "vision_msgs/msg/Detection2DArray"
_DETECTIONS_LEAF = "detections"
_NOTHING = "nothing"
_LARGEST_IMAGE = 4096
"""Pixels on a side; detections of larger ones are refused."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture of a recording.

    Attributes:
        robot: whose camera took it
        stamp: of the exposure, ns
        boxes: what was detected in it
    """

    robot: str
    stamp: int
    boxes: tuple[Detection, ...]


@dataclass(frozen=True, slots=True)
class Sample:
    """What was drawn.

    Attributes:
        folder: with a dataset for each robot
        frames: of each robot and class that was detected in them, or ``nothing``
        available: the same, of the whole recording
        skipped: pictures that could not be used, by reason
    """

    folder: Path
    frames: Counter[tuple[str, str]]
    available: Counter[tuple[str, str]]
    skipped: Counter[str]


def draw_sample(bag: Path, folder: Path, count: int, seed: int = 0, blur: bool = False) -> Sample:
    """Draw frames of each robot and class at random, and as many in which nothing was detected.

    Each robot gets a dataset in YOLO's format. Its labels are what the detector found, as a start for the
    hand: what it missed, and what it made up, is for people to see.

    Args:
        bag: recording with pictures and detections
        folder: to be made
        count: frames of each robot and class
        seed: of the choice
        blur: blur pictures outside of the detections

    Raises:
        BagError: the bag cannot be read
        ConfigError: it has no pictures with detections, or the folder is there already
    """
    if os.path.lexists(folder):
        raise ConfigError("is there already", key="--output", value=str(folder))
    frames = _frames(bag)
    available: Counter[tuple[str, str]] = Counter()
    groups: dict[tuple[str, str], list[Frame]] = {}
    for frame in frames:
        for name in sorted({box.label for box in frame.boxes} & set(CLASSES)) or [_NOTHING]:
            groups.setdefault((frame.robot, name), []).append(frame)
            available[frame.robot, name] += 1
    rng = np.random.default_rng(seed)
    chosen: dict[tuple[str, int], Frame] = {}
    drawn: Counter[tuple[str, str]] = Counter()
    for key in sorted(groups):
        group = groups[key]
        for place in rng.permutation(len(group))[:count].tolist():
            chosen[group[place].robot, group[place].stamp] = group[place]
            drawn[key] += 1
    sample = Sample(folder, drawn, available, Counter())
    _write(bag, sample, chosen, blur)
    return sample


def _frames(bag: Path) -> list[Frame]:
    """Return every picture's exposure with what was detected in it, without looking at a pixel."""
    pictures: dict[str, list[int]] = {}
    found: dict[str, dict[int, tuple[Detection, ...]]] = {}
    for namespace, stamp, boxes in _passes(bag):
        if boxes is None:
            pictures.setdefault(namespace, []).append(stamp)
        else:
            found.setdefault(namespace, {})[stamp] = boxes
    frames = [
        Frame(robot, stamp, found[robot][stamp])
        for robot, stamps in pictures.items()
        if robot in found
        for stamp in dict.fromkeys(stamps)
        if stamp in found[robot]
    ]
    if not frames:
        what = "no pictures" if not pictures else "no detections of the instants of its pictures"
        raise ConfigError(f"has {what}: record with --images, or the camera's topic on a robot", file=bag)
    return frames


def _passes(bag: Path) -> Iterator[tuple[str, int, tuple[Detection, ...] | None]]:
    """Give each picture's robot and stamp, and each detection's with its boxes."""
    for raw in read_bag(bag, (_IMAGE, _DETECTIONS)).messages():
        try:
            if raw.topic.type == _IMAGE:
                yield _robot(raw.topic.name), stamp_of(decoded(raw).header), None
            elif raw.topic.type == _DETECTIONS and raw.topic.name.rpartition("/")[2] == _DETECTIONS_LEAF:
                value = decoded(raw)
                stamp = stamp_of(value.header)
                yield _robot(raw.topic.name), stamp, _boxes(value, (stamp, raw.time, 0))
        except (MalformedError, RefusedReadingError):
            continue


def _boxes(message: Any, times: Times) -> tuple[Detection, ...]:
    """Return the boxes of a message that make sense, whatever the size of the image."""
    largest = replace(found(message, times), image_width=_LARGEST_IMAGE, image_height=_LARGEST_IMAGE)
    boxes: tuple[Detection, ...] = SENSOR.checked(largest).boxes
    return boxes


def _robot(topic: str) -> str:
    """Return the name of the robot that a topic is of: the first part of its name, where that is no sensor's."""
    parts = topic.strip("/").split("/")
    return parts[0] if len(parts) > 1 and parts[0] not in ("oakd", "camera", "image") else "robot"


def _write(bag: Path, sample: Sample, chosen: dict[tuple[str, int], Frame], blur: bool) -> None:
    sample.folder.mkdir(mode=0o700, parents=True)
    for robot in sorted({robot for robot, _ in chosen}):
        make_dataset(sample.folder / robot, CLASSES, val="images")
    for raw in read_bag(bag, (_IMAGE,)).messages():
        try:
            value = decoded(raw)
            frame = chosen.pop((_robot(raw.topic.name), stamp_of(value.header)), None)
            if frame is None:
                continue
            image = Image(
                frame.stamp, raw.time, 0, int(value.width), int(value.height), value.encoding, int(value.step),
                value.data,
            )  # fmt: skip
            picture = image.rgb()
        except (MalformedError, ImageError) as error:
            sample.skipped[str(error)] += 1
            continue
        _write_frame(sample.folder / frame.robot, frame, blurred_outside(picture, frame.boxes) if blur else picture)


def _write_frame(folder: Path, frame: Frame, picture: Rgb) -> None:
    height, width = picture.shape[:2]
    write_image(folder / "images" / f"{frame.stamp}.png", picture)
    write_label(folder / "labels" / f"{frame.stamp}.txt", label_text(frame.boxes, CLASSES, width, height))
