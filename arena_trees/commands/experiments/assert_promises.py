"""``arena-trees assert``: whether the robots of a recording kept promises."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from arena_trees.commands.bag_options import parse_topics
from arena_trees.commands.console import plain_console
from arena_trees.robot.errors import ConfigError

__all__ = ["assert_promises"]

_BROKEN = 4


def assert_promises(
    bag: Annotated[Path, typer.Argument(metavar="BAG", help="Recording: a rosbag2 directory.")],
    promises_file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="Promises (YAML), or a scenario with some; the recorded if absent."),
    ] = None,
    topics: Annotated[
        list[str] | None,
        typer.Option("--topic", help="Topic of another name, as in scan=/front/scan or red.scan=/s; repeatable."),
    ] = None,
) -> None:
    """Say whether the robots of a recording kept promises.

    Exit code 4 says that one was broken.
    """
    from arena_trees.experiments.promises.promise_file import load_promises
    from arena_trees.recording.judging.promises import judge_promises, recorded_promises
    from arena_trees.recording.loading import load_recording

    recording = load_recording(bag, parse_topics(topics or []))
    promises = recorded_promises(recording) if promises_file is None else load_promises(promises_file)
    if not promises:
        raise ConfigError("what was played had no promises: give a file with some", file=bag)
    measured = [name for name, promise in promises.items() if promise.metric is not None]
    if len(measured) == len(promises):
        raise ConfigError("are of metrics alone, which `arena-trees judge` measures", file=bag, key="promises")
    judged = judge_promises(recording, promises)
    console = plain_console()
    for name, kept in judged.items():
        console.print(Text(f"{name}: {kept}", style="red" if kept.broken else ""), soft_wrap=True)
    for name in measured:
        console.print(f"{name}: of a metric, which `arena-trees judge` measures", highlight=False)
    broken = any(kept.broken for kept in judged.values())
    if broken:
        raise typer.Exit(_BROKEN)
