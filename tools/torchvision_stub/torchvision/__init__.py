"""Stand-in for torchvision: enough for ultralytics to train, check and export a detector."""

from . import ops

__all__ = ["__version__", "ops"]

__version__ = "0.28.0+stub"
