"""``arena-trees render-signs``: writes a dataset of rendered signs, for training and for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena_trees.commands.console import progress_bar
from arena_trees.robot.errors import ConfigError

__all__ = ["render_signs"]


def render_signs(
    folder: Annotated[Path, typer.Argument(help="Folder to write images, labels and data.yaml into.")],
    count: Annotated[int, typer.Option(help="Number of pictures.")] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of the worlds.")] = 0,
    drawings: Annotated[
        Path | None, typer.Option(help="Folder of the signs' drawings; those that ship if absent.")
    ] = None,
    jobs: Annotated[int, typer.Option(help="Processes that render at a time.")] = 1,
) -> None:
    """Render signs in random arenas, with their true boxes."""
    for key, value, low, high in (
        ("--count", count, 1, 1_000_000),
        ("--seed", seed, 0, 1 << 31),
        ("--jobs", jobs, 1, 64),
    ):
        if not low <= value <= high:
            raise ConfigError(f"must be {low} to {high}", key=key, value=value)
    from arena_trees.simulation.render_dataset import DatasetOrder, write_dataset

    with progress_bar() as progress:
        task = progress.add_task("rendering", total=count)
        write_dataset(
            DatasetOrder(folder, count, seed, drawings), jobs, lambda done: progress.update(task, completed=done)
        )
    print(f"{folder}: {count} pictures, seed {seed}")
