"""Pictures of the book, drawn from documents by what draws those of runs and sweeps."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from arena_trees.experiments.book.documents import Document, RunDocument, SweepDocument
from arena_trees.experiments.book.table_files import TableEntry
from arena_trees.experiments.plots.sweep_plot import SweepPicture, plot_sweep
from arena_trees.experiments.plots.trials_plot import plot_trials
from arena_trees.experiments.results import Arm, TrialResult
from arena_trees.experiments.sweeps.table import Table, write_csv
from arena_trees.games.book import Chapter, Picture, Run
from arena_trees.games.game import Game
from arena_trees.robot.configuration.files import write_atomically
from arena_trees.robot.errors import ConfigError

__all__ = ["draw_pictures", "way_file"]


def way_file(folder: Path, name: str) -> Path:
    """Return where a run of one trial leaves the picture of its ways.

    Args:
        folder: of all documents
        name: of the run
    """
    return folder / f"{name}.png"


def draw_pictures(
    chapter: Chapter,
    documents: Mapping[str, Document],
    game: Game,
    folder: Path,
    before: Sequence[TableEntry],
    out: Path,
) -> list[TableEntry]:
    """Draw the pictures whose runs have documents; next to that of a sweep, write a CSV file of its points.

    What has no document stays as it is, if it was drawn of the very same run, and else is taken away.

    Args:
        chapter: of the game
        documents: of the runs that were played
        game: that was played
        folder: of all documents
        before: of what the pictures are that are there
        out: folder of the pictures

    Returns:
        of what each picture is that is there now

    Raises:
        ConfigError: one cannot be drawn or written
    """
    known = {entry.row: entry for entry in before}
    entries = []
    for picture in chapter.pictures:
        run, document, path = chapter.runs[picture.run], documents.get(picture.run), out / f"{picture.name}.png"
        old = known.get(picture.name)
        if document is not None:
            _draw(picture, run, document, game, folder, path)
            entries.append(_entry(picture, run, document))
        elif old is not None and path.exists() and (old.column, old.metric, old.command) == _asked(picture, run):
            entries.append(old)
        else:
            for one in (path, path.with_suffix(".csv")):
                one.unlink(missing_ok=True)
    return entries


def _asked(picture: Picture, run: Run) -> tuple[str, str, str]:
    """Return what a picture is to show, and of what."""
    return picture.kind, picture.metric, run.command


def _entry(picture: Picture, run: Run, document: Document) -> TableEntry:
    """Return of what a picture is, as a line of a table's file."""
    own = document.run if isinstance(document, SweepDocument) else document
    assert isinstance(own, RunDocument)
    seeds, number = (own.seeds, len(own.arms[0].trials)) if own is document else (run.seeds, run.trials)
    kind, metric, command = _asked(picture, run)
    return TableEntry(
        picture.name, kind, None, None, None, number, metric, picture.run, seeds, own.version, "", command
    )


def _draw(picture: Picture, run: Run, document: Document, game: Game, folder: Path, path: Path) -> None:
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
    y = keys[1] if len(keys) > 1 else None
    shown = SweepPicture(picture.metric, keys[0], y, keys[2:], picture.lines, document.plan.title, label)
    plot_sweep(document.points, shown, path)
    write_csv(_of_metric(document, picture.metric, run.seeds), path.with_suffix(".csv"))


def _of_metric(document: SweepDocument, metric: str, seeds: str) -> Table:
    """Return the points with one metric, and by which seeds and which version they were played."""
    plan = document.plan
    names = [*plan.grid.keys, "played", "failed", *(f"{metric}{end}" for end in ("", "_low", "_high", "_n"))]
    columns = [document.points.column(name) for name in names]
    rows = tuple((*row, seeds, plan.version) for row in zip(*columns, strict=True))
    return replace(document.points, columns=(*names, "seeds", "version"), rows=rows)
