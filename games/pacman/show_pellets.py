"""``arena-trees pacman pellets``: shows where a map's pellets stand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena_trees.robot.configuration.figure_file import FIGURE_ENDINGS, write_figure
from arena_trees.robot.configuration.output_files import FORCE_HELP, check_ending, place_files
from arena_trees.world.palette import INK, PAPER

if TYPE_CHECKING:
    from arena_trees.games.pacman.arcade.pellet_field import PelletField
    from arena_trees.robot.geometry import Pose2D
    from arena_trees.world.maps.occupancy_map import OccupancyMap

__all__ = ["show_pellets"]

_GOLD = "#f2c230"
_FREE, _GREY, _WALL = (1.0, 1.0, 1.0), (0.82, 0.81, 0.78), (0.13, 0.19, 0.24)


def show_pellets(
    map: Annotated[str, typer.Argument(help="Name of a shipped map, such as flat, or a map_server YAML file.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Picture: .png, .svg or .pdf.")],
    spacing: Annotated[float, typer.Option("--spacing", help="Distance of neighbouring candidates, m.")] = 2.0,
    power: Annotated[int, typer.Option("--power", help="Number of power pellets.")] = 0,
    force: Annotated[bool, typer.Option("--force", help=FORCE_HELP)] = False,
) -> None:
    """Draw a map's pellets."""
    check_ending(output, FIGURE_ENDINGS, "--output")
    from arena_trees.control.navigation.free_space import FreeSpace
    from arena_trees.games.pacman.arcade.pellet_field import PelletField
    from arena_trees.games.pacman.rules import PelletRules
    from arena_trees.robot.errors import ConfigError
    from arena_trees.world.maps.map_files import START_CLEARANCE, find_map, start_pose
    from arena_trees.world.maps.occupancy_map import load_map

    path = find_map(map)
    area = load_map(path)
    start = start_pose(path, area)
    rules = PelletRules().with_changes({"spacing": spacing, "power_pellets": power}, "arguments")
    try:
        field = PelletField(FreeSpace(area, START_CLEARANCE), rules, (start.x, start.y))
    except ConfigError as error:
        raise error.within(path) from error
    (place,) = place_files([output], force)
    _draw(area, field, start, path.stem, place)
    typer.echo(f"{path}: {area.free_area:.1f} m2 free; {field}")
    typer.echo(f"written: {place}")


def _draw(area: OccupancyMap, field: PelletField, start: Pose2D, name: str, output: Path) -> None:
    import numpy as np
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.transforms import Affine2D

    rows, columns = area.shape
    image = np.where(area.free[..., None], _FREE, np.where(area.unknown[..., None], _GREY, _WALL))
    figure = Figure(figsize=(9.0, 9.0), dpi=110, facecolor=PAPER, layout="constrained")
    axes = figure.add_subplot()
    origin = area.origin
    extent = (0.0, columns * area.resolution, 0.0, rows * area.resolution)
    shown = axes.imshow(image, origin="lower", extent=extent, interpolation="nearest")
    shown.set_transform(Affine2D().rotate(origin.yaw).translate(origin.x, origin.y) + axes.transData)
    for x, y in field.dropped:
        axes.plot(x, y, "x", color="#a11d33", markersize=7)
    for pellet, length in zip(field.spawned, field.distances, strict=True):
        axes.plot(pellet.x, pellet.y, "o", color=_GOLD, markeredgecolor=INK, markersize=13 if pellet.power else 8)
        axes.annotate(f"{length:.1f}", (pellet.x, pellet.y), (5, 5), textcoords="offset points", fontsize=8, color=INK)
    axes.plot(start.x, start.y, "*", color="#c8401f", markersize=15)
    # What is not unknown, and half a metre around it.
    seen = area.points(*np.nonzero(~area.unknown))
    low, high = seen.min(axis=0) - 0.5, seen.max(axis=0) + 0.5
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal", facecolor=_GREY)
    axes.set_title(
        f"{name}: {len(field.spawned)} pellets with metres to walk from the start, {len(field.dropped)} dropped"
    )
    axes.set_xlabel("x, m")
    axes.set_ylabel("y, m")
    FigureCanvasAgg(figure)
    write_figure(figure, output)
