"""A detector for a user's own ultralytics model. Needs the extra ``train``; nothing else here imports ultralytics."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from arena_trees.perception.image import Rgb
from arena_trees.perception.signs.detector import CONFIDENCE, MAX_BOXES, OVERLAP, detections
from arena_trees.robot.detections import Detection
from arena_trees.robot.errors import ArenaTreesError, ConfigError

__all__ = ["UltralyticsDetector"]


class UltralyticsDetector:
    """Runs a model file with ultralytics.

    A ``.pt`` file is a pickle: loading one runs whatever code is in it. So one is refused unless the
    caller states that it comes from a trusted source.

    Args:
        model: file, such as ``best.pt``
        confidence: boxes with less are not reported
        overlap: of two boxes of a class that overlap more, the better one stays
        allow_pickle: load a pickle
        image_size: side of the network's input, px

    Raises:
        ConfigError: the file is missing, or is a pickle that was not allowed
        ArenaTreesError: ultralytics is not installed, or cannot load the model
    """

    def __init__(
        self,
        model: Path,
        confidence: float = CONFIDENCE,
        overlap: float = OVERLAP,
        allow_pickle: bool = False,
        image_size: int = 256,
    ) -> None:
        if not os.path.isfile(model):
            raise ConfigError("there is no such model", file=model)
        if model.suffix.lower() != ".onnx" and not allow_pickle:
            raise ConfigError(
                "is a pickle, which can run any code when it is loaded; give --allow-pickle if you trust its source",
                file=model,
            )
        self.path = model
        self._settings = {"conf": confidence, "iou": overlap, "imgsz": image_size, "max_det": MAX_BOXES}
        self._network = _load(model)
        names: dict[int, str] = self._network.names
        self._classes = tuple(str(names[number]) for number in range(len(names)))

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels that a box may have."""
        return self._classes

    def detect(self, image: Rgb) -> tuple[Detection, ...]:
        """Return the boxes found, the most confident first, clipped to the image.

        Args:
            image: RGB, uint8, shape (height, width, 3)
        """
        # ultralytics takes arrays as blue, green, red.
        turned = np.ascontiguousarray(image[..., ::-1])
        boxes = self._network.predict(turned, device="cpu", verbose=False, **self._settings)[0].boxes
        return detections(
            boxes.xyxy.cpu().numpy().astype(np.float64),
            boxes.conf.cpu().numpy().astype(np.float64),
            boxes.cls.cpu().numpy().astype(np.int64),
            self._classes,
            (image.shape[0], image.shape[1]),
        )


def _load(model: Path) -> Any:
    # It would otherwise install packages by itself when it misses one.
    os.environ.setdefault("YOLO_AUTOINSTALL", "false")
    try:
        from ultralytics import YOLO
    except ImportError as error:
        raise ArenaTreesError(
            "this detector needs ultralytics, which is not installed: pip install 'arena-trees[train]'"
        ) from error
    try:
        return YOLO(str(model), task="detect")
    # It raises whatever torch, pickle and its own code do.
    except Exception as error:
        raise ConfigError(f"ultralytics cannot load it: {error}", file=model) from error
