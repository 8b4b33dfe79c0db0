"""``arena-trees record``: records the robots of a ROS graph from outside."""

from __future__ import annotations

import shutil
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena_trees.commands.console import Quiet, plain_console
from arena_trees.commands.ros.needed import ros_needed
from arena_trees.robot.errors import ArenaTreesError

if TYPE_CHECKING:
    from rich.console import Console

    from arena_trees.nodes.monitors.bag_recorder import BagRecorder

__all__ = ["record_robots"]

_TURN_S = 0.5
_NONE_S = 10.0
"""Seconds after which it is reported that no robot is there."""


def record_robots(
    folder: Annotated[Path, typer.Argument(help="Folder of the recording, which must not exist yet.")],
    seconds: Annotated[
        float | None, typer.Option(min=1.0, max=1e6, help="How long to record; until Ctrl-C where not given.")
    ] = None,
    game_namespace: Annotated[str, typer.Option(help="Namespace of the game's messages.")] = "/arena",
    quiet: Quiet = False,
) -> None:
    """Record the robots of a ROS graph, on any machine of it.

    The recording is a rosbag2 folder for `replay` and `report`. Ctrl-C or SIGTERM ends it.
    """
    with ros_needed("recording"):
        from arena_trees.nodes.monitors.bag_recorder import BagRecorder
    console = None if quiet else plain_console()
    # Ctrl-C is how a recording ends that nobody limits.
    with BagRecorder(folder, game_namespace.rstrip("/")) as recorder, suppress(KeyboardInterrupt):
        _record(recorder, seconds, console)
    if not sum(recorder.messages.values()):
        shutil.rmtree(folder)
        raise ArenaTreesError(f"{folder}: nothing was recorded: no robot publishes ticks, odom or scan in this domain")
    if recorder.failed:
        raise ArenaTreesError(f"{folder}: {recorder.failed} messages could not be written")
    if console is not None:
        console.print(f"written: {folder}", highlight=False, soft_wrap=True)
        console.print(f"next: arena-trees report {folder}", highlight=False, soft_wrap=True)


def _record(recorder: BagRecorder, seconds: float | None, console: Console | None) -> None:
    """Record, and print which robots are found and how games end."""
    begun, known, warned, ended = time.monotonic(), set[str](), False, recorder.end
    while (since := time.monotonic() - begun) < (seconds or since + 1.0):
        recorder.turn(min(_TURN_S, (seconds or since + 1.0) - since))
        if console is None:
            continue
        for name in recorder.robots:
            if name not in known:
                known.add(name)
                print(f"recording {name}", flush=True)
        if recorder.end != ended:
            ended = recorder.end
            print(f"the game ended: {ended['outcome']} ({ended['reason']})" if ended else "a game begins", flush=True)
        if not known and not warned and since > _NONE_S:
            warned = True
            console.print("no robot publishes ticks, odom or scan in this domain yet", highlight=False)
