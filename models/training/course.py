"""The whole course of a training: data, network, export."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path

from arena_trees.models.training.dataset import write_set
from arena_trees.models.training.drawings import LABELS
from arena_trees.models.training.plan import Report, TrainingPlan
from arena_trees.perception.signs.yolo_dataset import make_dataset
from arena_trees.robot.errors import ArenaTreesError, ConfigError

__all__ = ["check_packages", "prepare", "train_and_export"]

_COMPARED = 100
"""Validation images on which the exported network is compared with the trained one."""

_LARGEST_DIFFERENCE_PX = 2.0

_PACKAGES = ("torch", "torchvision", "ultralytics", "onnx")


def check_packages() -> None:
    """Make sure that the packages for training are there.

    Raises:
        ArenaTreesError: one is missing
    """
    missing = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        raise ArenaTreesError(
            f"training needs {', '.join(missing)}: pip install -e '.[train]'; models/signs.md says more"
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


def train_and_export(plan: TrainingPlan, report: Report) -> tuple[Path, int, float]:
    """Train on the prepared images and export the network.

    Args:
        plan: sizes, duration and seed
        report: called after each batch

    Returns:
        the model's file, the boxes that were compared with the trained network's, and how far (px) their
        edges are apart at most

    Raises:
        ArenaTreesError: the exported network does not find what the trained one finds
    """
    # ultralytics reads these when it is imported: no downloads, no printing, and its settings not in the user's home.
    os.environ.setdefault("YOLO_AUTOINSTALL", "false")
    os.environ.setdefault("YOLO_VERBOSE", "false")
    os.environ.setdefault("YOLO_CONFIG_DIR", str(plan.folder.resolve()))
    from arena_trees.models.training.export import calibrate, compare, export
    from arena_trees.models.training.trainer import train

    images = [str((folder / "images").resolve()) for folder in (plan.folder / "train", *plan.extra)]
    validation = (plan.folder / "validation" / "images").resolve()
    data = make_dataset(plan.folder, LABELS, (), train=images, val=str(validation))
    weights = plan.folder / "calibrated.pt"
    calibrate(train(plan, data, report), weights, plan.score)
    model = plan.folder / "signs.onnx"
    export(weights, model, plan.image_px)
    boxes, alone, gap_px = compare(weights, model, sorted(validation.iterdir())[:_COMPARED], plan.image_px)
    if alone or gap_px > _LARGEST_DIFFERENCE_PX:
        raise ArenaTreesError(
            f"the exported network differs from the trained one: {alone} boxes that only one of them"
            f" finds, edges up to {gap_px:.2f} px apart"
        )
    return model, boxes, gap_px
