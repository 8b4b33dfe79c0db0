"""Sheets to print before a day in the lab: each trial's floor, a log of the trials, and a form of consent; one PDF."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator
from matplotlib.transforms import Bbox

from arena_trees.experiments.plan import TrialPlan, draw_world
from arena_trees.experiments.plots.shapes import draw_shapes
from arena_trees.robot.geometry import Pose2D
from arena_trees.world.footprint import Solid
from arena_trees.world.layout import Layout
from arena_trees.world.layout_shapes import layout_shapes
from arena_trees.world.palette import robot_colour
from arena_trees.world.printing import write_pages
from arena_trees.world.shapes import corners

__all__ = ["sheets", "write_sheets"]

_A4 = (8.27, 11.69)
"""Inches."""
_ROOM = 0.3
"""Around everything on a map, m."""
_LINES = 20
"""Trials on a page of the log."""
_LOG = ("trial", "seed", "time", "arm", "boxes", "who carried", "what was seen that no sensor sees", "picture")
_WIDTHS = (0.06, 0.07, 0.08, 0.08, 0.07, 0.14, 0.40, 0.10)
_MOST_NAMES = 10
"""Things whose names are on a map; of more, such as the parts of a wall, none has room."""
_MOST_LINES = 20
"""Lines under a map."""
_ARROW = 0.45
"""Length of a robot's arrow, m."""


def write_sheets(plan: TrialPlan, scenario: str, consent: str, path: Path) -> int:
    """Write the PDF, of A4; the same bytes each time.

    Args:
        plan: of the trials
        scenario: its name
        consent: text of the form; its first line is the heading, paragraphs are apart by an empty line
        path: of the file

    Returns:
        How many pages there are.

    Raises:
        ConfigError: a trial's world cannot be drawn, or the file not be written
    """
    return write_pages(path, f"Trials of {scenario}", sheets(plan, scenario, consent))


def sheets(plan: TrialPlan, scenario: str, consent: str) -> Iterator[Figure]:
    """Yield the pages: a map of each trial, the log, and the form of consent; arguments as :func:`write_sheets`.

    Raises:
        ConfigError: a trial's world cannot be drawn
    """
    for index in range(plan.scenario.trials):
        world = draw_world(plan, index)
        starts = {spec.name: spec.start for spec in world.specs}
        title = f"{scenario}, trial {index + 1} of {plan.scenario.trials}, seed {plan.scenario.seed + index}"
        walls = {wall.name for wall in plan.arena.walls}
        things = [solid for solid in world.layout.solids if solid.name not in walls]
        yield _floor(title, world.layout, things, starts)
    for first in range(0, plan.scenario.trials, _LINES):
        yield _log(scenario, plan, range(first, min(first + _LINES, plan.scenario.trials)))
    yield _form(consent)


def _floor(title: str, layout: Layout, things: Sequence[Solid], starts: Mapping[str, Pose2D]) -> Figure:
    """Return a map of the floor, and under it where robots and what is no wall of the room stand."""
    figure = Figure(figsize=_A4)
    figure.suptitle(title, y=0.96, fontsize=13)
    axes = figure.add_axes((0.09, 0.40, 0.86, 0.52))
    colours = {name: robot_colour(number) for number, name in enumerate(starts)}
    shapes = layout_shapes(layout, colours)
    points = np.array([*corners(shapes), *((pose.x, pose.y) for pose in starts.values())], dtype=np.float64)
    low, high = points.min(axis=0) - _ROOM, points.max(axis=0) + _ROOM
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal", xlabel="x, m", ylabel="y, m")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MultipleLocator(0.5 if (high - low).max() < 8.0 else 1.0))
    axes.grid(alpha=0.4)
    figure.draw_without_rendering()
    draw_shapes(axes, shapes)
    for name, pose in starts.items():
        _arrow(axes, name, pose, colours[name])
    for thing in things if len(things) <= _MOST_NAMES else ():
        axes.text(thing.pose.x, thing.pose.y, thing.name, ha="center", va="center", fontsize=8, zorder=7)
    lines = [*_robot_lines(starts), "", *_thing_lines(things)]
    # What a page has no room for is on the map alone.
    more = [] if len(lines) <= _MOST_LINES else [f"  and {len(lines) - _MOST_LINES} more, on the map alone"]
    figure.text(0.09, 0.35, "\n".join([*lines[:_MOST_LINES], *more]), va="top", fontsize=9, family="monospace")
    return figure


def _arrow(axes: Axes, name: str, pose: Pose2D, colour: str) -> None:
    """Draw where a robot stands: a cross at its middle, an arrow to its front, and its name."""
    tip = pose.compose(Pose2D(_ARROW, 0.0))
    axes.annotate(
        "",
        (tip.x, tip.y),
        (pose.x, pose.y),
        arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": 2.0, "shrinkA": 0.0, "shrinkB": 0.0},
        zorder=6,
    )
    axes.plot(pose.x, pose.y, marker="+", markersize=14, markeredgewidth=2.0, color=colour, zorder=6)
    # Where the arrow is not.
    aside = 14.0 if math.sin(pose.yaw) < -0.1 else -14.0
    axes.annotate(
        name,
        (pose.x, pose.y),
        (0.0, aside),
        textcoords="offset points",
        ha="center",
        va="center",
        color=colour,
        fontweight="bold",
        zorder=7,
    )


def _robot_lines(starts: Mapping[str, Pose2D]) -> list[str]:
    lines = ["robots: middle, and heading from x counter-clockwise"]
    return lines + [
        f"  {name:<26} x {pose.x:+6.2f} m   y {pose.y:+6.2f} m   heading {math.degrees(pose.yaw):+5.0f} deg"
        for name, pose in starts.items()
    ]


def _thing_lines(things: Sequence[Solid]) -> list[str]:
    if not things:
        return []
    return ["on the floor: middle, length x width x height, and direction of the length"] + [
        f"  {one.name:<26} x {one.pose.x:+6.2f} m   y {one.pose.y:+6.2f} m   "
        f"{one.length:.2f} x {one.width:.2f} x {one.height:.2f} m   {math.degrees(one.pose.yaw):+5.0f} deg"
        for one in things
    ]


def _log(scenario: str, plan: TrialPlan, trials: range) -> Figure:
    figure = Figure(figsize=_A4[::-1])
    figure.suptitle(f"Log of {scenario}        date ______________    place ______________________", y=0.95)
    axes = figure.add_axes((0.04, 0.04, 0.92, 0.86))
    axes.axis("off")
    cells = [[str(index + 1), str(plan.scenario.seed + index), *[""] * (len(_LOG) - 2)] for index in trials]
    cells += [[""] * len(_LOG)] * (_LINES - len(cells))
    table = axes.table(cells, colLabels=_LOG, colWidths=_WIDTHS, cellLoc="left", bbox=Bbox.unit())
    table.auto_set_font_size(False)
    table.set_fontsize(8)
    return figure


def _form(consent: str) -> Figure:
    figure = Figure(figsize=_A4)
    heading, *paragraphs = [one.strip() for one in consent.strip().split("\n\n")]
    figure.text(0.1, 0.93, heading, fontsize=14, fontweight="bold", va="top")
    lines = [line for one in paragraphs for line in (*textwrap.wrap(" ".join(one.split("\n")), 84), "", "")]
    figure.text(0.1, 0.87, "\n".join(lines), fontsize=10.5, va="top", linespacing=1.5)
    return figure
