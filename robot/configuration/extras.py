"""The extra of the distribution that brings a library which is not installed everywhere."""

from __future__ import annotations

__all__ = ["missing_library"]

_PACKAGE = "arena-trees"

_EXTRAS = {
    "foxglove": ("view", "streaming to Foxglove needs foxglove-sdk"),
    "joblib": ("arena", "playing many games needs joblib"),
    "matplotlib": ("plot", "drawing needs matplotlib"),
    "mujoco": ("arena", "the arena needs MuJoCo and Python 3.11 or newer"),
    "onnxruntime": ("vision", "a sign detector needs ONNX Runtime"),
    "rosbags": ("record", "recordings need rosbags"),
    "starlette": ("console", "the console needs Starlette and uvicorn"),
    "uvicorn": ("console", "the console needs Starlette and uvicorn"),
}
"""By the module's name, the extra that brings it and what needs it."""


def missing_library(error: ModuleNotFoundError) -> str | None:
    """Return in one line what a missing module is needed for and how it is installed; None for any other module."""
    module = (error.name or "").partition(".")[0]
    if module not in _EXTRAS:
        return None
    extra, need = _EXTRAS[module]
    return f"{need}: pip install '{_PACKAGE}[{extra}]'"
