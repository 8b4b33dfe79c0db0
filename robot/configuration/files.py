"""Files that are written whole or not at all."""

from __future__ import annotations

import io
import os
import stat
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

from arena_trees.robot.errors import ConfigError

__all__ = ["check_writable", "is_standard_output", "is_stream", "write_atomically"]

_LONGEST_PREFIX = 40
"""Letters of a file's name that its temporary file begins with; with all of a long one it would be too long itself."""


def write_atomically(path: Path, write: Callable[[IO[bytes]], object], durable: bool = False) -> None:
    """Write a file whole or not at all; its folder is made where it is missing.

    Of a link, the file that it leads to is written. What is no file but can be written into, a FIFO or a device, is
    never replaced: it is given the contents, once they are whole. ``-`` is the standard output.

    Args:
        path: of the file
        write: writes the contents to a binary stream
        durable: do not return before the disk has the file, so that not even a power cut takes it away

    Raises:
        ConfigError: the file cannot be written
        BrokenPipeError: nobody reads the standard output any more
    """
    try:
        if is_stream(path):
            contents = io.BytesIO()
            write(contents)
            _pour(path, contents.getvalue())
        else:
            _replace(Path(os.path.realpath(path)), write, durable)
    except BrokenPipeError:
        if _standard_stream(path) is not None:
            raise
        raise ConfigError("cannot be written: nobody reads it any more", file=path) from None
    except OSError as error:
        raise ConfigError(f"cannot be written: {error.strerror or error}", file=path) from error


def check_writable(path: Path, option: str) -> None:
    """Refuse a place that cannot be written, before a long run; nothing is written or made.

    Args:
        path: of the file
        option: that names it; named in the error

    Raises:
        ConfigError: a file cannot be written there
    """
    try:
        if is_stream(path):
            return
        folder = Path(os.path.realpath(path)).parent
        missing = []
        while not os.path.exists(folder):
            missing.append(folder.name)
            folder = folder.parent
        # Asked of a folder that exists, the system reports which names it takes.
        for name in (path.name, *missing):
            _status(folder / name)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise ConfigError(f"cannot be written: {error.strerror or error}", key=option, value=str(path)) from error


def is_standard_output(path: Path) -> bool:
    """Return whether what is written to a path comes out of this process' standard output: ``-``, ``/dev/stdout``."""
    return _standard_stream(path) == 1


def is_stream(path: Path) -> bool:
    """Return whether a path leads to what is written into and never replaced: a FIFO, a device, a standard stream.

    Raises:
        OSError: it leads to a folder, a disk or a socket, or its name is none
    """
    if _standard_stream(path) is not None:
        return True
    known = _status(path)
    if known is None or stat.S_ISREG(known.st_mode):
        return False
    for test, what in ((stat.S_ISDIR, "folder"), (stat.S_ISBLK, "disk"), (stat.S_ISSOCK, "socket")):
        if test(known.st_mode):
            raise OSError(None, f"is a {what}")
    return True


def _standard_stream(path: Path) -> int | None:
    """Return 1 or 2 where a path leads to the standard output or standard error of this process."""
    if str(path) == "-":
        return 1
    known = _status(path)
    if known is not None:
        for number in (1, 2):
            try:
                if os.path.samestat(known, os.fstat(number)):
                    return number
            except OSError:  # It is closed.
                continue
    return None


def _status(path: Path) -> os.stat_result | None:
    """Return what the system knows of a file, links followed; None where there is none."""
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None
    except ValueError as error:  # There is a zero byte in the name.
        raise OSError(None, str(error)) from error


def _pour(path: Path, contents: bytes) -> None:
    number = _standard_stream(path)
    if number is None:
        with path.open("wb") as stream:
            stream.write(contents)
        return
    for text in (sys.stdout, sys.stderr):
        if text is not None:
            text.flush()
    # Not opened anew by its name: that would begin a redirected file from its start.
    with os.fdopen(os.dup(number), "wb") as stream:
        stream.write(contents)


def _replace(path: Path, write: Callable[[IO[bytes]], object], durable: bool) -> None:
    temporary = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:_LONGEST_PREFIX]}.")
        with os.fdopen(handle, "wb") as stream:
            write(stream)
            if durable:
                stream.flush()
                os.fsync(stream.fileno())
        os.chmod(temporary, _mode(path))
        os.replace(temporary, path)
        if durable:
            _sync_folder(path.parent)
    finally:
        if temporary and os.path.exists(temporary):
            os.unlink(temporary)


def _sync_folder(folder: Path) -> None:
    """Have the disk take the names of a folder's files, too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _mode(path: Path) -> int:
    """Return who may read and write a file: as before, or as for any new one; mkstemp's only their owner may read."""
    known = _status(path)
    if known is not None:
        return stat.S_IMODE(known.st_mode)
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask
