"""``arena-trees sros2-policy``: writes the SROS2 policy of a game: which node may publish what."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena_trees.commands.console import Force
from arena_trees.commands.ros.run_ros import check_ros
from arena_trees.robot.configuration.files import check_writable, write_atomically
from arena_trees.robot.configuration.output_files import check_ending, place_files

__all__ = ["write_sros2_policy"]


def write_sros2_policy(
    name_or_file: Annotated[str, typer.Argument(help="Scenario: a name of `arena-trees list`, or a file.")],
    changes: Annotated[
        list[str] | None, typer.Option("--set", help="Change, as `run-ros` takes it; repeatable.")
    ] = None,
    navigation: Annotated[
        str,
        typer.Option(help="Who plans the way of robots that drive to goals, embedded or nav2, as in the launch files."),
    ] = "",
    ceiling: Annotated[
        str, typer.Option(help="Cameras on the ceiling, c1,c2, whose tracker the policy has, as in the launch files.")
    ] = "",
    tracking: Annotated[
        str,
        typer.Option(help="Poses of a tracking system, robot=topic with , between them, as in the launch files."),
    ] = "",
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Policy; - is the standard output.")] = Path("-"),
    force: Force = False,
) -> None:
    """Write a scenario's SROS2 policy, read from its nodes."""
    check_ros()
    check_writable(out, "--out")
    check_ending(out, (".xml",), "--out")
    from arena_trees.nodes.programs.game_programs import trackers_of
    from arena_trees.nodes.programs.launch_argument import words_in
    from arena_trees.nodes.programs.sros2_policy import read_enclaves, sros2_policy

    given = {"ceiling": ceiling, "tracking": tracking}
    trackers = trackers_of(words_in(given, "ceiling", ","), words_in(given, "tracking", ","))
    text = sros2_policy(read_enclaves(name_or_file, changes or (), navigation, trackers))
    (place,) = place_files([out], force)
    write_atomically(place, lambda stream: stream.write(text.encode()))
