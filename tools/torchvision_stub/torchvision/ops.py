"""The one operation of torchvision that a detector's post-processing calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["nms"]


def nms(boxes: Tensor, scores: Tensor, iou_threshold: float) -> Tensor:
    """Return the indices of the boxes that non-maximum suppression keeps, the most confident first.

    Never export a model with ``nms=True`` on top of this: the loop is traced away without an error.

    Args:
        boxes: corners x1 y1 x2 y2, shape (n, 4)
        scores: shape (n,)
        iou_threshold: boxes that overlap a better one by more are dropped
    """
    # Late, because ultralytics imports this package in turn.
    from ultralytics.utils.nms import TorchNMS

    kept: Tensor = TorchNMS.nms(boxes, scores, iou_threshold)
    return kept
