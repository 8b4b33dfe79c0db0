"""Tiny ONNX networks with the face of a YOLOv8 detector, whose answers a test knows beforehand."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="builds tiny networks with onnx, which is not installed")

LABELS = ("wolf_sign", "rabbit_sign", "carrot")


def write_network(
    path: Path,
    boxes: Sequence[Sequence[float]],
    *,
    names: str | None = None,
    brightness: bool = False,
) -> Path:
    """Write a network that finds the same boxes in every image.

    Args:
        path: of the file
        boxes: centre, size (px of the input) and each class's score
        names: text of the metadata's class names; those of our signs where not given
        brightness: add the mean of red, green and blue (0 to 1) to the scores of the three classes
    """
    helper, numbers = onnx.helper, onnx.TensorProto
    table = np.asarray(boxes, dtype=np.float32).T[None] if len(boxes) else np.zeros((1, 7, 1), np.float32)
    constant = onnx.numpy_helper.from_array(np.ascontiguousarray(table), "table")
    axes = onnx.numpy_helper.from_array(np.array([2, 3], dtype=np.int64), "axes")
    # Means of the image, [1, 3, 1], come under four rows of zeros, so that they meet the scores.
    flat = onnx.numpy_helper.from_array(np.array([1, 3, 1], dtype=np.int64), "flat")
    rows = onnx.numpy_helper.from_array(np.array([0, 4, 0, 0, 0, 0], dtype=np.int64), "rows")
    weight = onnx.numpy_helper.from_array(np.array(1.0 if brightness else 0.0, dtype=np.float32), "weight")
    nodes = [
        helper.make_node("ReduceMean", ["images", "axes"], ["means"], keepdims=1),
        helper.make_node("Reshape", ["means", "flat"], ["column"]),
        helper.make_node("Pad", ["column", "rows"], ["padded"]),
        helper.make_node("Mul", ["padded", "weight"], ["weighed"]),
        helper.make_node("Add", ["table", "weighed"], ["output0"]),
    ]
    graph = helper.make_graph(
        nodes,
        "signs",
        [helper.make_tensor_value_info("images", numbers.FLOAT, [1, 3, 256, 256])],
        [helper.make_tensor_value_info("output0", numbers.FLOAT, list(table.shape))],
        [constant, axes, flat, rows, weight],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    names = str(dict(enumerate(LABELS))) if names is None else names
    helper.set_model_props(model, {"names": names})
    path.write_bytes(model.SerializeToString())
    return path
