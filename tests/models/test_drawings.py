"""The signs' drawings: the committed files are those of the code, and the signs are apart when small."""

from itertools import combinations
from pathlib import Path
from runpy import run_path

import cv2
import numpy as np
import pytest

from arena_trees.models.training.drawings import DRAWINGS, LABELS, MARGIN, raster
from arena_trees.robot.configuration.resources import resource_path

MAKER = run_path(str(Path(__file__).parents[2] / "scripts" / "make_signs.py"))
svg, write_drawings = MAKER["svg"], MAKER["write_drawings"]


def test_every_class_has_its_drawing():
    assert tuple(drawing.label for drawing in DRAWINGS) == LABELS
    points = np.array([point for drawing in DRAWINGS for shape in drawing.shapes for point in shape.points])
    assert points.min() == 0.0
    assert points.max() == 1.0


@pytest.mark.parametrize("light", [0.4, 1.0])
@pytest.mark.parametrize("pair", list(combinations(DRAWINGS, 2)), ids=lambda pair: f"{pair[0].label}-{pair[1].label}")
def test_signs_are_apart_at_15_px(pair, light):
    one, other = (raster(drawing, 15).astype(float) * light for drawing in pair)
    # A fifth of the full range, mean over pixels and colours, in full light: many times a camera's noise.
    assert np.abs(one - other).mean() > 0.15 * 255.0 * light
    # And within the frame, where the frame's colour does not help.
    inner = slice(3, 12)
    assert np.abs(one[inner, inner] - other[inner, inner]).mean() > 0.15 * 255.0 * light
    # And without colour.
    greys = [image[inner, inner].mean(axis=2) for image in (one, other)]
    assert np.abs(greys[0] - greys[1]).mean() > 0.08 * 255.0 * light


def test_raster_has_the_frame_where_the_description_says():
    for drawing in DRAWINGS:
        image = raster(drawing, 210)
        rim = round(MARGIN * 210)
        assert (image[: rim - 1] == 255).all()
        assert (image[rim + 1, rim + 1 : 210 - rim - 1] == image[rim + 1, rim + 1]).all()
        assert not (image[rim + 1, rim + 1] == 255).all()


def test_committed_drawings_are_those_of_the_code_and_the_pdf_has_a_sheet_of_a4_for_each(tmp_path):
    write_drawings(tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {*(f"{label}.{kind}" for label in LABELS for kind in ("svg", "png")), "signs.pdf"}
    for label, drawing in zip(LABELS, DRAWINGS, strict=True):
        committed = resource_path("models", "signs", f"{label}.png")
        assert resource_path("models", "signs", f"{label}.svg").read_text(encoding="utf-8") == svg(drawing)
        assert np.array_equal(cv2.imread(str(committed)), cv2.imread(str(tmp_path / f"{label}.png")))
    content = (tmp_path / "signs.pdf").read_bytes()
    # 210 x 297 mm in points.
    assert content.count(b"/MediaBox [ 0 0 595.2755905512 841.8897637795 ]") == len(DRAWINGS)
