"""Files that a command leaves: the endings that their names may have, and where they go if there are some already."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from itertools import count
from pathlib import Path

from arena_trees.robot.configuration.files import check_writable, is_stream
from arena_trees.robot.errors import ConfigError

__all__ = ["FORCE_HELP", "check_empty_folder", "check_ending", "keep_existing", "place_files"]

FORCE_HELP = "Write over files that exist; without it they are kept, and the new ones get a number."
"""What ``--force`` does, for the help of a command."""


def check_ending(path: Path, endings: Sequence[str], option: str | None = None) -> str:
    """Return the ending of a file's name, in small letters: it chooses the format that is written.

    What is no file but is written into, such as ``-``, a FIFO or a device, is given the first format.

    Args:
        path: of the file
        endings: that can be written, each with its dot, the usual one first
        option: that names the file; named in the error

    Raises:
        ConfigError: the name has another ending, or none
    """
    ending = path.suffix.lower()
    if ending in endings:
        return ending
    if _is_stream(path):
        return endings[0]
    wanted = " or ".join(filter(None, (", ".join(endings[:-1]), endings[-1])))
    reason = f"a file's name must end in {wanted} here"
    if option is None:
        raise ConfigError(reason, file=path)
    raise ConfigError(reason, key=option, value=str(path))


def check_empty_folder(folder: Path, option: str) -> None:
    """Refuse a folder that is no empty one, or that cannot be made and written into.

    Args:
        folder: that is wanted
        option: that names it; named in the error

    Raises:
        ConfigError: it exists and is not empty, is no folder, or cannot be written
    """
    if os.path.lexists(folder) and (not folder.is_dir() or any(folder.iterdir())):
        raise ConfigError("exists and is not an empty folder", key=option, value=str(folder))
    check_writable(folder / "file", option)


def keep_existing(paths: Sequence[Path], force: bool) -> tuple[tuple[Path, ...], str]:
    """Return where the files and folders of one command go, and a line about that for the user.

    Where one of them exists already, all of them get the same number at the end of their names, the first that is free
    for all: ``name_2.json`` and ``name_2.png``. An empty folder counts as free.

    Args:
        paths: that were asked for
        force: whether what exists is written over

    Returns:
        The places in the order of the paths, and one line for the user; it is empty where nothing is in the way.
    """
    taken = [path for path in paths if _is_taken(path)]
    if force or not taken:
        return tuple(paths), ""
    for number in count(2):
        numbered = tuple(path if _is_stream(path) else _numbered(path, number) for path in paths)
        if not any(map(_is_taken, numbered)):
            break
    places = ", ".join(str(path) for path in numbered if not _is_stream(path))
    verb = "exists and is" if len(taken) == 1 else "exist and are"
    return numbered, f"{', '.join(map(str, taken))} {verb} kept; written instead: {places} (--force writes over)"


def place_files(paths: Sequence[Path], force: bool) -> tuple[Path, ...]:
    """Return where the files of a command go; where some exist that are kept, say so on standard error.

    Args:
        paths: that were asked for
        force: whether files that exist are written over
    """
    places, note = keep_existing(paths, force)
    if note:
        print(f"note: {note}", file=sys.stderr)
    return places


def _numbered(path: Path, number: int) -> Path:
    return path.with_name(f"{path.stem}_{number}{path.suffix}")


def _is_taken(path: Path) -> bool:
    """Return whether something would be lost by writing to a path."""
    if _is_stream(path) or not os.path.exists(path):
        return False
    return not path.is_dir() or any(path.iterdir())


def _is_stream(path: Path) -> bool:
    try:
        return is_stream(path)
    except OSError:  # A folder, or no name at all.
        return False
