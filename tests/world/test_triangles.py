"""Triangles cover a polygon, and nothing else."""

import math

import pytest
import shapely

from arena_trees.world.triangles import triangles

STAR = [(r * math.cos(k * math.pi / 5), r * math.sin(k * math.pi / 5)) for k, r in enumerate([1.0, 0.4] * 5)]
COMB = [(0, 0), (7, 0), (7, 3), (6, 3), (6, 1), (5, 1), (5, 3), (4, 3), (4, 1), (1, 1), (1, 2), (0, 2)]
MIDWAY = [(0, 0), (1, 0), (2, 0), (2, 1), (0, 1)]


@pytest.mark.parametrize("points", [STAR, STAR[::-1], COMB, MIDWAY, [(0, 0), (1, 0), (0, 1)]])
def test_they_cover_the_polygon(points):
    parts = [shapely.Polygon(part) for part in triangles(points)]
    area = shapely.Polygon(points)
    assert sum(part.area for part in parts) == pytest.approx(area.area)
    assert shapely.union_all(parts).symmetric_difference(area).area == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("points", [[], [(0, 0), (1, 1)], [(0, 0), (1, 1), (2, 2)], [(0, 0), (1, 1), (1, 0), (0, 1)]])
def test_what_has_no_inside_has_none(points):
    assert triangles(points) == []
