"""The film: a recording as a video of the arena, in real time."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

import cv2

from arena_trees.recording.recording import Recording
from arena_trees.recording.shape_frames import ShapeFrame
from arena_trees.recording.video.view import HEIGHT, WIDTH, FilmView
from arena_trees.robot.clock import SECOND
from arena_trees.robot.configuration.output_files import check_ending
from arena_trees.robot.errors import ConfigError

__all__ = ["RATE", "check_film", "write_film"]

RATE = 25
"""Pictures a second."""

_LONGEST = 4 * 3600 * SECOND
"""Recordings that last longer are no run of a robot, or their clock jumped."""

_CODEC = "mp4v"
"""MPEG-4 part 2. OpenCV's wheels bring no encoder of H.264, and VP9, which they bring, takes forty times as long."""


def write_film(
    recording: Recording,
    path: Path,
    on_progress: Callable[[int, int], object] | None = None,
    frames: Iterable[ShapeFrame] = (),
) -> None:
    """Write a film of a recording.

    Args:
        recording: to be shown
        path: of the film, ``.mp4``
        on_progress: called after each picture with how many are done, and how many there will be
        frames: of the game's shapes

    Raises:
        ConfigError: the file cannot be written, or this OpenCV writes no films
    """
    check_film(path)
    if recording.end - recording.start > _LONGEST:
        raise ConfigError("lasts too long for a film", file=recording.path, value=recording.end - recording.start)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # In the folder where the film shall lie, so that it can be moved there whole.
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
            unfinished = Path(folder) / "film.mp4"
            _write(FilmView(recording, frames), recording, unfinished, on_progress)
            if not unfinished.stat().st_size:
                raise ConfigError("OpenCV wrote nothing: is the disk full?", file=path)
            os.replace(unfinished, path)
    except OSError as error:
        raise ConfigError(f"cannot be written: {error.strerror}", file=path) from error


def check_film(path: Path, option: str | None = None) -> None:
    """Refuse a name that no film can have.

    Args:
        path: of the film
        option: that names it, if any

    Raises:
        ConfigError: it does not end in .mp4
    """
    check_ending(path, (".mp4",), option)


def _write(view: FilmView, recording: Recording, path: Path, on_progress: Callable[[int, int], object] | None) -> None:
    count = (recording.end - recording.start) * RATE // SECOND + 1
    writer = _open(path)
    try:
        for number in range(count):
            writer.write(view.picture(recording.start + number * SECOND // RATE))
            if on_progress is not None:
                on_progress(number + 1, count)
    finally:
        writer.release()


def _open(path: Path) -> cv2.VideoWriter:
    fourcc = cv2.VideoWriter.fourcc(*_CODEC)
    writer = cv2.VideoWriter(str(path), cv2.CAP_FFMPEG, fourcc, float(RATE), (WIDTH, HEIGHT))
    if not writer.isOpened():
        raise ConfigError(
            f"OpenCV {cv2.__version__} cannot write an MP4 film here: it needs FFmpeg, as in its wheels on PyPI",
            key="--video",
        )
    return writer
