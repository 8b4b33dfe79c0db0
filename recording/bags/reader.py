"""Reads the messages of a rosbag2 directory by rosbags, within limits: a bag may come from anybody."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from arena_trees.recording.bags import process as bag_process
from arena_trees.robot.errors import ArenaTreesError, shortened

__all__ = ["BagContent", "BagError", "BagTopic", "RawMessage", "read_bag"]

_MEMORY = 1 << 30, 20
_SECONDS = 10, 1e-6
_WRITTEN = 64 << 20, 100
_MESSAGES = 500_000, 1 / 16
"""What reading may take in all cases (bytes, s, bytes, messages), and for each byte of the bag in addition.

Bags of real robots unpack to ten times their size at most, and have a message for fifty bytes."""

_LONGEST_REASON = 300

_REPAIRS = {
    ".mcap": "`mcap recover` mends a file that was cut off",
    ".db3": "`sqlite3 FILE .recover` mends a file that was cut off",
}


class BagError(ArenaTreesError):
    """A bag cannot be read; the text is one line that names it.

    Args:
        path: of the bag or of one of its files
        reason: a short phrase
    """

    def __init__(self, path: str | Path, reason: str) -> None:
        super().__init__(f"{shortened(str(path))}: {' '.join(reason.split())}")


class BagTopic(NamedTuple):
    """A topic of a bag.

    Attributes:
        name: absolute
        type: of its messages
        messages: number of its messages, as the bag has it
    """

    name: str
    type: str
    messages: int


class RawMessage(NamedTuple):
    """A message of a bag.

    Attributes:
        topic: it is on
        time: when it was recorded, ns
        data: serialised
    """

    topic: BagTopic
    time: int
    data: memoryview


class BagContent:
    """What was read of a bag.

    Attributes:
        topics: of the bag
        renamed: names that ``metadata.yaml`` gives to files, and those that the files have

    Args:
        content: what :mod:`~arena_trees.recording.bags.process` wrote
    """

    def __init__(self, content: bytes) -> None:
        head, _, _ = content.partition(b"\n")
        header = json.loads(head)
        self.topics = tuple(BagTopic(*values) for values in header["topics"])
        self.renamed: dict[str, str] = header["renamed"]
        self._messages = memoryview(content)[len(head) + 1 :]

    def messages(self) -> Iterator[RawMessage]:
        """Give every message of a type that is of use."""
        at = 0
        while at < len(self._messages):
            number, time, length = bag_process.HEAD.unpack_from(self._messages, at)
            at += bag_process.HEAD.size + length
            yield RawMessage(self.topics[number], time, self._messages[at - length : at])


def read_bag(path: Path, kinds: Collection[str]) -> BagContent:
    """Read a bag, in a process of its own that may take so much memory, time and disk, and no more.

    Args:
        path: of the directory, or of one of its files
        kinds: types of the messages that are of use

    Raises:
        BagError: it is no bag, is broken, leads out of its folder, or takes more than a bag of its size does
    """
    size = _size(path)
    limits = [str(int(least + each * size)) for least, each in (_MEMORY, _SECONDS, _WRITTEN, _MESSAGES)]
    # Not from the present folder, which may be the bag's, and hold modules that Python would take for its own.
    home = Path(str(sys.modules["arena_trees"].__file__)).parents[1]
    command = [sys.executable, "-m", bag_process.__name__, str(path.resolve()), ",".join(kinds), *limits]
    with tempfile.TemporaryFile() as file:
        try:
            done = subprocess.run(command, stdout=file, stderr=subprocess.PIPE, cwd=home, timeout=6 * int(limits[1]))
        except subprocess.TimeoutExpired as error:
            raise BagError(path, "takes far longer to read than a recording of its size") from error
        if done.returncode < 0:
            raise BagError(path, "takes far more time or memory to read than a recording of its size")
        if done.returncode:
            raise BagError(path, f"cannot be read: {_reason(done.stderr)}{_repair(path)}")
        file.seek(0)
        return BagContent(file.read())


def _size(path: Path) -> int:
    """Return the size (bytes) of a bag's files, if each is its own."""
    try:
        if not path.exists():
            raise BagError(path, "there is no such bag")
        if path.is_dir() and not (path / "metadata.yaml").exists():
            inner = min(path.glob("*/metadata.yaml"), default=None)
            if inner is not None:
                raise BagError(path, f"is a folder of recordings: name one, such as {inner.parent}")
            raise BagError(path, "has no metadata.yaml; `ros2 bag reindex` makes one for a folder of recorded files")
        statuses = {file: file.lstat() for file in (path.iterdir() if path.is_dir() else [path.resolve()])}
    except (OSError, ValueError, RuntimeError) as error:
        # RuntimeError: links that lead in a circle, up to Python 3.12.
        raise BagError(path, f"cannot be read: {getattr(error, 'strerror', None) or error}") from error
    for file, status in statuses.items():
        if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
            raise BagError(path, f"{file.name[:60]!r} is no regular file")
    return sum(status.st_size for status in statuses.values())


def _reason(text: bytes) -> str:
    """Return the end of the process's output, as one line."""
    lines = text.decode("utf-8", "replace").strip().splitlines() or ["for an unknown reason"]
    return "".join(letter if letter.isprintable() else "?" for letter in lines[-1][:_LONGEST_REASON])


def _repair(path: Path) -> str:
    """Return what may mend a bag's files."""
    files = path.iterdir() if path.is_dir() else (path,)
    return next((f" ({_REPAIRS[file.suffix]})" for file in files if file.suffix in _REPAIRS), "")
