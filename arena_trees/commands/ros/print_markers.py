"""``arena-trees print-markers``: a PDF of the tags that cameras on the ceiling look for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena_trees.robot.configuration.output_files import FORCE_HELP, check_ending, place_files

__all__ = ["print_markers"]


def print_markers(
    output: Annotated[Path, typer.Option("--output", "-o", help="PDF to write.")],
    file: Annotated[
        Path | None, typer.Option("--file", help="YAML file of the tags; config/ceiling.yaml if absent.")
    ] = None,
    paper: Annotated[str, typer.Option(help="Paper of the floor's sheet: a4, a3, a2, a1 or a0.")] = "a2",
    force: Annotated[bool, typer.Option("--force", help=FORCE_HELP)] = False,
) -> None:
    """Write the tags that ceiling cameras look for.

    They are those of floor and robots, in true size. Floor tags that lie close enough together share one sheet; every
    other tag has its own page.
    """
    check_ending(output, (".pdf",), "--output")
    from arena_trees.perception.ceiling.parameters import CeilingParameters
    from arena_trees.perception.ceiling.sheets import write_tags
    from arena_trees.robot.configuration.resources import resource_path
    from arena_trees.robot.configuration.yaml_files import load_model

    parameters = load_model(CeilingParameters, file or resource_path("config", "ceiling.yaml"))
    (place,) = place_files([output], force)
    pages = write_tags(parameters, paper, place)
    print(f"{place}: {pages} pages")
