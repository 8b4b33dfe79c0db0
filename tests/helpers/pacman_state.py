"""States of a game of PacMan."""

from typing import Any

from arena_trees.games.pacman.messages import PacmanGame, PacmanPhase, Pellet
from arena_trees.robot.geometry import Pose2D

__all__ = ["pacman_state"]


def pacman_state(phase: str = "RUNNING", **changes: Any) -> PacmanGame:
    """Return a state of a game: two pellets, no ghost, home at (-1, 0), but for the changes."""
    values: dict[str, Any] = {
        "phase": PacmanPhase(phase),
        "round": 1,
        "score": 0,
        "lives": 1,
        "spawned": 2,
        "pellets": (Pellet(0, 1.5, 0.0), Pellet(1, 0.0, 1.5)),
        "ghosts": (),
        "home": Pose2D(-1.0, 0.0),
        "pickup_radius": 0.25,
        "death_radius": 0.25,
    }
    return PacmanGame(**{**values, **changes})
