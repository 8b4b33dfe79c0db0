"""A game of PacMan as RViz shows it, and its ghosts as Nav2's costmaps take obstacles."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from geometry_msgs.msg import Point
from rclpy.duration import Duration
from sensor_msgs.msg import PointCloud2, PointField
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from arena_trees.games.pacman.messages import GhostView, PacmanGame, Pellet

__all__ = ["CLOUD_RADIUS", "cloud_message", "ghost_markers", "ghost_points", "pellet_markers"]

CLOUD_RADIUS = 0.05
"""m; document 002's: a ghost is nine points, one in its middle and eight around it."""
_CLOUD_HEIGHT = 0.25
"""m; the document's."""

_YELLOW = (1.0, 0.85, 0.1)
_WHITE = (1.0, 1.0, 1.0)
_BLUE = (0.15, 0.25, 1.0)
_COLOURS = ((1.0, 0.6, 0.1), (1.0, 0.1, 0.1), (1.0, 0.5, 0.8), (0.1, 0.9, 0.9))
"""Of ghosts, in turn; the first is Clyde's."""
_PELLET, _POWER_PELLET = 0.12, 0.28
_GHOST, _GHOST_HEIGHT = 0.35, 0.35
_LETTERS = 0.2
_LIFETIME = Duration(seconds=1.0)
"""A ghost of which nothing more is heard disappears."""

Spot = tuple[float, float]


def pellet_markers(spawned: Iterable[Pellet], left: Iterable[int], stamp: Any) -> Any:
    """Return a ``visualization_msgs/MarkerArray`` in the map frame that is right for whoever sees no other.

    A marker's id is the pellet's number, which is written above it; one that is gone is deleted.

    Args:
        spawned: all pellets of the round
        left: numbers of those that are left
        stamp: ``builtin_interfaces/Time`` of the markers
    """
    there = set(left)
    markers = []
    for pellet in spawned:
        action = Marker.ADD if pellet.id in there else Marker.DELETE
        size = _POWER_PELLET if pellet.power else _PELLET
        ball = _marker("pellets", pellet.id, Marker.SPHERE, (pellet.x, pellet.y, size / 2), _YELLOW, stamp)
        ball.scale.x = ball.scale.y = ball.scale.z = size
        number = _text("pellet numbers", pellet.id, (pellet.x, pellet.y, size + _LETTERS), str(pellet.id), stamp)
        ball.action = number.action = action
        markers += [ball, number]
    return MarkerArray(markers=markers)


def ghost_markers(game: PacmanGame, stamp: Any) -> Any:
    """Return the ghosts with their names, and phase, round, score and lives as text at the robot's home."""
    markers = []
    for number, ghost in enumerate(game.ghosts):
        colour = _BLUE if ghost.frightened else _COLOURS[number % len(_COLOURS)]
        place = (ghost.x, ghost.y, _GHOST_HEIGHT / 2)
        body = _marker("ghosts", number, Marker.CYLINDER, place, colour, stamp)
        body.scale.x = body.scale.y = _GHOST
        body.scale.z = _GHOST_HEIGHT
        name = _text("ghost names", number, (ghost.x, ghost.y, _GHOST_HEIGHT + _LETTERS), ghost.name, stamp)
        body.lifetime = name.lifetime = _LIFETIME.to_msg()
        markers += [body, name]
    home = (0.0, 0.0) if game.home is None else (game.home.x, game.home.y)
    lives = "1 life" if game.lives == 1 else f"{game.lives} lives"
    words = f"{game.phase.value}\nround {game.round}  score {game.score}  {lives}"
    return MarkerArray(markers=[*markers, _text("score", 0, (*home, 1.0), words, stamp)])


def ghost_points(ghosts: Sequence[GhostView]) -> list[Spot]:
    """Return nine points (x, y; map frame, m) for each ghost that can do harm."""
    around = [(CLOUD_RADIUS * math.cos(angle), CLOUD_RADIUS * math.sin(angle)) for angle in np.arange(8) * math.pi / 4]
    ring = [(0.0, 0.0), *around]
    return [(ghost.x + x, ghost.y + y) for ghost in ghosts if not ghost.frightened for x, y in ring]


def cloud_message(points: Sequence[Spot], stamp: Any) -> Any:
    """Return points of the map frame (m) as a ``sensor_msgs/PointCloud2``, at the height of the document's."""
    places = np.empty((len(points), 3), dtype="<f4")
    places[:, :2] = np.asarray(points, dtype=np.float64).reshape(-1, 2)
    places[:, 2] = _CLOUD_HEIGHT
    cloud = PointCloud2(height=1, width=len(points), point_step=12, row_step=12 * len(points), is_dense=True)
    cloud.header.frame_id, cloud.header.stamp = "map", stamp
    cloud.fields = [
        PointField(name=name, offset=4 * place, datatype=PointField.FLOAT32, count=1)
        for place, name in enumerate(("x", "y", "z"))
    ]
    cloud.data = places.tobytes()
    return cloud


def _text(group: str, number: int, place: tuple[float, float, float], words: str, stamp: Any) -> Any:
    marker = _marker(group, number, Marker.TEXT_VIEW_FACING, place, _WHITE, stamp)
    marker.scale.z = _LETTERS
    marker.text = words
    return marker


def _marker(
    group: str,
    number: int,
    kind: int,
    place: tuple[float, float, float],
    colour: tuple[float, float, float],
    stamp: Any,
) -> Any:
    marker = Marker(ns=group, id=number, type=kind)
    marker.header.frame_id, marker.header.stamp = "map", stamp
    marker.pose.position = Point(x=float(place[0]), y=float(place[1]), z=float(place[2]))
    marker.pose.orientation.w = 1.0
    red, green, blue = colour
    marker.color = ColorRGBA(r=red, g=green, b=blue, a=1.0)
    return marker
