"""Real frames of a robot's camera, on which synthetic signs are put. They are read where they lie, never copied."""

from __future__ import annotations

import os
from pathlib import Path

import cv2
import numpy as np

from arena_trees.models.training.pictures import Image

__all__ = ["HELD_OUT", "frames_folder", "load_frames"]

HELD_OUT = ("meta", "stop-signal")
"""Frames whose names begin so are kept from training: other sequences, on which a test may stand."""

_DEFAULT = "../shared/data"


def frames_folder() -> Path | None:
    """Return the folder of real frames under ``ARENA_TREES_DATA``, or None where there is none."""
    folder = Path(os.environ.get("ARENA_TREES_DATA", _DEFAULT)) / "images"
    return folder if folder.is_dir() else None


def load_frames(folder: Path | None, size: int, trains: bool) -> tuple[Image, ...]:
    """Return the frames in a folder and below, each of shape (size, size, 3), in the order of their names.

    Args:
        folder: searched for ``*.jpg`` and ``*.png``; None for no frames
        size: side of the images, px
        trains: whether the frames are for training; otherwise those held out
    """
    if folder is None:
        return ()
    paths = [path for path in sorted(folder.rglob("*")) if path.suffix in (".jpg", ".png")]
    frames = []
    for path in paths:
        if path.name.startswith(HELD_OUT) == trains:
            continue
        frame = cv2.imread(str(path))
        if frame is not None:
            frames.append(np.asarray(cv2.resize(frame, (size, size), interpolation=cv2.INTER_AREA), np.uint8))
    return tuple(frames)
