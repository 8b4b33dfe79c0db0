"""The files of a rosbag2 directory: which there are, and that they are the bag's own."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena_trees.recording.bags.limits import BagError
from arena_trees.robot.configuration.yaml_files import parse_yaml
from arena_trees.robot.errors import ConfigError

__all__ = ["BagFiles", "find_files"]

_METADATA = "metadata.yaml"
_MAXIMUM_METADATA = 200_000
"""Bytes; the strict YAML reader needs a second or two for them. Such a file describes some 250 topics."""

_SUFFIXES = {".mcap": "mcap", ".db3": "sqlite3", ".mcap.zstd": "mcap", ".db3.zstd": "sqlite3"}
_MOST_FILES = 1000


@dataclass(frozen=True, slots=True)
class BagFiles:
    """What is to be read of a bag.

    Attributes:
        path: of the bag
        files: with the messages, in their order
        storage: ``mcap`` or ``sqlite3``
        compression: ``none``, ``file`` or ``message``; zstd
        size: of all files, bytes
        notes: what was put right, a sentence each
    """

    path: Path
    files: tuple[Path, ...]
    storage: str
    compression: str
    size: int
    notes: tuple[str, ...] = ()


def find_files(path: Path) -> BagFiles:
    """Return the files of a bag.

    Args:
        path: of the directory, or of one file of a storage

    Raises:
        BagError: it is none, or names files that are not its own
    """
    try:
        if path.is_dir():
            return _from_folder(path)
        if path.is_file():
            return _checked(path, path.parent, [path], _storage_of(path), "none", [])
    except (OSError, ValueError, RuntimeError) as error:
        # RuntimeError: links that lead in a circle, up to Python 3.12.
        raise BagError(path, f"cannot be read: {getattr(error, 'strerror', None) or error}") from error
    raise BagError(path, "there is no such bag")


def _from_folder(folder: Path) -> BagFiles:
    metadata = folder / _METADATA
    if not metadata.exists():
        return _by_suffix(folder, f"there is no {_METADATA}; the files were found by their names")
    if not stat.S_ISREG(metadata.stat().st_mode):
        raise BagError(metadata, "is no regular file")
    if metadata.stat().st_size > _MAXIMUM_METADATA:
        return _by_suffix(folder, f"{_METADATA} is too long to be read; the files were found by their names")
    try:
        values = parse_yaml(metadata.read_bytes().decode("utf-8"), metadata)
    except (ConfigError, UnicodeDecodeError) as error:
        raise BagError(metadata, error.reason) from error
    information = values.get("rosbag2_bagfile_information") if isinstance(values, dict) else None
    if not isinstance(information, dict):
        raise BagError(metadata, "has no rosbag2_bagfile_information")
    return _from_metadata(folder, metadata, information)


def _from_metadata(folder: Path, metadata: Path, information: dict[str, Any]) -> BagFiles:
    names = information.get("relative_file_paths")
    if not (isinstance(names, list) and names and all(isinstance(name, str) and name for name in names)):
        raise BagError(metadata, "names no files")
    if len(names) > _MOST_FILES:
        raise BagError(metadata, f"names {len(names)} files; at most {_MOST_FILES} are read")
    storage = information.get("storage_identifier")
    if storage not in ("mcap", "sqlite3"):
        raise BagError(metadata, f"storage {_shown(storage)} cannot be read; mcap and sqlite3 can")
    mode, form = information.get("compression_mode") or "none", information.get("compression_format") or ""
    compression = mode.lower() if isinstance(mode, str) else ""
    if compression not in ("none", "file", "message") or (compression != "none" and form != "zstd"):
        raise BagError(metadata, f"compression {_shown(mode)} by {_shown(form)} cannot be read")
    _check_serialisation(metadata, information)
    # Bags of ROS 2 Foxy and before name their files with the folder in front.
    paths = [folder / name if (folder / name).exists() else folder / Path(name).name for name in names]
    return _checked(folder, folder, paths, storage, compression, [])


def _check_serialisation(metadata: Path, information: dict[str, Any]) -> None:
    topics = information.get("topics_with_message_count")
    for topic in topics if isinstance(topics, list) else ():
        inner = topic.get("topic_metadata") if isinstance(topic, dict) else None
        form = inner.get("serialization_format") if isinstance(inner, dict) else None
        if form not in (None, "", "cdr"):
            raise BagError(metadata, f"serialisation {_shown(form)} cannot be read; cdr can")


def _by_suffix(folder: Path, note: str) -> BagFiles:
    found = sorted(path for path in folder.iterdir() if _suffix(path) in _SUFFIXES)
    if not found:
        raise BagError(folder, "is no bag: it has neither metadata.yaml nor a file of messages")
    kinds = {_suffix(path) for path in found}
    if len(kinds) > 1 or len(found) > _MOST_FILES:
        raise BagError(folder, "has files of several bags")
    compression = "file" if kinds.pop().endswith(".zstd") else "none"
    return _checked(folder, folder, found, _storage_of(found[0]), compression, [note])


def _checked(path: Path, folder: Path, files: list[Path], storage: str, compression: str, notes: list[str]) -> BagFiles:
    """Return the files, if they are regular ones inside the folder."""
    root, size = folder.resolve(), 0
    for file in files:
        resolved = file.resolve()
        if not resolved.is_relative_to(root):
            raise BagError(path, f"file {_shown(file.name)} leads out of the bag's folder")
        if not resolved.exists():
            raise BagError(path, f"file {_shown(file.name)} is missing")
        if not stat.S_ISREG(resolved.stat().st_mode):
            raise BagError(path, f"file {_shown(file.name)} is no regular file")
        size += resolved.stat().st_size
    if len(set(files)) != len(files):
        raise BagError(path, "names a file twice")
    return BagFiles(path, tuple(files), storage, compression, size, tuple(notes))


def _suffix(path: Path) -> str:
    return "".join(path.suffixes[-2:]) if path.suffix == ".zstd" else path.suffix


def _storage_of(path: Path) -> str:
    storage = _SUFFIXES.get(_suffix(path))
    if storage is None:
        raise BagError(path, "is no file of a bag: neither .mcap nor .db3")
    return storage


def _shown(value: object) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:57] + "..."
