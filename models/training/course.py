"""The whole course of a training: data, network, export."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from arena_trees.models.training.dataset import write_data_file, write_set
from arena_trees.models.training.plan import Progress, TrainingPlan
from arena_trees.robot.errors import ArenaTreesError, ConfigError

__all__ = ["MODEL_FILE", "Finished", "check_packages", "prepare", "train_and_export"]

MODEL_FILE = "signs.onnx"
"""Name of the finished model in the plan's folder."""

_COMPARED = 100
"""Validation images on which the exported network is compared with the trained one."""

_LARGEST_DIFFERENCE_PX = 2.0

_PACKAGES = ("torch", "torchvision", "ultralytics", "onnx")


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished training.

    Attributes:
        model: the ONNX file
        boxes: found by the exported as by the trained network in some of the validation images
        largest_px: how far these boxes' edges are apart at most
    """

    model: Path
    boxes: int
    largest_px: float


def check_packages() -> None:
    """Make sure that the packages for training are there.

    Raises:
        ArenaTreesError: one is missing
    """
    missing = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        raise ArenaTreesError(
            f"training needs {', '.join(missing)}: models/signs.md says how to install what it needs"
            " ('pip install torch==2.13.0 ./tools/torchvision_stub', then 'pip install arena-trees[train]')"
        )


def prepare(plan: TrainingPlan) -> Iterator[tuple[str, int, int]]:
    """Write the images for training and validation.

    Yields:
        name of the set, images written so far, images in all

    Raises:
        ConfigError: one of the further data sets is not there
    """
    for folder in plan.extra:
        if not (folder / "images").is_dir() or not (folder / "labels").is_dir():
            raise ConfigError("is no data set with folders images and labels", file=folder)
    for name, count in (("train", plan.images), ("validation", plan.validation_images)):
        for done in write_set(name, plan.folder / name, count, plan.frames, keep=plan.resume):
            yield name, done, count


def train_and_export(plan: TrainingPlan, report: Callable[[Progress], None]) -> Finished:
    """Train on the prepared images and export the network.

    Args:
        plan: sizes, duration and seed
        report: told of each batch

    Returns:
        the finished model

    Raises:
        ArenaTreesError: the exported network does not find what the trained one finds
    """
    # ultralytics reads these when it is imported: no downloads, no printing, and its settings not in the user's home.
    os.environ.setdefault("YOLO_AUTOINSTALL", "false")
    os.environ.setdefault("YOLO_VERBOSE", "false")
    os.environ.setdefault("YOLO_CONFIG_DIR", str(plan.folder.resolve()))
    from arena_trees.models.training.agreement import compare
    from arena_trees.models.training.export import calibrate, export
    from arena_trees.models.training.trainer import train

    data = plan.folder / "data.yaml"
    images = [folder / "images" for folder in (plan.folder / "train", *plan.extra)]
    write_data_file(data, images, plan.folder / "validation" / "images")
    weights = plan.folder / "calibrated.pt"
    calibrate(train(plan, data, report), weights, plan.score)
    model = plan.folder / MODEL_FILE
    export(weights, model, plan.image_px)
    agreement = compare(weights, model, sorted((plan.folder / "validation" / "images").iterdir())[:_COMPARED])
    if agreement.alone or agreement.largest_px > _LARGEST_DIFFERENCE_PX:
        raise ArenaTreesError(
            f"the exported network differs from the trained one: {agreement.alone} boxes that only one of them"
            f" finds, edges up to {agreement.largest_px:.2f} px apart"
        )
    return Finished(model, agreement.boxes, agreement.largest_px)
