"""A folder of recordings: what there is, how each ended, and its report."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from arena_trees.console.pictures import picture_of
from arena_trees.recording.events import list_events
from arena_trees.recording.game_frames import game_frames
from arena_trees.recording.loading import load_recording
from arena_trees.recording.recording import Recording
from arena_trees.recording.report_page.report import report_page
from arena_trees.robot.clock import to_seconds
from arena_trees.robot.errors import ArenaTreesError

__all__ = ["RecordingFolder", "is_recording"]

_MOST = 500
_DEEPEST = 3


class _Summary(NamedTuple):
    facts: dict[str, Any]
    picture: bytes


class RecordingFolder:
    """Finds recordings below a folder. Its methods may be called from any thread.

    Args:
        folder: where they are, or below it; it need not exist yet
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._known: dict[tuple[str, int], _Summary] = {}
        # One at a time: each takes a processor for a while.
        self._reading = threading.Lock()

    def names(self) -> list[str]:
        """Return where each recording is, below the folder, the newest first; at most 500."""
        found = sorted(_recordings(self.folder, _DEEPEST), key=lambda path: path.stat().st_mtime_ns, reverse=True)
        return [str(path.relative_to(self.folder)) for path in found[:_MOST]]

    def facts(self, name: str) -> dict[str, Any]:
        """Return what a recording is, and how it ended, as plain values; ``failed`` where it cannot be read.

        Args:
            name: one of :meth:`names`

        Raises:
            KeyError: there is no such recording
        """
        return self._summary(name).facts

    def picture(self, name: str) -> bytes:
        """Return a PNG of how a recording ends; nothing where it cannot be read.

        Raises:
            KeyError: there is no such recording
        """
        return self._summary(name).picture

    def report(self, name: str) -> str:
        """Return the report of a recording, a page.

        Raises:
            KeyError: there is no such recording
            BagError: it cannot be read
        """
        with self._reading:
            recording = load_recording(self._path(name))
            return report_page(recording, game_frames(recording))

    def _path(self, name: str) -> Path:
        if name not in self.names():
            raise KeyError(name)
        return self.folder / name

    def _summary(self, name: str) -> _Summary:
        path = self._path(name)
        key = name, path.stat().st_mtime_ns
        with self._reading:
            if key not in self._known:
                try:
                    recording = load_recording(path)
                    self._known[key] = _Summary(_facts(recording), picture_of(recording, game_frames(recording)))
                except ArenaTreesError as error:
                    self._known[key] = _Summary({"failed": str(error)}, b"")
            return self._known[key]


def is_recording(path: Path) -> bool:
    """Return whether a path is a rosbag2 directory, or was meant as one."""
    return path.is_dir() and ((path / "metadata.yaml").is_file() or any(path.glob("*.mcap")))


def _recordings(folder: Path, depth: int) -> Iterator[Path]:
    if is_recording(folder):
        yield folder
    elif depth and folder.is_dir():
        with os.scandir(folder) as entries:
            below = [Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False)]
        for path in below:
            yield from _recordings(path, depth - 1)


def _facts(recording: Recording) -> dict[str, Any]:
    info, end = recording.info, recording.info.get("end")
    end = end if isinstance(end, dict) else {}
    counts: dict[str, int] = {}
    for event in list_events(recording):
        counts[event.kind] = counts.get(event.kind, 0) + 1
    return {
        "scenario": str(info.get("scenario", "")),
        "seed": info.get("seed"),
        "outcome": str(end.get("outcome", "")),
        "reason": str(end.get("reason", "")),
        "duration_s": to_seconds(recording.end - recording.start),
        "robots": {name: robot.role or "" for name, robot in recording.robots.items()},
        "events": counts,
    }
