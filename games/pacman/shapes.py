"""What is drawn of a game of PacMan from above: pellets, ghosts and the score."""

from __future__ import annotations

from arena_trees.games.pacman.messages import GhostView, PacmanGame, Pellet
from arena_trees.world.shapes import Disc, Layer, Shape, Text

__all__ = ["GHOST_RADIUS", "game_shapes", "ghost_colour", "ghost_shapes", "pellet_radius"]

GHOST_RADIUS = 0.175
"""m."""
_GHOST_HEIGHT = 0.35
_PELLET, _POWER_PELLET = 0.06, 0.14
"""Radii, m."""
_YELLOW = "#ffd91a"
_RIM = "#22303c"
_BLUE = "#2640ff"
_NAMED = {"blinky": "#ff1a1a", "pinky": "#ff80cc", "inky": "#1ac8c8", "clyde": "#ff991a"}
"""As in the arcade."""
_OTHERS = ("#8a5ac8", "#3c7a2b", "#8c6a46", "#6e7f8d")
"""Of ghosts with other names, in turn."""
_LETTERS = 0.2
_NUMBERS = 0.14


def game_shapes(game: PacmanGame) -> list[Shape]:
    """Return the pellets that are left with their numbers, the ghosts with their names, and the score at home."""
    shapes: list[Shape] = []
    for pellet in game.pellets:
        shapes += pellet_shapes(pellet, str(pellet.id))
    for number, ghost in enumerate(game.ghosts):
        shapes += ghost_shapes(number, ghost)
    home = (0.0, 0.0) if game.home is None else (game.home.x, game.home.y)
    lives = "1 life" if game.lives == 1 else f"{game.lives} lives"
    words = f"{game.phase.value}\nround {game.round}  score {game.score}  {lives}"
    return [*shapes, Text(*home, words, _LETTERS, halo="#ffffff", height=1.0, group="score")]


def pellet_radius(pellet: Pellet) -> float:
    """Return with which radius (m) a pellet is drawn."""
    return _POWER_PELLET if pellet.power else _PELLET


def pellet_shapes(pellet: Pellet, label: str) -> list[Shape]:
    """Return a pellet that is left, and its label next to it."""
    radius = pellet_radius(pellet)
    offset = radius + _NUMBERS / 2.0
    return [
        Disc(pellet.x, pellet.y, radius, _YELLOW, _RIM, 0.01, height=2.0 * radius, group="pellets"),
        Text(
            pellet.x + offset,
            pellet.y + offset,
            label,
            _NUMBERS,
            halo="#ffffff",
            height=2.0 * radius + _LETTERS,
            group="pellets",
        ),
    ]


def ghost_colour(name: str, number: int) -> str:
    """Return the colour of a ghost, ``#rrggbb``: its own by its name, else one by its number, counted from 0."""
    return _NAMED.get(name.lower(), _OTHERS[number % len(_OTHERS)])


def ghost_shapes(number: int, ghost: GhostView) -> list[Shape]:
    """Return a ghost and its name; where the name gives no colour, the number does."""
    colour = _BLUE if ghost.frightened else ghost_colour(ghost.name, number)
    above = ghost.y + GHOST_RADIUS + _LETTERS / 2.0
    return [
        Disc(
            ghost.x,
            ghost.y,
            GHOST_RADIUS,
            colour,
            _RIM,
            0.015,
            height=_GHOST_HEIGHT,
            layer=Layer.ROBOTS,
            group="ghosts",
        ),
        Text(ghost.x, above, ghost.name, _LETTERS, halo="#ffffff", height=_GHOST_HEIGHT + _LETTERS, group="ghosts"),
    ]
