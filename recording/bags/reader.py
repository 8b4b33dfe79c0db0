"""Reads the messages of any rosbag2 directory, from Humble to Jazzy, and of none that would harm its reader."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from arena_trees.recording.bags.files import BagFiles, find_files
from arena_trees.recording.bags.limits import MAXIMUM_MESSAGE, BagError, Budget
from arena_trees.recording.bags.mcap_reader import read_mcap
from arena_trees.recording.bags.raw_message import RawMessage
from arena_trees.recording.bags.sqlite_reader import read_sqlite
from arena_trees.recording.bags.unpack import unpack_file, unpack_zstd

__all__ = ["BagError", "BagReader"]

_LATEST = 1 << 62


class BagReader:
    """A bag that is read from its beginning to its end.

    SQLite and MCAP; compressed by file, by message or by chunk; whole, or as far as it is. What a bag may
    cost is limited by its size on disk. Nothing but its own folder is read, and no code of it is run:
    message definitions in a bag are not looked at.

    Attributes:
        files: of the bag
        skipped: counts what could not be used, by reason

    Args:
        path: of the directory, or of one file of a storage

    Raises:
        BagError: it is no bag, or names files that are not its own
    """

    def __init__(self, path: str | Path) -> None:
        self.files: BagFiles = find_files(Path(path))
        self.skipped: Counter[str] = Counter()

    def messages(self) -> Iterator[RawMessage]:
        """Give every message, in the order of the files.

        Raises:
            BagError: a file cannot be read at all, or costs more than it may
        """
        budget = Budget(self.files.path, self.files.size)
        for path in self.files.files:
            try:
                yield from self._file(path, budget)
            except OSError as error:
                raise BagError(path, f"cannot be read: {error.strerror or error}") from error

    def _file(self, path: Path, budget: Budget) -> Iterator[RawMessage]:
        if self.files.compression != "file":
            yield from self._storage(path, budget)
            return
        with tempfile.TemporaryDirectory(prefix="arena-trees-") as folder:
            unpacked = Path(folder) / "messages"
            unpack_file(path, unpacked, budget)
            yield from self._storage(unpacked, budget)

    def _storage(self, path: Path, budget: Budget) -> Iterator[RawMessage]:
        if self.files.storage == "mcap":
            with path.open("rb") as file:
                yield from self._checked(read_mcap(path, file, path.stat().st_size, budget, self.skipped), budget)
        else:
            yield from self._checked(read_sqlite(path, budget, self.skipped), budget)

    def _checked(self, messages: Iterator[RawMessage], budget: Budget) -> Iterator[RawMessage]:
        """Give the messages that can be decoded, unpacked."""
        packed = self.files.compression == "message"
        for message in messages:
            if message.topic.encoding != "cdr":
                self.skipped[f"{message.topic.name}: serialisation other than cdr"] += 1
            elif not 0 <= message.logged < _LATEST:
                self.skipped[f"{message.topic.name}: time out of range"] += 1
            elif not packed:
                yield message
            else:
                data = unpack_zstd(message.data, MAXIMUM_MESSAGE)
                if data is None:
                    self.skipped[f"{message.topic.name}: broken compression"] += 1
                else:
                    budget.unpack(len(data))
                    yield message._replace(data=data)
