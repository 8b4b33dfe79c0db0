"""``arena-trees render-signs``: writes a dataset of rendered signs, for training and for tests."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from arena_trees.commands.console import progress_bar

__all__ = ["render_signs"]


def render_signs(
    folder: Annotated[Path, typer.Argument(help="Folder to write images, labels and data.yaml into.")],
    count: Annotated[int, typer.Option(help="Number of pictures.", min=1, max=1_000_000)] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of the worlds.", min=0, max=1 << 31)] = 0,
    drawings: Annotated[
        Path | None, typer.Option(help="Folder of the signs' drawings; those that ship if absent.")
    ] = None,
    jobs: Annotated[int, typer.Option(help="Processes that render at a time.", min=1, max=64)] = 1,
) -> None:
    """Render signs in random arenas, with their true boxes."""
    from arena_trees.experiments.workers import Workers, spread
    from arena_trees.simulation.rendering.dataset import write_dataset

    several = partial(spread, workers=Workers(jobs)) if jobs > 1 else None
    with progress_bar() as progress:
        task = progress.add_task("rendering", total=count)
        write_dataset(folder, count, seed, drawings, several, lambda done: progress.update(task, completed=done))
    print(f"{folder}: {count} pictures, seed {seed}")
