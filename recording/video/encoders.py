"""Films in formats that browsers play: H.264 in MP4, VP8 in WebM, and animated GIF."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from arena_trees.robot.errors import ConfigError

__all__ = ["FILM_ENDINGS", "Encode", "encoder_of"]

FILM_ENDINGS = (".mp4", ".webm", ".gif")
"""Endings of the files that a film can be written into."""

Picture = NDArray[np.uint8]
"""Blue, green, red, shape (height, width, 3); height and width are even, as H.264 with its usual colours wants them."""

Encode = Callable[[Path, Iterable[Picture], int], None]
"""Writes a file of pictures, so many a second."""

_H264 = ("libx264", "libopenh264")
"""Encoders of FFmpeg, the better one first."""
_GIF_EVERY = 5
"""Pictures of a film of which one is in a GIF; all of them would make it enormous."""
_GIF_WIDTH = 800
"""Pixels."""
_GIF_COLOURS = 64


def encoder_of(ending: str) -> Encode:
    """Return what writes films with this ending here.

    Args:
        ending: one of :data:`FILM_ENDINGS`

    Raises:
        ConfigError: nothing on this machine writes it; the text has what to install
    """
    if ending == ".gif":
        return _write_gif
    if ending == ".webm":
        if _opencv_writes_webm():
            return _write_webm
        raise ConfigError("this OpenCV writes no WebM: pip install opencv-python-headless, or write .mp4", value=ending)
    if _ffmpeg_encoder() is not None:
        return _write_by_ffmpeg
    if find_spec("av") is not None:
        return _write_by_pyav
    raise ConfigError("H.264 needs FFmpeg or PyAV: apt install ffmpeg, or pip install av; or write .webm", value=ending)


@lru_cache(maxsize=1)
def _ffmpeg_encoder() -> str | None:
    """Return the name of the encoder of H.264 that the installed FFmpeg has; None without any."""
    if shutil.which("ffmpeg") is None:
        return None
    listed = subprocess.run(["ffmpeg", "-hide_banner", "-encoders"], capture_output=True, text=True, check=False).stdout
    return next((name for name in _H264 if f" {name} " in listed), None)


def _write_by_ffmpeg(path: Path, pictures: Iterable[Picture], rate: int) -> None:
    first, rest = _first_of(pictures)
    height, width = first.shape[:2]
    given = ["-f", "rawvideo", "-pix_fmt", "bgr24", "-s", f"{width}x{height}", "-r", str(rate), "-i", "-"]
    made = ["-c:v", _ffmpeg_encoder() or _H264[0], "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4"]
    with tempfile.TemporaryFile() as complaints:
        command = ["ffmpeg", "-y", "-loglevel", "error", *given, *made, str(path.absolute())]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=complaints)
        try:
            assert process.stdin is not None
            for picture in rest:
                process.stdin.write(np.ascontiguousarray(picture).tobytes())
            process.stdin.close()
        except BrokenPipeError:
            pass  # It has ended, and its output has the reason.
        except BaseException:
            process.kill()
            raise
        finally:
            code = process.wait()
        if code:
            complaints.seek(0)
            lines = complaints.read().decode(errors="replace").strip().splitlines()
            raise ConfigError(f"FFmpeg ended with {code}: {lines[-1] if lines else 'without a word'}", file=path)


def _write_by_pyav(path: Path, pictures: Iterable[Picture], rate: int) -> None:
    import av

    first, rest = _first_of(pictures)
    height, width = first.shape[:2]
    try:
        with av.open(str(path), "w", format="mp4", options={"movflags": "faststart"}) as container:
            stream = container.add_stream("h264", rate=rate)
            stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
            for picture in rest:
                frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="bgr24")
                container.mux(stream.encode(frame))
            container.mux(stream.encode())
    except av.FFmpegError as error:
        raise ConfigError(f"PyAV cannot write it: {error}", file=path) from error


def _write_webm(path: Path, pictures: Iterable[Picture], rate: int) -> None:
    first, rest = _first_of(pictures)
    height, width = first.shape[:2]
    fourcc = cv2.VideoWriter.fourcc(*"VP80")
    # It prints to standard error, by no logger, that WebM has no such tags.
    with _silent_errors():
        writer = cv2.VideoWriter(str(path), cv2.CAP_FFMPEG, fourcc, float(rate), (width, height))
    try:
        if not writer.isOpened():
            raise ConfigError(f"OpenCV {cv2.__version__} cannot write it", file=path)
        for picture in rest:
            writer.write(picture)
    finally:
        writer.release()


@contextmanager
def _silent_errors() -> Iterator[None]:
    """Let nothing of this process reach standard error, not even what a library in C writes."""
    sys.stderr.flush()
    kept = os.dup(2)
    try:
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


@lru_cache(maxsize=1)
def _opencv_writes_webm() -> bool:
    """Return whether a small film that is written can be read again: some builds open a file and write nothing."""
    with tempfile.TemporaryDirectory(prefix="arena-trees-") as folder:
        path = Path(folder) / "film.webm"
        try:
            _write_webm(path, [np.full((64, 64, 3), 128, dtype=np.uint8)] * 2, 25)
        except (ConfigError, cv2.error):
            return False
        reader = cv2.VideoCapture(str(path))
        try:
            return bool(reader.read()[0])
        finally:
            reader.release()


def _write_gif(path: Path, pictures: Iterable[Picture], rate: int) -> None:
    images = [_gif_image(picture) for number, picture in enumerate(pictures) if number % _GIF_EVERY == 0]
    # One palette for all pictures: what does not move stays the same, and takes no room.
    palette = images[-1].quantize(_GIF_COLOURS)
    first, *others = (image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images)
    shown_ms = 1000 * _GIF_EVERY // rate
    first.save(path, "GIF", save_all=True, append_images=others, duration=shown_ms, loop=0, optimize=True)


def _gif_image(picture: Picture) -> Image.Image:
    height, width = picture.shape[:2]
    size = (_GIF_WIDTH, height * _GIF_WIDTH // width)
    return Image.fromarray(cv2.cvtColor(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2RGB))


def _first_of(pictures: Iterable[Picture]) -> tuple[Picture, Iterator[Picture]]:
    """Return the first picture, and all of them."""
    rest = iter(pictures)
    first = next(rest)

    def whole() -> Iterator[Picture]:
        yield first
        yield from rest

    return first, whole()
