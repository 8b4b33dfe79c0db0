"""The report: a recording as one page that needs no network and no other file."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from arena_trees.recording.camera_model import camera_model_of
from arena_trees.recording.events import KINDS, Event, list_events
from arena_trees.recording.judging.promises import judge_promises, recorded_promises
from arena_trees.recording.outlines import outline_shapes
from arena_trees.recording.recording import Recording
from arena_trees.recording.report_page.columns import Columns
from arena_trees.recording.report_page.robot_columns import LATCHED, MILLISECOND, RobotPacker
from arena_trees.recording.report_page.tracks import FARTHEST, fence_of
from arena_trees.recording.report_page.tree_rows import Texts
from arena_trees.recording.shape_frames import ShapeFrame, pack_frames
from arena_trees.recording.shows import ShowLister, pack_shows
from arena_trees.robot.configuration.files import write_atomically
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.show.show_log import Shown
from arena_trees.world import palette
from arena_trees.world.plain_shapes import plain_defaults, to_plain
from arena_trees.world.shapes import in_layers

__all__ = ["PAGE", "SCRIPTS", "RecordingPacker", "assemble", "report_page", "write_report"]

PAGE = Path(__file__).with_name("page")
"""Folder of what the page is made of."""

SCRIPTS = (
    "decode.js",
    "shapes.js",
    "map.js",
    "shows.js",
    "arena.js",
    "tree.js",
    "gauge.js",
    "plots.js",
    "bands.js",
    "lists.js",
    "player.js",
    "robots.js",
    "main.js",
)
"""Script files of the report, in the order in which they are run as one script."""
_COMMON = ("HEAD", "STAGE", "TREES", "EVENTS")
"""Sections that every page has, each a file."""
_OF_THE_SERVER = "connect-src 'self'; img-src 'self'; frame-src 'self'; "
_MOST_EVENTS = 5_000
_LONGEST_TEXT = 20_000
_MOST_FACTS = 3_000
_DEEPEST = 10


def write_report(recording: Recording, path: Path, frames: Iterable[ShapeFrame] = ()) -> None:
    """Write the report of a recording.

    Args:
        recording: to be shown
        path: of the page
        frames: of the game's shapes

    Raises:
        ConfigError: the file cannot be written
    """
    page = report_page(recording, frames).encode("utf-8")
    write_atomically(path, lambda stream: stream.write(page))


def report_page(recording: Recording, frames: Iterable[ShapeFrame] = ()) -> str:
    """Return the report of a recording as HTML.

    Nothing of the recording stands in the page as text: it is packed, and the script makes text nodes
    of it. The policy lets no other script run, no style in and nothing out.
    """
    shown = ShowLister().take(recording)
    packed = RecordingPacker().pack(recording, list_events(recording), frames, shown, promises=_promises(recording))
    return assemble(PAGE / "report.html", ("report.css",), SCRIPTS, {"DATA": base64.b64encode(packed).decode("ascii")})


def assemble(
    page: Path,
    styles: Iterable[str],
    scripts: Iterable[str],
    parts: Mapping[str, str],
    folders: Sequence[Path] = (PAGE,),
    connects: bool = False,
) -> str:
    """Return a page with its styles and its scripts in it, which alone its policy lets run.

    Args:
        page: with ``@HEAD@`` and other sections that pages share, ``@SCRIPT@``, and the names of the parts
        styles: names of files
        scripts: names of files, in the order in which they are run as one script
        parts: name to text
        folders: in which the files are looked for
        connects: whether the page may ask the server that it came from, and show pictures and pages of it
    """

    def read(name: str) -> str:
        return next(folder / name for folder in folders if (folder / name).is_file()).read_text(encoding="utf-8")

    style, script = "\n".join(map(read, styles)), "\n".join(map(read, scripts))
    policy = (
        f"default-src 'none'; script-src '{_fingerprint(script)}'; style-src '{_fingerprint(style)}'; "
        f"{_OF_THE_SERVER if connects else ''}"
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
    text = page.read_text(encoding="utf-8")
    common = {name: read(f"{name.lower()}.html") for name in _COMMON}
    for name, part in (common | {"POLICY": policy, "STYLE": style, "SCRIPT": script} | dict(parts)).items():
        text = text.replace(f"@{name}@", part, 1)
    return text


class RecordingPacker:
    """Packs recordings for a page: one, or a game that is still being played, part by part.

    Texts have the same number in everything that it packs.
    """

    def __init__(self) -> None:
        self._texts = Texts()
        self._sent = 0

    def pack(
        self,
        recording: Recording,
        events: Sequence[Event],
        frames: Iterable[ShapeFrame] = (),
        shown: Sequence[Shown] = (),
        *,
        zero: int | None = None,
        keys: Mapping[str, Sequence[str]] | None = None,
        part: bool = False,
        level: int = 9,
        promises: Mapping[str, str] = MappingProxyType({}),
    ) -> bytes:
        """Return a recording as a page holds it.

        Args:
            recording: to be packed
            events: of it
            frames: of the game's shapes
            shown: what its robots showed and played
            zero: instant that is the page's zero, ns; the recording's start where it is None
            keys: robot name to the keys of its blackboard that are shown; where it is None, those that its ticks have
            part: whether whoever reads it has all parts before it, and so needs only the texts that are new since
            level: of compression, see :meth:`Columns.bundle`
            promises: what became of them in words, by name
        """
        columns, texts = Columns(), self._texts
        zero = recording.start if zero is None else zero
        packer = RobotPacker(columns, texts, zero, recording.end)
        robots = [
            packer.pack(
                robot,
                fence_of(recording, name),
                camera_model_of(recording, robot),
                None if keys is None else keys.get(name, ()),
                part,
            )
            for name, robot in recording.robots.items()
        ]
        ticks = [tick for robot in recording.robots.values() for tick in robot.ticks]
        leaves = sorted({tick.active for tick in ticks if tick.active} | {LATCHED})
        listed, first = texts.listed(), 0
        if part:
            first, self._sent = self._sent, len(listed)
        header = {
            "title": recording.path.name,
            "info": {} if part else _plain(recording.info),
            "duration": max((recording.end - zero) / MILLISECOND, 1.0),
            "begin": (min((tick.now for tick in ticks), default=recording.start) - zero) / MILLISECOND,
            "robots": robots,
            "leaves": [[leaf, palette.leaf_colour(leaf)] for leaf in leaves],
            "defaults": plain_defaults(),
            "shapes": [] if part else _world(recording),
            "game": pack_frames(frames, zero),
            "shows": pack_shows(recording, shown, zero),
            "kinds": KINDS,
            "events": [
                [(event.now - zero) / MILLISECOND, event.robot, event.kind, event.text[:_LONGEST_TEXT]]
                for event in events[:_MOST_EVENTS]
            ],
            "left_out": max(0, len(events) - _MOST_EVENTS),
            "skipped": dict(recording.skipped),
            "promises": dict(promises),
            "texts": listed[first:],
            "first_text": first,
        }
        return columns.bundle(header, level)


def _promises(recording: Recording) -> dict[str, str]:
    """Return what became of each promise of what was played, in words; why, where they cannot be judged."""
    try:
        judged = judge_promises(recording, recorded_promises(recording))
    except ConfigError as error:
        return {"of the scenario": f"cannot be judged: {error.reason}"}
    return {name: str(kept) for name, kept in judged.items()}


def _world(recording: Recording) -> list[dict[str, Any]]:
    """Return what does not move, as plain shapes."""
    colours = {name: palette.robot_colour(number) for number, name in enumerate(recording.robots)}
    return [to_plain(shape) for shape in in_layers(outline_shapes(recording.outlines, colours, FARTHEST))]


def _fingerprint(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}"


def _plain(value: Any, depth: int = 0) -> Any:
    """Return a value as JSON can hold it, with texts, groups and depth bounded."""
    if depth < _DEEPEST and isinstance(value, Mapping):
        return {str(key): _plain(part, depth + 1) for key, part in list(value.items())[:_MOST_FACTS]}
    if depth < _DEEPEST and isinstance(value, (list, tuple)):
        return [_plain(part, depth + 1) for part in value[:_MOST_FACTS]]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, (bool, int, float)) or value is None:
        return value
    return str(value)[:_LONGEST_TEXT]
