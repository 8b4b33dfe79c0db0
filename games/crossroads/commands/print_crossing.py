"""``arena-trees crossroads print-crossing``: a PDF to lay a crossing's floor from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena_trees.robot.configuration.output_files import FORCE_HELP, check_ending, place_files

__all__ = ["print_crossing"]


def print_crossing(
    output: Annotated[Path, typer.Option("--output", "-o", help="PDF to write.")],
    approaches: Annotated[int, typer.Option(help="Arms: 4, or 3 for a T.")] = 4,
    crossings: Annotated[int, typer.Option(help="How many in a row.")] = 1,
    lane_width: Annotated[float, typer.Option(help="Width of a lane, m.")] = 0.6,
    size: Annotated[float, typer.Option(help="From the centre to the end of an arm, m.")] = 2.0,
    paper: Annotated[str, typer.Option(help="a4, a3, a2, a1 or a0.")] = "a4",
    force: Annotated[bool, typer.Option("--force", help=FORCE_HELP)] = False,
) -> None:
    """Write the sheets of a crossing's floor and its markers, in true size."""
    check_ending(output, (".pdf",), "--output")
    from arena_trees.games.crossroads.layout.floor import CrossingFloor
    from arena_trees.games.crossroads.layout.plan import CrossingParameters, CrossingPlan
    from arena_trees.games.crossroads.localisation.sheets import write_sheets
    from arena_trees.robot.configuration.yaml_files import validate

    values = {"approaches": approaches, "crossings": crossings, "lane_width": lane_width, "size": size}
    parameters = validate(CrossingParameters, values, "print-crossing")
    # Lanes that robots cannot cross by are not worth the paper.
    CrossingPlan(parameters)
    floor = CrossingFloor(parameters)
    (place,) = place_files([output], force)
    pages = write_sheets(floor, paper, place)
    print(f"{place}: {pages} pages")
