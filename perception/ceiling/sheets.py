"""The tags of floor and robots to print, in true size: one PDF."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import shapely

from arena_trees.perception.ceiling.parameters import CeilingParameters, FloorTag, RobotTag, tag_corners
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D
from arena_trees.world.markers import TAG_CELLS, marker_cells, tag_dictionary
from arena_trees.world.printing import PAPERS, RIM, draw_marker, draw_scale_bar, make_page, write_pages

__all__ = ["tag_pages", "write_tags"]

_RIMMED = (TAG_CELLS + 2.0) / TAG_CELLS
"""Side of a tag with its white rim, in sides of its black square."""

_LINE = 0.0045
_NOTE = (0.2, 0.034)
"""Width and height of what is written on a page, the bar to measure included, m."""


def write_tags(parameters: CeilingParameters, paper: str, path: Path) -> int:
    """Write the PDF: the floor's tags, then those of the robots; the same bytes each time.

    The floor's tags are on one sheet of the paper if they fit there as far apart as they shall lie, its middle at their
    origin; otherwise each has a page of its own, as small as holds it, as each robot's tag has.

    Args:
        parameters: the tags
        paper: one of :data:`~arena_trees.world.printing.PAPERS`
        path: of the file

    Returns:
        How many pages there are.

    Raises:
        ConfigError: there is no such paper, no tag, or a tag is larger than any paper
    """
    if paper not in PAPERS:
        raise ConfigError(f"must be one of {', '.join(PAPERS)}", key="--paper", value=paper)
    if not parameters.floor and not parameters.robots:
        raise ConfigError("there is no tag to print", key="floor")
    return write_pages(path, "Tags of Arena Trees", tag_pages(parameters, paper))


def tag_pages(parameters: CeilingParameters, paper: str) -> Iterator[Any]:
    """Yield the pages as figures of Matplotlib, for one of :data:`~arena_trees.world.printing.PAPERS`."""
    size = _sheet_size(parameters.floor, PAPERS[paper])
    if size is not None:
        yield _sheet(parameters.floor, size)
    else:
        for tag in parameters.floor:
            lines = (
                f"tag {tag.number} of the floor, {1000.0 * tag.size:.0f} mm: "
                f"its middle at x = {tag.x:.3f} m, y = {tag.y:.3f} m",
                f"the arrow looks {tag.yaw_deg:g} deg to the left of x; glue it flat, and measure where it really lies",
            )
            yield _page(tag.number, tag.size, 0.0, "x", lines)
    for name, carried in parameters.robots.items():
        yield _page(carried.number, carried.size, -carried.yaw_deg, "front", _robot_lines(name, carried))


def _robot_lines(name: str, tag: RobotTag) -> tuple[str, ...]:
    return (
        f"tag {tag.number} of {name}, {1000.0 * tag.size:.0f} mm: flat on stiff card, on top, "
        f"{1000.0 * tag.height:.0f} mm above the floor",
        f"its middle {1000.0 * tag.x:.0f} mm before and {1000.0 * tag.y:.0f} mm left of the robot's middle, "
        "the arrow to its front",
    )


def _sheet_size(tags: tuple[FloorTag, ...], paper: tuple[float, float]) -> tuple[float, float] | None:
    """Return width and height (m) of the sheet that holds the tags with its middle at their origin, or None."""
    if len(tags) < 2:
        return None
    for width, height in (paper, paper[::-1]):
        whole = shapely.box(-width / 2.0, -height / 2.0, width / 2.0, height / 2.0)
        rims = all(whole.covers(_square(tag.pose, tag.size * _RIMMED)) for tag in tags)
        if rims and all(whole.buffer(-RIM).covers(_square(tag.pose, tag.size)) for tag in tags):
            return width, height
    return None


def _square(pose: Pose2D, side: float) -> Any:
    return shapely.Polygon(tag_corners(pose, side, 0.0)[:, :2])


def _sheet(tags: tuple[FloorTag, ...], size: tuple[float, float]) -> Any:
    width, height = size
    figure, axes = make_page(size, -width / 2.0, -height / 2.0, width / 2.0, height / 2.0)
    for tag in tags:
        draw_marker(axes, marker_cells(tag_dictionary(), tag.number), tag.size, tag.pose)
    taken = shapely.union_all([_square(tag.pose, tag.size * _RIMMED) for tag in tags])
    lines = (
        f"floor sheet with tags {', '.join(str(tag.number) for tag in tags)}: lay it flat; its middle, the cross, is",
        "the origin of the tags' places, and the arrow looks along x",
    )
    _note(axes, size, taken, lines)
    if not taken.intersects(shapely.box(-0.01, -0.01, 0.05, 0.01)):
        axes.plot([-0.008, 0.008], [0.0, 0.0], color="black", linewidth=0.5)
        axes.plot([0.0, 0.0], [-0.008, 0.008], color="black", linewidth=0.5)
        _arrow(axes, 0.015, 0.0, 0.0, "x")
    return figure


def _page(number: int, size: float, arrow_deg: float, word: str, lines: tuple[str, ...]) -> Any:
    """Return a page with one tag, an arrow that starts from its rim, and what is to be done with it."""
    paper = next((one for one in PAPERS.values() if size <= one[0] - 2.0 * RIM and size * _RIMMED <= one[0]), None)
    if paper is None:
        raise ConfigError("is too large for any paper", key="size", value=size)
    width, height = paper
    figure, axes = make_page(paper, -width / 2.0, -height / 2.0, width / 2.0, height / 2.0)
    draw_marker(axes, marker_cells(tag_dictionary(), number), size)
    rim = size * _RIMMED
    _note(axes, paper, _square(Pose2D(), rim), lines)
    # Above the tag, where there is always room.
    _arrow(axes, 0.0, rim / 2.0 + 0.02, arrow_deg, word)
    return figure


def _arrow(axes: Any, x: float, y: float, angle_deg: float, word: str) -> None:
    """Draw an arrow of 25 mm, or of 25 mm around a place if it is not level, and a word at its tip."""
    angle = math.radians(angle_deg)
    right, up = 0.0125 * math.cos(angle), 0.0125 * math.sin(angle)
    axes.annotate(
        "", (x + 2.0 * right, y + up), (x, y - up), arrowprops={"arrowstyle": "-|>", "color": "black", "linewidth": 1.0}
    )
    axes.text(x + 2.0 * right + 0.004, y + up, word, ha="left", va="center", fontsize=8)


def _note(axes: Any, size: tuple[float, float], taken: Any, lines: tuple[str, ...]) -> None:
    """Write lines and a bar to measure where no tag is, as low on the page as there is room, or nowhere."""
    width, height = min(_NOTE[0], size[0] - 2.0 * RIM), _NOTE[1]
    bottom = -size[1] / 2.0 + RIM
    while bottom + height < size[1] / 2.0 - RIM:
        if not taken.intersects(shapely.box(-width / 2.0, bottom, width / 2.0, bottom + height)):
            for place, line in enumerate(lines):
                axes.text(0.0, bottom + height - 0.004 - _LINE * place, line, ha="center", va="center", fontsize=6)
            draw_scale_bar(axes, 0.0, bottom + 0.012)
            return
        bottom += 0.005
