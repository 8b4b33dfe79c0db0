"""A contact sheet of what a detector found and missed: one picture for people to look at."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from arena_trees.perception.image import Rgb
from arena_trees.perception.signs.coco_scores import BoxMatches
from arena_trees.perception.signs.yolo_dataset import read_image
from arena_trees.robot.configuration.files import write_atomically

__all__ = ["draw_contact_sheet"]

_TILE = 250
_COLUMNS = 8
_MOST_TILES = 64
_FAULTS = 40
"""Tiles at most for images with faults; the others show hits."""

_HIT, _FALSE, _MISSED = (40, 220, 40), (255, 140, 0), (255, 40, 40)


def draw_contact_sheet(images: Sequence[Path], outcomes: Sequence[BoxMatches], file: Path) -> None:
    """Write a contact sheet: images with faults first, the worst before; then images with hits only.

    Green boxes were found, orange ones are false, and red ones were missed.

    Args:
        images: files of the images
        outcomes: what became of the boxes of each
        file: PNG to write

    Raises:
        ConfigError: the file cannot be written
    """
    faults = [index for index, outcome in enumerate(outcomes) if outcome.false or outcome.missed]
    faults.sort(key=lambda index: -len(outcomes[index].false) - len(outcomes[index].missed))
    hits = [index for index, outcome in enumerate(outcomes) if outcome.hits and not outcome.false + outcome.missed]
    chosen = faults[:_FAULTS]
    shown = min(_MOST_TILES - len(chosen), len(hits))
    # Evenly through the dataset.
    chosen += [hits[index * len(hits) // shown] for index in range(shown)]
    tiles = [_tile(read_image(images[index]), outcomes[index]) for index in chosen]
    tiles += [np.zeros((_TILE, _TILE, 3), np.uint8)] * (-len(tiles) % _COLUMNS if tiles else _COLUMNS)
    rows = [np.hstack(tiles[start : start + _COLUMNS]) for start in range(0, len(tiles), _COLUMNS)]
    code = cv2.imencode(".png", np.vstack(rows)[..., ::-1])[1].tobytes()
    write_atomically(file, lambda stream: stream.write(code))


def _tile(image: Rgb, outcome: BoxMatches) -> Rgb:
    """Return an image scaled into a tile, with its boxes."""
    scale = _TILE / max(image.shape[:2])
    height, width = (max(1, round(side * scale)) for side in image.shape[:2])
    tile = np.zeros((_TILE, _TILE, 3), np.uint8)
    tile[:height, :width] = cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA)
    drawn = [(box.edges, _MISSED, box.label) for box in outcome.missed]
    for colour, boxes in ((_FALSE, outcome.false), (_HIT, outcome.hits)):
        drawn += [(box.edges, colour, f"{box.label} {box.confidence:.2f}") for box in boxes]
    for edges, colour, text in drawn:
        left, top, right, bottom = (round(edge * scale) for edge in edges)
        cv2.rectangle(tile, (left, top), (right - 1, bottom - 1), colour, 1)
        place = (max(0, left), top - 3 if top > 12 else min(_TILE - 4, bottom + 11))
        cv2.putText(tile, text, place, cv2.FONT_HERSHEY_SIMPLEX, 0.33, colour, 1)
    return tile
