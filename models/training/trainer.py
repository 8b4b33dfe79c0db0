"""Training on ultralytics. Only this module and ``export`` import ultralytics and torch, which the extra brings.

ultralytics is licensed under AGPL-3.0, and its authors say the same of weights trained with it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import yaml
from ultralytics import YOLO
from ultralytics.data.build import InfiniteDataLoader
from ultralytics.models.yolo.detect import DetectionTrainer
from ultralytics.utils import ROOT, SETTINGS

from arena_trees.models.training.drawings import LABELS
from arena_trees.models.training.plan import Report, TrainingPlan
from arena_trees.models.training.restore import restore
from arena_trees.models.training.slices import SliceSampler

__all__ = ["architecture", "train"]

_WIDTH = 0.125
"""Width of the network against YOLOv8's: 0.75 million parameters."""

_BINS = 8
"""Bins of each box side's distribution: 8 strides of 32 px reach across the whole image."""

_VALIDATE_EVERY = 8


def train(plan: TrainingPlan, data: Path, report: Report) -> Path:
    """Train, or go on with a training that was stopped.

    Args:
        plan: sizes, duration and seed
        data: the ``data.yaml``
        report: called after each batch

    Returns:
        the weights at the end of the schedule
    """
    # Otherwise ultralytics reports to its makers what it is used for.
    SETTINGS.update({"sync": False})
    run = plan.folder / "run"
    last = run / "weights" / "last.pt"
    resumes = plan.resume and last.exists()
    source = last if resumes else _start(plan)
    model = YOLO(str(source), task="detect")
    for event, callback in _callbacks(plan, report).items():
        model.add_callback(event, callback)
    settings = {"resume": True, "time": plan.hours} if resumes else _settings(plan, data)
    model.train(trainer=_trainer(plan), **settings)
    return last


def _start(plan: TrainingPlan) -> Path:
    """Return the weights or the description of the network to begin with."""
    described = architecture(plan.folder / "network.yaml")
    if plan.start is None or plan.start.suffix != ".onnx":
        return plan.start or described
    restored = plan.folder / "start.pt"
    restore(plan.start, described, restored)
    return restored


def architecture(path: Path) -> Path:
    """Write the description of the network, a narrow YOLOv8, and return where."""
    content = yaml.safe_load((Path(ROOT) / "cfg/models/v8/yolov8.yaml").read_text(encoding="utf-8"))
    content |= {"nc": len(LABELS), "reg_max": _BINS, "scales": {"n": [0.33, _WIDTH, 1024]}}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return path


def _settings(plan: TrainingPlan, data: Path) -> dict[str, Any]:
    """Return what ultralytics calls hyperparameters; the scenes bring their own variety, so it adds but mirroring."""
    untouched = ("hsv_h", "hsv_s", "hsv_v", "degrees", "translate", "scale", "mosaic", "mixup", "erasing")
    return {
        "data": str(data), "project": str(plan.folder.resolve()), "name": "run", "exist_ok": True,
        "imgsz": plan.image_px, "epochs": plan.epochs, "time": plan.hours, "batch": plan.batch, "seed": plan.seed,
        # As many as a batch: otherwise the gradients of several batches are added up before each step.
        "nbs": plan.batch,
        "device": plan.device, "workers": 0, "cache": "ram", "amp": False, "plots": False, "deterministic": False,
        "optimizer": "AdamW", "lr0": plan.learning_rate, "lrf": 0.01, "cos_lr": True, "warmup_epochs": 1,
        "warmup_bias_lr": 0.0, "weight_decay": 5e-4, "patience": 0, "pretrained": plan.start is not None,
        **dict.fromkeys(untouched, 0.0), "close_mosaic": 0, "fliplr": 0.5,
    }  # fmt: skip


def _trainer(plan: TrainingPlan) -> type[DetectionTrainer]:
    """Return the class of a trainer whose epochs are slices of the images."""

    class SliceTrainer(DetectionTrainer):  # type: ignore[misc, unused-ignore]
        def get_dataloader(self, dataset_path: str, batch_size: int = 16, rank: int = 0, mode: str = "train") -> Any:
            if mode != "train":
                return super().get_dataloader(dataset_path, batch_size, rank, mode)
            dataset = self.build_dataset(dataset_path, mode, batch_size)
            self.slices = SliceSampler(len(dataset), plan.slice_images, plan.seed)
            return InfiniteDataLoader(
                dataset=dataset,
                batch_size=min(batch_size, len(self.slices)),
                sampler=self.slices,
                num_workers=0,
                collate_fn=dataset.collate_fn,
                drop_last=True,
            )

    return SliceTrainer


def _callbacks(plan: TrainingPlan, report: Report) -> dict[str, Callable[[Any], None]]:
    def start(trainer: Any) -> None:
        # ultralytics sets the number of threads itself when it chooses the device.
        torch.set_num_threads(plan.threads)
        trainer.slices.epoch = trainer.start_epoch
        if trainer.device.type == "cpu":
            # A fifth faster than torch's default order of an image's numbers.
            trainer.model.to(memory_format=torch.channels_last)
            # ultralytics offers this for GPUs only.
            trainer.amp = plan.bfloat16

    def start_epoch(trainer: Any) -> None:
        trainer.args.val = trainer.epoch % _VALIDATE_EVERY == _VALIDATE_EVERY - 1
        trainer.batches_done = 0

    def loss(trainer: Any) -> float:
        return sum(float(value) for value in trainer.tloss.values())

    def end_batch(trainer: Any) -> None:
        trainer.batches_done += 1
        report(trainer.epoch + trainer.batches_done / len(trainer.train_loader), trainer.epochs, loss(trainer), None)

    def end_epoch(trainer: Any) -> None:
        if trainer.batches_done == 0:
            # Called once more after the last epoch, for the final figures.
            return
        trainer.batches_done = 0
        measured = trainer.args.val or trainer.epoch + 1 >= trainer.epochs
        score = trainer.metrics.get("metrics/mAP50(B)") if measured else None
        report(trainer.epoch + 1, trainer.epochs, loss(trainer), None if score is None else float(score))

    return {
        "on_train_start": start,
        "on_train_epoch_start": start_epoch,
        "on_train_batch_end": end_batch,
        "on_fit_epoch_end": end_epoch,
    }
