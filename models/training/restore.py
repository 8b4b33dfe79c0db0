"""From the file that robots load back to weights that a training can begin with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import onnx
import torch
from onnx import numpy_helper
from ultralytics import YOLO

from arena_trees.robot.errors import ConfigError

__all__ = ["restore"]


def restore(model: Path, architecture: Path, target: Path) -> None:
    """Write a checkpoint that computes what an exported network computes.

    Exporting merges each normalisation into the convolution before it. Here the convolution takes the merged weights
    and the normalisation becomes one that changes nothing but adds the merged offset, from where it learns on.

    Args:
        model: ONNX file that ``export`` wrote
        architecture: ultralytics' description of the network
        target: checkpoint to write

    Raises:
        ConfigError: the file is of a network with other layers
    """
    values = {item.name: numpy_helper.to_array(item) for item in onnx.load(model).graph.initializer}
    network = YOLO(str(architecture), task="detect")
    layers: dict[str, Any] = dict(network.model.named_modules())
    with torch.no_grad():
        for name, layer in layers.items():
            if not isinstance(layer, torch.nn.Conv2d):
                continue
            norm = layers.get(f"{name.removesuffix('.conv')}.bn") if name.endswith(".conv") else None
            _copy(values, f"{name}.weight", layer.weight, model)
            if norm is not None:
                norm.running_mean.zero_()
                norm.running_var.fill_(1.0)
                norm.weight.fill_((1.0 + norm.eps) ** 0.5)
                _copy(values, f"{name}.bias", norm.bias, model)
            elif layer.bias is not None:
                _copy(values, f"{name}.bias", layer.bias, model)
    target.parent.mkdir(parents=True, exist_ok=True)
    network.save(str(target))


def _copy(values: dict[str, Any], name: str, parameter: Any, model: Path) -> None:
    value = values.get(name)
    if value is None or value.shape != tuple(parameter.shape):
        raise ConfigError("is of a network with other layers", file=model, key=name)
    parameter.copy_(torch.from_numpy(value.copy()))
