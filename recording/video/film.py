"""The film: a recording as a video of the arena, in real time."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from arena_trees.recording.recording import Recording
from arena_trees.recording.shape_frames import ShapeFrame
from arena_trees.recording.video.encoders import FILM_ENDINGS, encoder_of
from arena_trees.recording.video.view import FilmView
from arena_trees.robot.clock import SECOND
from arena_trees.robot.configuration.output_files import check_ending
from arena_trees.robot.errors import ConfigError

__all__ = ["RATE", "check_film", "write_film"]

RATE = 25
"""Pictures a second."""

_LONGEST = 4 * 3600 * SECOND
"""Recordings that last longer are no run of a robot, or their clock jumped."""


def write_film(
    recording: Recording,
    path: Path,
    on_progress: Callable[[int, int], object] | None = None,
    frames: Iterable[ShapeFrame] = (),
) -> None:
    """Write a film of a recording.

    Args:
        recording: to be shown
        path: of the film; its ending is one of :data:`~arena_trees.recording.video.encoders.FILM_ENDINGS`
        on_progress: called after each picture with how many are done, and how many there will be
        frames: of the game's shapes

    Raises:
        ConfigError: the file cannot be written, or nothing here writes such a film
    """
    check_film(path)
    ending = path.suffix.lower()
    if recording.end - recording.start > _LONGEST:
        raise ConfigError("lasts too long for a film", file=recording.path, value=recording.end - recording.start)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # In the folder where the film shall lie, so that it can be moved there whole.
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
            unfinished = Path(folder) / f"film{ending}"
            encoder_of(ending)(unfinished, _pictures(FilmView(recording, frames), recording, on_progress), RATE)
            if not unfinished.exists() or not unfinished.stat().st_size:
                raise ConfigError("nothing was written: is the disk full?", file=path)
            os.replace(unfinished, path)
    except OSError as error:
        raise ConfigError(f"cannot be written: {error.strerror}", file=path) from error


def check_film(path: Path, option: str | None = None) -> None:
    """Refuse a film that cannot be written here.

    Args:
        path: of the film
        option: that names it, if any

    Raises:
        ConfigError: its name ends in none of :data:`FILM_ENDINGS`, or nothing here writes such a film
    """
    ending = check_ending(path, FILM_ENDINGS, option)
    try:
        encoder_of(ending)
    except ConfigError as error:
        raise ConfigError(error.reason, file=None if option else path, key=option, value=str(path)) from error


def _pictures(
    view: FilmView, recording: Recording, on_progress: Callable[[int, int], object] | None
) -> Iterator[NDArray[np.uint8]]:
    count = (recording.end - recording.start) * RATE // SECOND + 1
    for number in range(count):
        yield view.picture(recording.start + number * SECOND // RATE)
        if on_progress is not None:
            on_progress(number + 1, count)
