"""What the picture of a whole trial of PacMan shows: who went where, and what was collected when."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from arena_trees.games.figures import TIME, Chart, Curve, Mark, VerticalLine
from arena_trees.games.pacman.events import GameEvent, GameSnapshot, PacmanEvent
from arena_trees.games.pacman.messages import GhostView, Pellet
from arena_trees.games.pacman.shapes import GHOST_RADIUS, ghost_colour, pellet_radius
from arena_trees.robot.clock import from_seconds, to_seconds
from arena_trees.world.shapes import Disc, Layer, Path, Shape, Text

__all__ = ["TrialDetails"]

_EVERY = from_seconds(0.1)
"""Between two points of a ghost's way, ns."""
_MOST_LABELS = 24
"""More pellets than these are not numbered along the time."""
_RED = "#c8401f"
_YELLOW = "#ffd91a"
_RIM = "#22303c"
_WAY, _DASH = 0.02, 0.05
"""m; dashed, so that nobody takes a ghost's trail for the robot's."""
_NAME = 0.22
"""Height of a ghost's name, m."""
_NUMBERED = 0.13
"""Radius of a pellet that bears a number, m."""


class TrialDetails:
    """Collects the ways of the ghosts from the instant on at which the game first ran, and what happened.

    Attributes:
        collected: instant (ns) and number of each scored pellet, in order
        deaths: declared deaths
    """

    def __init__(self) -> None:
        self.collected: list[tuple[int, int]] = []
        self.deaths = 0
        self._died: list[Mark] = []
        self._paths: dict[str, list[tuple[float, float, float]]] = {}
        self._distances: dict[str, list[tuple[float, float]]] = {}
        self._last: tuple[GhostView, ...] = ()
        self._noted: int | None = None
        self._now = 0

    def note(self, glance: GameSnapshot, events: Sequence[GameEvent], begun: bool) -> None:
        """Note an instant.

        Args:
            glance: of the instant
            events: that happened since the one before
            begun: whether the game has run
        """
        self._now = glance.now
        for event in events:
            if event.pellet is not None:
                self.collected.append((event.now, event.pellet))
            elif event.event is PacmanEvent.DEATH:
                self.deaths += 1
                if glance.robot is not None:
                    self._died.append(Mark(to_seconds(glance.now), *glance.robot, "died", _RED))
        if begun and (self._noted is None or glance.now - self._noted >= _EVERY):
            self._noted = glance.now
            self._sample(glance)

    def marks(self) -> Sequence[Mark]:
        """Return the deaths."""
        return self._died

    def charts(self) -> Sequence[Chart]:
        """Return how near the ghosts were, and when the pellets were collected."""
        curves = []
        for number, (name, path) in enumerate(self._distances.items()):
            times, gaps = tuple(now for now, _ in path), tuple(gap for _, gap in path)
            curves.append(Curve(name, times, gaps, ghost_colour(name, number)))
        labelled = len(self.collected) <= _MOST_LABELS
        moments = tuple(
            VerticalLine(to_seconds(now), str(place) if labelled else "", "#e0b000")
            for place, (now, _) in enumerate(self.collected, 1)
        )
        times = (0.0, *(to_seconds(now) for now, _ in self.collected), to_seconds(self._now))
        eaten = Curve("", times, (*range(len(times) - 1), len(self.collected)))
        return (
            Chart("Distance to each ghost, m, and the pellets", TIME, "", tuple(curves), moments=moments),
            Chart("Pellets collected", TIME, "", (eaten,), "step", all_trials=True),
        )

    def shapes(self, pellets: Mapping[int, Pellet]) -> Sequence[Shape]:
        """Return all pellets of the round, numbered in the order of their collection, and the ghosts' trails."""
        order = {number: place for place, (_, number) in enumerate(self.collected, 1)}
        shapes: list[Shape] = []
        for pellet in pellets.values():
            shapes += _pellet(pellet, order.get(pellet.id))
        for number, ghost in enumerate(self._last):
            path = tuple((x, y) for _, x, y in self._paths.get(ghost.name, ()))
            colour = ghost_colour(ghost.name, number)
            shapes.append(
                Path(path, colour, _WAY, _DASH, fading=True, layer=Layer.FLOOR + 1, group="ghosts", name=ghost.name)
            )
            shapes.append(Disc(ghost.x, ghost.y, GHOST_RADIUS, colour, _RIM, 0.015, layer=Layer.ROBOTS, group="ghosts"))
            above = ghost.y + GHOST_RADIUS + _NAME / 2.0
            shapes.append(Text(ghost.x, above, ghost.name, _NAME, halo="#ffffff", bold=True, group="ghosts"))
        return shapes

    def _sample(self, glance: GameSnapshot) -> None:
        now = to_seconds(glance.now)
        self._last = glance.game.ghosts
        for ghost in glance.game.ghosts:
            self._paths.setdefault(ghost.name, []).append((now, ghost.x, ghost.y))
            if glance.robot is not None:
                gap = math.hypot(ghost.x - glance.robot[0], ghost.y - glance.robot[1])
                self._distances.setdefault(ghost.name, []).append((now, gap))


def _pellet(pellet: Pellet, place: int | None) -> list[Shape]:
    """Return a pellet, filled and numbered where it was collected in some place of the order."""
    radius = pellet_radius(pellet)
    if place is None:
        return [Disc(pellet.x, pellet.y, radius, None, _RIM, 0.015, group="pellets")]
    radius = max(radius, _NUMBERED)
    # Above the robot, which ends upon its last pellet.
    return [
        Disc(pellet.x, pellet.y, radius, _YELLOW, _RIM, 0.01, layer=Layer.ROBOTS + 1, group="pellets"),
        Text(pellet.x, pellet.y, str(place), 0.14, _RIM, bold=True, group="pellets"),
    ]
