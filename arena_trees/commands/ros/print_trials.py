"""``arena-trees print-trials``: a PDF of what is needed on paper for an experiment with robots."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena_trees.commands.console import Changes
from arena_trees.robot.configuration.output_files import FORCE_HELP, check_ending, place_files
from arena_trees.robot.errors import ConfigError

__all__ = ["print_trials"]


def print_trials(
    name_or_file: Annotated[str, typer.Argument(help="Scenario: a name of `arena-trees list`, or a file.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="PDF to write.")],
    trials: Annotated[int | None, typer.Option(metavar="NUMBER", help="Number of trials.")] = None,
    seed: Annotated[int | None, typer.Option(metavar="NUMBER", help="Seed of the first trial.")] = None,
    changes: Changes = None,
    consent: Annotated[
        Path | None, typer.Option("--consent", help="Text of the form of consent; config/consent.txt if absent.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help=FORCE_HELP)] = False,
) -> None:
    """Write the sheets for a day in the lab.

    They are a map of each trial with the places of boxes and robots, a log to fill in, and a form of consent.
    """
    check_ending(output, (".pdf",), "--output")
    from arena_trees.commands.run_request import read_request
    from arena_trees.experiments.plots.trial_sheets import write_sheets
    from arena_trees.robot.configuration.resources import resource_path

    request = read_request(name_or_file, {"trials": trials, "seed": seed}, changes or [])
    file = consent or resource_path("config", "consent.txt")
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError("cannot be read", key="--consent", value=str(file)) from error
    if not text.strip():
        raise ConfigError("is empty", key="--consent", value=str(file))
    plan = request.plan()
    (place,) = place_files([output], force)
    pages = write_sheets(plan, request.name, text, place)
    print(f"{place}: {pages} pages")
