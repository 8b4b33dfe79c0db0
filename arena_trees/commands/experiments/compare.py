"""``arena-trees compare``: two results files side by side, such as those of robots and of the arena."""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import Annotated

import typer

from arena_trees.commands.console import Force, plain_console
from arena_trees.robot.configuration.files import write_atomically
from arena_trees.robot.configuration.output_files import check_ending, place_files
from arena_trees.robot.errors import ConfigError

__all__ = ["compare_results"]


def compare_results(
    first: Annotated[Path, typer.Argument(help="Results of run, run-ros, lab or judge.")],
    second: Annotated[Path, typer.Argument(help="Results of the same scenario and seeds.")],
    names: Annotated[str, typer.Option(metavar="FIRST,SECOND", help="What the two are.")] = "first,second",
    page: Annotated[Path | None, typer.Option(metavar="FILE", help="Both side by side as a page.")] = None,
    force: Force = False,
) -> None:
    """Compare two results files, in pairs of equal seeds."""
    from arena_trees.commands.tables import print_result
    from arena_trees.experiments.compare_page import compare_page
    from arena_trees.experiments.results_file import read_results

    titles = tuple(name.strip() for name in names.split(","))
    if len(titles) != 2 or not all(titles) or titles[0] == titles[1]:
        raise ConfigError("must be two names, as in arena,robots", key="--names", value=names)
    if page is not None:
        check_ending(page, (".html",), "--page")
    runs = [read_results(path) for path in (first, second)]
    if len({run.arms[0].metrics for run in runs}) > 1:
        raise ConfigError(f"is of {runs[1].scenario}, and not of {runs[0].scenario}", file=second, key="scenario")
    arms = []
    for run, title in zip(runs, titles, strict=True):
        # Trials are paired by what they were drawn from.
        trials = tuple(replace(trial, index=trial.seed) for trial in sorted(run.arms[0].trials, key=attrgetter("seed")))
        arms.append(replace(run.arms[0], name=title, trials=trials))
    pairs = {trial.seed for trial in arms[0].trials} & {trial.seed for trial in arms[1].trials}
    if not pairs:
        raise ConfigError("have no seed in common", file=second, key="trials")
    result = replace(runs[0], arms=arms, planned=max(len(arm.trials) for arm in arms))
    console = plain_console()
    print_result(result, console)
    if page is not None:
        (place,) = place_files([page], force)
        text = compare_page(result, f"{titles[0]} and {titles[1]}: {result.scenario}")
        write_atomically(place, lambda stream: stream.write(text.encode()))
        console.print(f"written: {place}", highlight=False, soft_wrap=True)
