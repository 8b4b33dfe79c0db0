"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

from arena_trees.robot.errors import ConfigError

__all__ = ["write_atomically"]


def write_atomically(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Write a file whole or not at all; its folder is made where it is missing.

    Args:
        path: of the file
        write: writes the contents to a binary stream

    Raises:
        ConfigError: the file cannot be written
    """
    temporary = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "wb") as stream:
            write(stream)
        # mkstemp makes files that only their owner may read.
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, path)
    except OSError as error:
        raise ConfigError(f"cannot be written: {error.strerror}", file=path) from error
    finally:
        if temporary and os.path.exists(temporary):
            os.unlink(temporary)
