"""The number of a participant's life: higher than that of all before it, whatever the wall clock shows."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from urllib.parse import quote

__all__ = ["next_epoch"]

_WIDTH = 16
"""Digits of the highest number that JSON carries without loss."""


def next_epoch(participant: str, folder: Path | None = None) -> int:
    """Return the number of a life that begins now: microseconds since 1970, or one more than the last life's.

    The last one is kept in a file for each participant, below ``$ROS_HOME`` or ``~/.ros``. So no two processes of a
    machine get one number, however fast they follow each other, and none gets a lower one because the clock was set
    back, as that of a Raspberry Pi is when it starts without a network. Where nothing can be kept, the clock decides.

    Args:
        participant: its name
        folder: where the files are
    """
    now = time.time_ns() // 1000
    place = folder or Path(os.environ.get("ROS_HOME") or Path.home() / ".ros") / "arena_trees" / "epochs"
    try:
        place.mkdir(parents=True, exist_ok=True)
        file = os.open(place / quote(participant, safe="")[:200], os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except (OSError, RuntimeError):
        return now
    try:
        # Until the file is closed.
        fcntl.flock(file, fcntl.LOCK_EX)
        epoch = max(now, _number(os.pread(file, _WIDTH, 0)) + 1)
        # Of one length always: whoever loses power meanwhile keeps the one or the other.
        os.pwrite(file, f"{epoch:0{_WIDTH}d}".encode(), 0)
        os.fsync(file)
    except OSError:
        return now
    finally:
        os.close(file)
    return epoch


def _number(kept: bytes) -> int:
    """Return the number in a file; 0 where it holds none."""
    return int(kept) if len(kept) == _WIDTH and kept.isdigit() and int(kept) < 1 << 53 else 0
