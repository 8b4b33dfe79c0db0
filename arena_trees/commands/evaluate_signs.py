"""``arena-trees evaluate-signs``: how good a sign detector is on a dataset, as table, JSON and contact sheet."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from arena_trees import __version__
from arena_trees.commands.console import Force, plain_console, progress_bar
from arena_trees.robot.configuration.files import write_atomically
from arena_trees.robot.configuration.output_files import check_ending, place_files
from arena_trees.robot.configuration.resources import resource_path
from arena_trees.robot.errors import ConfigError

if TYPE_CHECKING:
    from arena_trees.perception.signs.coco_scores import Score
    from arena_trees.perception.signs.detector import ImageDetector
    from arena_trees.perception.signs.evaluation import Evaluation

__all__ = ["evaluate_signs"]


def evaluate_signs(
    dataset: Annotated[Path, typer.Argument(help="Folder or data.yaml of a dataset in YOLO's format.")],
    detector: Annotated[str, typer.Option(help="onnx, or ultralytics for a model of your own.")] = "onnx",
    model: Annotated[Path | None, typer.Option(help="Model file; the one that ships if absent.")] = None,
    confidence: Annotated[float, typer.Option(help="Confidence from which a box counts as found.")] = 0.5,
    as_background: Annotated[
        bool, typer.Option("--as-background", help="None of the signs is in any image: every box found is false.")
    ] = False,
    allow_pickle: Annotated[
        bool, typer.Option("--allow-pickle", help="Load a .pt file, which can run any code that is in it.")
    ] = False,
    json_file: Annotated[Path | None, typer.Option("--json", help="File for all figures.")] = None,
    sheet_file: Annotated[Path | None, typer.Option("--sheet", help="PNG of what was found and missed.")] = None,
    force: Force = False,
) -> None:
    """Evaluate a sign detector on a dataset."""
    if not 0.0 < confidence <= 1.0:
        raise ConfigError("must be above 0 and at most 1", key="--confidence", value=confidence)
    json_file, sheet_file = _places(json_file, sheet_file, force)
    from arena_trees.perception.signs.evaluation import evaluate
    from arena_trees.perception.signs.yolo_dataset import load_dataset

    make = _maker(detector, model, allow_pickle)
    images = load_dataset(dataset)
    with progress_bar() as progress:
        task = progress.add_task("looking", total=len(images.images))
        result = evaluate(images, make, confidence, as_background, lambda done: progress.update(task, completed=done))
    if json_file is not None:
        file = model or resource_path("models", "signs.onnx")
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        about = {"dataset": str(dataset), "detector": detector, "model": file.name, "model_sha256": digest}
        _write_json(json_file, {**about, "confidence": confidence}, result)
    if sheet_file is not None:
        from arena_trees.perception.signs.contact_sheet import draw_contact_sheet

        draw_contact_sheet(result.images, result.outcomes, sheet_file)
    _print(str(dataset), result)


def _places(json_file: Path | None, sheet_file: Path | None, force: bool) -> tuple[Path | None, Path | None]:
    """Return where figures and sheet go."""
    given = {}
    for option, file, ending in (("--json", json_file, ".json"), ("--sheet", sheet_file, ".png")):
        if file is not None:
            check_ending(file, (ending,), option)
            given[option] = file
    places = dict(zip(given, place_files(list(given.values()), force), strict=True))
    return places.get("--json"), places.get("--sheet")


def _maker(kind: str, model: Path | None, allow_pickle: bool) -> Callable[[float], ImageDetector]:
    """Return what makes the detector for a confidence."""
    if kind == "onnx":
        from arena_trees.perception.signs.detector import OnnxSignDetector

        return lambda confidence: OnnxSignDetector(model, confidence)
    if kind != "ultralytics":
        raise ConfigError("must be onnx or ultralytics", key="--detector", value=kind)
    if model is None:
        raise ConfigError("is required with --detector ultralytics", key="--model")
    from arena_trees.perception.signs.ultralytics_detector import UltralyticsDetector

    return lambda confidence: UltralyticsDetector(model, confidence, allow_pickle=allow_pickle)


def _print(title: str, result: Evaluation) -> None:
    console = plain_console()
    console.print(f"{title}: {len(result.images)} images", highlight=False, soft_wrap=True)
    if result.skipped:
        from arena_trees.perception.image import MAX_BYTES, MAX_SIDE

        names = ", ".join(path.name for path in result.skipped)
        console.print(
            f"skipped, larger than {MAX_SIDE} px or {MAX_BYTES} bytes: {names}", highlight=False, soft_wrap=True
        )  # fmt: skip
    if result.scores:
        table = Table("class", "robot", "size, px")
        for heading in ("boxes", "precision", "recall", "mAP50", "mAP50-95", "edges, px"):
            table.add_column(heading, justify="right")
        for row in map(_row, result.scores):
            cells = [row[key] for key in ("precision", "recall", "map50", "map50_95")]
            shown = ["-" if cell is None else f"{cell:.3f}" for cell in cells]
            edges = "-" if row["edge_px"] is None else f"{row['edge_px']:.2f}"
            table.add_row(row["class"], row["robot"], row["size_px"], str(row["boxes"]), *shown, edges)
        console.print(table)
    console.print(f"{result.false_on_empty} boxes found in {result.empty} images without a sign", highlight=False)
    text = "latency: median {median_ms:.1f} ms, 99th percentile {p99_ms:.1f} ms, {calls} calls"
    console.print(text.format(**result.latency), highlight=False)


def _row(score: Score) -> dict[str, Any]:
    values = asdict(score)
    label, band = values.pop("label"), values.pop("band")
    return {"class": label, "robot": "both" if label == "all" else _seen_by(label), "size_px": band, **values}


def _write_json(file: Path, about: dict[str, Any], result: Evaluation) -> None:
    values = {
        **about,
        "version": __version__,
        "images": len(result.images),
        "skipped_images": [str(path) for path in result.skipped],
        "images_without_signs": result.empty,
        "false_on_images_without_signs": result.false_on_empty,
        "scores": [_row(score) for score in result.scores],
        "latency": result.latency,
    }
    text = json.dumps(values, indent=2, allow_nan=False) + "\n"
    write_atomically(file, lambda stream: stream.write(text.encode()))


def _seen_by(label: str) -> str:
    """Return the role that looks for a sign: the only one with a parameter that names it, or else both."""
    from arena_trees.games.registry import load_games

    roles = [
        role.name
        for game in load_games().values()
        for role in game.roles
        if any(field.default == label for field in role.parameters.model_fields.values())
    ]
    return roles[0] if len(roles) == 1 else "both"
