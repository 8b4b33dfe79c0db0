"""What a training is to do, and how far it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

__all__ = ["Report", "TrainingPlan"]


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """Sizes, duration and seed of a training.

    Attributes:
        folder: where images, weights and logs go
        images: number of synthetic training images
        validation_images: number of images on which it is checked now and then
        slice_images: number of images in what ultralytics calls an epoch
        epochs: number of slices; the learning rate falls along a cosine until the last
        hours: if given, so long in all instead, with as many epochs as fit
        batch: images a step
        image_px: side of the network's input
        learning_rate: at the start, after the warm-up
        start: weights to begin with, such as an earlier training's, or an ONNX file made of them, with a small learning
            rate; random ones if absent
        seed: of the weights at the start and of the order of the images
        threads: of the processor
        score: of the trained network that becomes 0.5 in the exported one; 0.6 gave a precision of 0.98 on
            the validation images where 0.5 gave 0.97
        bfloat16: whether to calculate with 16 bits: a quarter faster on processors that have instructions for it
        device: ``cpu``, or the number of a GPU
        resume: whether to go on from the last checkpoint in the folder, if there is one
        frames: folder of real frames for some of the backgrounds
        extra: further data sets in YOLO's format, such as images rendered by a simulator
    """

    folder: Path
    images: int = 20000
    validation_images: int = 400
    slice_images: int = 2000
    epochs: int = 65
    hours: float | None = None
    batch: int = 16
    image_px: int = 256
    learning_rate: float = 0.003
    start: Path | None = None
    seed: int = 0
    threads: int = 1
    score: float = 0.6
    bfloat16: bool = False
    device: str = "cpu"
    resume: bool = False
    frames: Path | None = None
    extra: tuple[Path, ...] = ()


Report: TypeAlias = Callable[[float, int, float, "float | None"], object]
"""Called with epochs done and in all (which may change where the duration is given), the mean loss of the epoch so far,
and the mAP50 on the validation images after an epoch in which it was measured."""
