"""``arena-trees view``: a game in Foxglove while it is played."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

from arena_trees.commands.console import Force
from arena_trees.commands.run_request import settings_of
from arena_trees.robot.configuration.files import write_atomically
from arena_trees.robot.configuration.output_files import check_ending, place_files
from arena_trees.robot.errors import ConfigError

__all__ = ["open_view"]

_PORT = 8765
"""Foxglove's own."""


def open_view(
    scenario: Annotated[
        str | None,
        typer.Argument(help="Scenario: a name of `arena-trees list`, or a file; a game's own if absent."),
    ] = None,
    seed: Annotated[str | None, typer.Option(metavar="NUMBER", help="Seed of the game.")] = None,
    changes: Annotated[
        list[str] | None, typer.Option("--set", help="Change, as in red.chase_speed=0.2; repeatable.")
    ] = None,
    speed: Annotated[float, typer.Option(help="Simulated seconds a second.")] = 1.0,
    port: Annotated[int, typer.Option(help="Port on this machine; 0 for any that is free.")] = _PORT,
    tune: Annotated[bool, typer.Option("--tune", help="Let whoever connects set parameters.")] = False,
    layout: Annotated[
        Path | None, typer.Option("--layout", metavar="FILE", help="Write a layout for Foxglove, and play nothing.")
    ] = None,
    force: Force = False,
) -> None:
    """Play a scenario and stream it to Foxglove.

    It answers this machine alone.
    """
    from arena_trees.console.game_process import first_scenario, plan_of
    from arena_trees.experiments.trial import Trial
    from arena_trees.view.game_view import GameView, has_pictures
    from arena_trees.view.layout import layout_text

    if not (math.isfinite(speed) and speed > 0.0):
        raise ConfigError("must be a number above 0", key="--speed", value=speed)
    scenario = scenario or first_scenario()
    plan = plan_of(scenario, settings_of(seed, changes))
    if layout is not None:
        check_ending(layout, (".json",), "--layout")
        (place,) = place_files([layout], force)
        text = layout_text(list(plan.robots), has_pictures(plan))
        write_atomically(place, lambda stream: stream.write(text.encode()))
        return
    view = GameView(Trial(plan, 0), scenario, port, tune)
    try:
        print(f"In Foxglove, open a connection to ws://127.0.0.1:{view.port}; Ctrl-C ends it.", flush=True)
        view.play(speed)
    finally:
        view.close()
