"""``arena-trees train-signs``: makes the sign detector's data and weights."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from arena_trees.robot.errors import ConfigError

if TYPE_CHECKING:
    from arena_trees.models.training.plan import TrainingPlan

__all__ = ["train_signs"]

_LIMITS = {
    "--images": (1, 10_000_000),
    "--epochs": (1, 100_000),
    "--slice-images": (1, 10_000_000),
    "--threads": (1, 256),
    "--seed": (0, 1 << 31),
}


def train_signs(
    folder: Annotated[Path, typer.Argument(help="Folder for images, checkpoints and the finished model.")] = Path(
        "results/signs"
    ),
    named_set: Annotated[
        str | None,
        typer.Option("--set", help="Only write this set into the folder: train, validation, test or shifted."),
    ] = None,
    images: Annotated[int | None, typer.Option(help="Number of synthetic images; the set's own if absent.")] = None,
    epochs: Annotated[int, typer.Option(help="Slices of the images to train on.")] = 65,
    hours: Annotated[float | None, typer.Option(help="Train so long in all instead of so many epochs.")] = None,
    slice_images: Annotated[int, typer.Option(help="Images in a slice.")] = 2000,
    learning_rate: Annotated[float, typer.Option(help="At the start; it falls along a cosine.")] = 0.003,
    start: Annotated[
        Path | None, typer.Option(help="Weights (.pt, your own) to begin with; use a learning rate of 0.0006 or less.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the first weights and the order of the images.")] = 0,
    threads: Annotated[int, typer.Option(help="Threads of the processor.")] = 1,
    bfloat16: Annotated[
        bool, typer.Option("--bfloat16", help="Calculate with 16 bits: faster where the processor can.")
    ] = False,
    device: Annotated[str, typer.Option(help="cpu, or the number of a GPU.")] = "cpu",
    extra: Annotated[
        list[Path] | None, typer.Option(help="Further data set in YOLO's format, such as rendered images; repeatable.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the last checkpoint in the folder.")] = False,
) -> None:
    """Make synthetic images, train the sign detector on them and export it as ONNX."""
    values = {"--epochs": epochs, "--slice-images": slice_images, "--threads": threads, "--seed": seed}
    _check({**values, **({} if images is None else {"--images": images})})
    if hours is not None and not 0.0 < hours <= 1000.0:
        raise ConfigError("must be above 0 and at most 1000", key="--hours", value=hours)
    if not 0.0 < learning_rate <= 1.0:
        raise ConfigError("must be above 0 and at most 1", key="--learning-rate", value=learning_rate)
    if start is not None and not start.is_file():
        raise ConfigError("there are no such weights", file=start)
    from arena_trees.models.training.course import check_packages
    from arena_trees.models.training.frames import frames_folder
    from arena_trees.models.training.plan import TrainingPlan
    from arena_trees.models.training.ranges import SETS

    if named_set is not None:
        _write(named_set, folder, images)
        return
    check_packages()
    _train(
        TrainingPlan(
            folder=folder,
            images=SETS["train"].images if images is None else images,
            slice_images=slice_images,
            epochs=epochs,
            hours=hours,
            learning_rate=learning_rate,
            start=start,
            seed=seed,
            threads=threads,
            bfloat16=bfloat16,
            device=device,
            resume=resume,
            frames=frames_folder(),
            extra=tuple(extra or ()),
        )
    )


def _check(values: dict[str, int]) -> None:
    for key, value in values.items():
        low, high = _LIMITS[key]
        if not low <= value <= high:
            raise ConfigError(f"must be {low} to {high}", key=key, value=value)


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
    )


def _write(name: str, folder: Path, images: int | None) -> None:
    from arena_trees.models.training.dataset import write_set
    from arena_trees.models.training.frames import frames_folder
    from arena_trees.models.training.ranges import SETS

    frames = frames_folder()
    done = 0
    with _progress() as progress:
        task = progress.add_task(name, total=images or (SETS[name].images if name in SETS else None), note="")
        for done in write_set(name, folder, images, frames):
            progress.update(task, completed=done)
    typer.echo(f"{folder}: {done} images, {'without' if frames is None else 'with'} real frames as backgrounds")


def _train(plan: TrainingPlan) -> None:
    from arena_trees.models.training.course import prepare, train_and_export
    from arena_trees.models.training.plan import Progress as Report

    with _progress() as progress:
        tasks = {
            name: progress.add_task(name, total=count, note="")
            for name, count in (("train", plan.images), ("validation", plan.validation_images))
        }
        for name, done, _ in prepare(plan):
            progress.update(tasks[name], completed=done)
        task = progress.add_task("training", total=None, note="")

        def report(at: Report) -> None:
            progress.update(
                task,
                total=at.epochs * at.batches,
                completed=at.epoch * at.batches + at.batch,
                note=f"loss {at.loss:.2f}",
            )
            if at.map50 is not None:
                progress.console.print(f"epoch {at.epoch} of {at.epochs}: loss {at.loss:.2f}, mAP50 {at.map50:.3f}")

        finished = train_and_export(plan, report)
    typer.echo(
        f"{finished.model}: {finished.boxes} boxes compared with the trained network's,"
        f" at most {finished.largest_px:.4f} px apart"
    )
