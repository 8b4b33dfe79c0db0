"""What happens in a game of PacMan, as events, and how events are derived from two states of the game."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from arena_trees.games.pacman.arcade.sweep import first_touch
from arena_trees.games.pacman.messages import GhostView, PacmanGame, PacmanPhase, Pellet

__all__ = ["GameEvent", "GameSnapshot", "PacmanEvent", "find_events"]

Point = tuple[float, float]


class PacmanEvent(enum.Enum):
    """What can happen in a game: the events of the PacMan report, algorithm 6."""

    START_THEATRICAL = "START_THEATRICAL"
    PELLET = "PELLET"
    POWER_PELLET = "POWER_PELLET"
    DEATH = "DEATH"
    GAME_OVER = "GAME_OVER"
    WIN = "WIN"
    RESET = "RESET"
    OUT_OF_REACH = "OUT_OF_REACH"
    """The robot tried to get to a pellet and could not; no event of the document's."""


@dataclass(frozen=True, slots=True)
class GameEvent:
    """One thing that happened.

    Attributes:
        event: what
        now: instant, ns; between two steps where two things touched there
        round: in which round
        pellet: number of the pellet that was collected, or is out of reach, or None
        ghost: name of the ghost that caught the robot, or None
    """

    event: PacmanEvent
    now: int
    round: int
    pellet: int | None = None
    ghost: str | None = None


@dataclass(frozen=True, slots=True)
class GameSnapshot:
    """A game and its robot at an instant.

    Attributes:
        now: the instant, ns
        game: how it stands
        robot: true place of the robot's centre, map frame, m; None where nobody knows
    """

    now: int
    game: PacmanGame
    robot: Point | None


def find_events(before: GameSnapshot | None, after: GameSnapshot) -> list[GameEvent]:
    """Return what happened between two glances, in the order of time: as far as states tell.

    That is all but GAME_OVER, RESET and OUT_OF_REACH.
    A pellet is collected where it is gone and the score has risen. Touches are dated to the instant at which the robot
    on its straight way came near, and to the later glance where it did not, or where the game was not RUNNING before.
    """
    phase, was = after.game.phase, None if before is None else before.game.phase
    found = _pickups(before, after)
    if phase is PacmanPhase.COMPLETE and was is not phase:
        won = found[-1].now if found else after.now
        found.append(GameEvent(PacmanEvent.WIN, won, after.game.round))
    elif phase is PacmanPhase.DYING and was is not phase:
        found.append(_death(before, after))
    elif phase is PacmanPhase.STARTING and was is not phase:
        found.append(GameEvent(PacmanEvent.START_THEATRICAL, after.now, after.game.round))
    return found


def _pickups(before: GameSnapshot | None, after: GameSnapshot) -> list[GameEvent]:
    if before is None or after.game.score <= before.game.score:
        return []
    left = {pellet.id for pellet in after.game.pellets}
    found = []
    for pellet in before.game.pellets:
        if pellet.id not in left:
            kind = PacmanEvent.POWER_PELLET if pellet.power else PacmanEvent.PELLET
            touched = _touched(before, after, pellet, pellet, after.game.pickup_radius)
            now = after.now if touched is None else touched
            found.append(GameEvent(kind, now, after.game.round, pellet=pellet.id))
    return sorted(found, key=lambda event: event.now)


def _death(before: GameSnapshot | None, after: GameSnapshot) -> GameEvent:
    """Return the death by the ghost that the robot met first."""
    caught, by = after.now, None
    for ghost in after.game.ghosts:
        old = None if before is None else next((old for old in before.game.ghosts if old.name == ghost.name), None)
        if before is None or old is None or ghost.frightened:
            continue
        touched = _touched(before, after, old, ghost, after.game.death_radius)
        if touched is not None and (by is None or touched < caught):
            caught, by = touched, ghost.name
    return GameEvent(PacmanEvent.DEATH, caught, after.game.round, ghost=by)


def _touched(
    before: GameSnapshot, after: GameSnapshot, old: Pellet | GhostView, new: Pellet | GhostView, radius: float
) -> int | None:
    """Return when (ns) the robot first came within a radius (m) of something that moved from one place to another."""
    if after.robot is None:
        return None
    if before.robot is None or before.game.phase is not PacmanPhase.RUNNING:
        begun, robot, old = after.now, after.robot, new
    else:
        begun, robot = before.now, before.robot
    share = first_touch((robot[0] - old.x, robot[1] - old.y), (after.robot[0] - new.x, after.robot[1] - new.y), radius)
    return None if share is None else begun + round(share * (after.now - begun))
