"""The arena of a crossing: walls behind its lines, posts with markers, and the picture on its floor."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from arena_trees.games.crossroads.layout.floor import CrossingFloor, FloorParameters, Marker, WallPlace
from arena_trees.games.crossroads.layout.plan import CrossingParameters
from arena_trees.robot.configuration.parameters import parameter
from arena_trees.world.arena_file import ArenaFile
from arena_trees.world.decor import Decor, Panel
from arena_trees.world.footprint import Solid
from arena_trees.world.sections import ArenaSection

if TYPE_CHECKING:
    from arena_trees.world.textures import Picture

__all__ = ["SECTION", "CrossingArena", "crossing_of"]

_KEY = "crossing"

_TEXTURE = 2048
"""Side of the floor's texture of one crossing, px: 3 mm a pixel where an arm reaches 3 m."""

_LARGEST_TEXTURE = 8192

_MARKER = 192
_POST_RISE = 0.02
"""By how much a post stands higher than its marker's card, m."""

_FACE = 0.004
"""Markers hang this far before their posts, m: farther out than the paper that posts are covered with."""


class CrossingArena(ArenaSection):
    """A crossing, or several in a row, as an arena has them, around the map's origin."""

    plan: CrossingParameters = parameter(CrossingParameters(), "the crossing")
    floor: FloorParameters = parameter(FloorParameters(), "lines, walls and markers")

    def geometry(self) -> CrossingFloor:
        """Return the crossing's floor.

        Raises:
            ConfigError: there is no such crossing
        """
        return CrossingFloor(self.plan, self.floor)

    def solids(self) -> tuple[Solid, ...]:
        """Return the walls, and the posts that carry markers.

        Raises:
            ConfigError: there is no such crossing
        """
        geometry, p = self.geometry(), self.floor
        walls = (
            Solid.wall(_wall(wall), wall.start, wall.end, p.wall_thickness, p.wall_height, "normal")
            for wall in geometry.walls
        )
        return (*walls, *(_post(marker) for marker in geometry.markers))

    def loose(self) -> tuple[tuple[str, ...], ...]:
        """Return each wall by itself; posts stay, for markers hang on them."""
        return tuple((_wall(wall),) for wall in self.geometry().walls)

    def decor(self) -> Decor:
        """Return the picture of the floor, and the markers."""
        return _decor(self)


SECTION = CrossingArena
"""What ``crossing:`` of an arena file holds."""


def crossing_of(arena: ArenaFile) -> CrossingArena | None:
    """Return an arena's crossing, or None."""
    section = arena.sections.get(_KEY)
    return section if isinstance(section, CrossingArena) else None


@lru_cache(maxsize=4)
def _decor(arena: CrossingArena) -> Decor:
    # Drawing needs OpenCV, and a velocity gate reads arena files too.
    from arena_trees.games.crossroads.layout.picture import draw_floor, draw_marker

    geometry = arena.geometry()
    side = 2.0 * geometry.half
    pixels = min(_TEXTURE * arena.plan.crossings, _LARGEST_TEXTURE)
    floor = draw_floor(geometry, side / pixels)
    floor.setflags(write=False)
    return Decor(floor, side, tuple(_panel(marker, draw_marker(marker.number, _MARKER)) for marker in geometry.markers))


def _wall(wall: WallPlace) -> str:
    return f"crossing_{wall.name}"


def _post(marker: Marker) -> Solid:
    top = marker.height + marker.post_side / 2 + _POST_RISE
    return Solid(f"crossing_post_{marker.lane.identifier}", marker.post, marker.post_side, marker.post_side, top)


def _panel(marker: Marker, picture: Picture) -> Panel:
    side = marker.size * picture.shape[0] / _MARKER
    place = marker.pose.compose(type(marker.pose)(_FACE))
    return Panel(f"marker_{marker.number}", place, marker.height, (side, side), picture)
