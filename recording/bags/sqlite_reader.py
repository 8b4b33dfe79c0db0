"""Reads the messages of a rosbag2 SQLite file, as far as the file is whole."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from arena_trees.recording.bags.limits import MAXIMUM_MESSAGE, BagError, Budget
from arena_trees.recording.bags.raw_message import RawMessage, RawTopic

__all__ = ["read_sqlite"]

_MOST_TOPICS = 10_000
_STEPS = 100_000
_MOST_STEPS = 100
"""Steps of SQLite's machine, times this many, without a row: no sound file needs a hundredth of it."""

_ERRORS = (sqlite3.Error, UnicodeError, OverflowError)
"""What comes of broken files; the text of an error itself may be broken."""

_MESSAGES = "SELECT topic_id, timestamp, CASE WHEN length(data) <= ? THEN data END FROM messages"


def read_sqlite(path: Path, budget: Budget, skipped: Counter[str]) -> Iterator[RawMessage]:
    """Give the messages of a file in the order in which they were written.

    Args:
        path: of the file
        budget: what it may cost
        skipped: counts what could not be used, by reason

    Raises:
        BagError: it is no rosbag2 file, or costs more than it may
    """
    watch = _Watch()
    connection = sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode=ro&immutable=1", uri=True)
    try:
        connection.set_progress_handler(watch, _STEPS)
        # Bytes stay bytes: what is no text in a broken file must not raise here.
        connection.text_factory = bytes
        try:
            topics = _topics(connection, path)
            rows = connection.execute(_MESSAGES, (MAXIMUM_MESSAGE,))
        except _ERRORS as error:
            raise BagError(path, f"cannot be read: {error}") from error
        while (row := _next(rows, watch, skipped)) is not None:
            budget.message()
            message = _message(row, topics, skipped)
            if message is not None:
                budget.unpack(len(message.data))
                yield message
    finally:
        connection.close()


class _Watch:
    """Ends a query that works for long without a row, such as one that goes round in a broken file."""

    def __init__(self) -> None:
        self.idle = 0

    def __call__(self) -> int:
        """Return whether to end it."""
        self.idle += 1
        return self.idle > _MOST_STEPS


def _next(rows: sqlite3.Cursor, watch: _Watch, skipped: Counter[str]) -> Any:
    """Return the next row, or None behind the last that can be read."""
    watch.idle = 0
    try:
        return rows.fetchone()
    except _ERRORS:
        skipped["broken database"] += 1
        return None


def _topics(connection: sqlite3.Connection, path: Path) -> dict[int, RawTopic]:
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    for table in ("topics", "messages"):
        made = connection.execute(
            "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", (table,)
        ).fetchone()
        if made is None or not _text(made[0]).upper().startswith("CREATE TABLE"):
            raise BagError(path, f"has no table of {table}")
        # A generated column makes data of nothing.
        if any(column[6] for column in connection.execute(f"PRAGMA table_xinfo({table})")):
            raise BagError(path, f"has a table of {table} that no recorder makes")
    topics = {}
    rows = connection.execute("SELECT id, name, type, serialization_format FROM topics LIMIT ?", (_MOST_TOPICS,))
    for number, name, kind, encoding in rows:
        topics[number] = RawTopic(_text(name), _text(kind), _text(encoding))
    return topics


def _message(
    row: tuple[object, object, object], topics: dict[int, RawTopic], skipped: Counter[str]
) -> RawMessage | None:
    number, timestamp, data = row
    topic = topics.get(number) if isinstance(number, int) else None
    if topic is None:
        skipped["message of an unknown topic"] += 1
    elif not isinstance(timestamp, int) or not isinstance(data, bytes):
        skipped["broken record"] += 1
    else:
        return RawMessage(topic, timestamp, timestamp, 0, data)
    return None


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else ""
