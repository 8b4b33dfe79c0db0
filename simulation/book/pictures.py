"""Pictures of the book, drawn from documents by what draws those of runs and sweeps."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from arena_trees.games.book import Picture, Run
from arena_trees.games.game import Game
from arena_trees.robot.configuration.files import write_atomically
from arena_trees.robot.errors import ConfigError
from arena_trees.simulation.book.documents import Document, RunDocument, SweepDocument
from arena_trees.simulation.experiments.results import Arm, TrialResult
from arena_trees.simulation.plots.sweep_plot import SweepPicture, plot_sweep
from arena_trees.simulation.plots.trials_plot import plot_trials
from arena_trees.simulation.sweeps.table import Table, write_csv

__all__ = ["draw_picture", "way_file"]


def way_file(folder: Path, name: str) -> Path:
    """Return where a run of one trial leaves the picture of its ways.

    Args:
        folder: of all documents
        name: of the run
    """
    return folder / f"{name}.png"


def draw_picture(picture: Picture, run: Run, document: Document, game: Game, folder: Path, path: Path) -> None:
    """Draw a picture; beside that of a sweep lies a CSV file of its points.

    Args:
        picture: of the chapter
        run: that it shows
        document: of that run
        game: that was played
        folder: of all documents
        path: of the picture

    Raises:
        ConfigError: it cannot be drawn or written
    """
    if isinstance(document, SweepDocument):
        _draw_sweep(picture, run, document, game, path)
    elif picture.kind == "trials" and isinstance(document, RunDocument):
        arms = [Arm(arm.name, tuple(map(TrialResult.from_dict, arm.trials)), game.metrics) for arm in document.arms]
        plot_trials(f"{run.scenario}, seeds {document.seeds}", arms, game.outcomes, path)
    else:
        source = way_file(folder, picture.run)
        if not source.exists():
            raise ConfigError("is missing beside the run's document", file=source)
        with source.open("rb") as stream:
            write_atomically(path, lambda target: shutil.copyfileobj(stream, target))


def _draw_sweep(picture: Picture, run: Run, document: SweepDocument, game: Game, path: Path) -> None:
    keys = document.plan.grid.keys
    label = next((one.text for one in game.metrics if picture.metric.endswith(one.name)), "")
    title = f"{document.plan.scenario}: {document.plan.trials} trials a point from seed {document.plan.seed}"
    y = keys[1] if len(keys) > 1 else None
    shown = SweepPicture(picture.metric, keys[0], y, keys[2:], picture.lines, title, label)
    plot_sweep(document.points, shown, path)
    write_csv(_of_metric(document, picture.metric, run.seeds), path.with_suffix(".csv"))


def _of_metric(document: SweepDocument, metric: str, seeds: str) -> Table:
    """Return the points with one metric, and by which seeds and which version they were played."""
    plan = document.plan
    names = [*plan.grid.keys, "played", "failed", *(f"{metric}{end}" for end in ("", "_low", "_high", "_n"))]
    columns = [document.points.column(name) for name in names]
    rows = tuple((*row, seeds, plan.version) for row in zip(*columns, strict=True))
    return replace(document.points, columns=(*names, "seeds", "version"), rows=rows)
