"""``arena-trees train-signs``: makes the sign detector's data and weights, in a checkout of the repository."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena_trees.commands.console import progress_bar
from arena_trees.robot.configuration.files import check_writable
from arena_trees.robot.errors import ArenaTreesError, ConfigError

if TYPE_CHECKING:
    from arena_trees.models.training.plan import TrainingPlan

__all__ = ["train_signs"]


def train_signs(
    folder: Annotated[Path, typer.Argument(help="Folder for images, checkpoints and the finished model.")] = Path(
        "results/signs"
    ),
    named_set: Annotated[
        str | None,
        typer.Option("--set", help="Only write this set into the folder: train, printed, validation, test or shifted."),
    ] = None,
    images: Annotated[
        int | None, typer.Option(help="Number of synthetic images; the set's own if absent.", min=1, max=10_000_000)
    ] = None,
    epochs: Annotated[int, typer.Option(help="Slices of the images to train on.", min=1, max=100_000)] = 65,
    hours: Annotated[float | None, typer.Option(help="Train so long in all instead of so many epochs.")] = None,
    slice_images: Annotated[int, typer.Option(help="Images in a slice.", min=1, max=10_000_000)] = 2000,
    learning_rate: Annotated[float, typer.Option(help="At the start; it falls along a cosine.")] = 0.003,
    start: Annotated[
        Path | None,
        typer.Option(help="Weights to begin with (.pt or .onnx, your own); use a learning rate of 0.0006 or less."),
    ] = None,
    seed: Annotated[
        int, typer.Option(help="Of the first weights and the order of the images.", min=0, max=1 << 31)
    ] = 0,
    threads: Annotated[int, typer.Option(help="Threads of the processor.", min=1, max=256)] = 1,
    bfloat16: Annotated[
        bool, typer.Option("--bfloat16", help="Calculate with 16 bits: faster where the processor can.")
    ] = False,
    device: Annotated[str, typer.Option(help="cpu, or the number of a GPU.")] = "cpu",
    extra: Annotated[
        list[Path] | None, typer.Option(help="Further data set in YOLO's format, such as rendered images; repeatable.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with what is in the folder: images, the last checkpoint.")
    ] = False,
) -> None:
    """Train the sign detector on synthetic images.

    The images are made first, and the network is exported as ONNX.
    """
    if find_spec("arena_trees.models.training") is None:
        raise ArenaTreesError(
            "training is not part of an installation: use a checkout of the repository, after pip install -e '.[train]'"
        )
    if hours is not None and not 0.0 < hours <= 1000.0:
        raise ConfigError("must be above 0 and at most 1000", key="--hours", value=hours)
    if not 0.0 < learning_rate <= 1.0:
        raise ConfigError("must be above 0 and at most 1", key="--learning-rate", value=learning_rate)
    if start is not None and not os.path.isfile(start):
        raise ConfigError("there are no such weights", file=start)
    if not resume and folder.is_dir() and any(folder.iterdir()):
        raise ConfigError("is not empty; --resume goes on with what it holds", key="FOLDER", value=str(folder))
    check_writable(folder / "data.yaml", "FOLDER")
    from arena_trees.models.training.course import check_packages
    from arena_trees.models.training.dataset import frames_folder
    from arena_trees.models.training.plan import TrainingPlan
    from arena_trees.models.training.ranges import SETS

    frames = frames_folder()
    if named_set is not None:
        _write(named_set, folder, images, frames, resume)
        return
    check_packages()
    _train(
        TrainingPlan(
            folder, images or SETS["train"].images, slice_images=slice_images, epochs=epochs, hours=hours,
            learning_rate=learning_rate, start=start, seed=seed, threads=threads, bfloat16=bfloat16, device=device,
            resume=resume, frames=frames, extra=tuple(extra or ()),
        )
    )  # fmt: skip


def _write(name: str, folder: Path, images: int | None, frames: Path | None, keep: bool) -> None:
    from arena_trees.models.training.dataset import write_set

    done = 0
    with progress_bar() as progress:
        task = progress.add_task(name, total=images)
        for done in write_set(name, folder, images, frames, keep):
            progress.update(task, completed=done)
    typer.echo(f"{folder}: {done} images, {'without' if frames is None else 'with'} real frames as backgrounds")


def _train(plan: TrainingPlan) -> None:
    from arena_trees.models.training.course import prepare, train_and_export

    with progress_bar() as progress:
        task = progress.add_task("images")
        for name, done, count in prepare(plan):
            progress.update(task, description=f"{name} images", total=count, completed=done)

        def report(done: float, epochs: int, loss: float, map50: float | None) -> None:
            progress.update(task, description=f"training, loss {loss:.2f}", total=epochs, completed=done)
            if map50 is not None:
                typer.echo(f"epoch {done} of {epochs}: loss {loss:.2f}, mAP50 {map50:.3f}")

        model, boxes, gap_px = train_and_export(plan, report)
    typer.echo(f"{model}: {boxes} boxes compared with the trained network's, at most {gap_px:.4f} px apart")
