"""The game controller: the rules of PacMan as whoever hosts a game's rules wants them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from arena_trees.games.game import Rules
from arena_trees.games.pacman.controller import PacmanController
from arena_trees.games.pacman.events import PacmanEvent
from arena_trees.games.pacman.messages import PacmanGame, PacmanPhase, PacmanStatus, PacmanUnreached, name_pellets
from arena_trees.games.pacman.rules import PacmanRules
from arena_trees.games.truth import End, Truth
from arena_trees.robot.errors import ArenaTreesError
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.messaging.inbox import Inbox
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.world.maps.map_files import START_CLEARANCE
from arena_trees.world.maps.occupancy_map import OccupancyMap

__all__ = ["GameController"]

_ENDS = (PacmanEvent.WIN, PacmanEvent.DEATH, PacmanEvent.OUT_OF_REACH)


class GameController(Rules):
    """Leads a game: observes the robot, receives its messages, and publishes the state.

    Args:
        map: that pellets stand and ghosts walk on
        home: where the robot starts and is sent home to, map frame
        streams: random numbers; ghosts draw from ``ghost.NAME``
        rules: the rules
        robot: name of the robot that plays
        clearance_m: its centre keeps that far from walls on its way, m

    Attributes:
        controller: the game itself
        end: how the round or the game ended, or None while it is played

    Raises:
        ConfigError: the map has no room for pellets or ghosts
    """

    def __init__(
        self,
        map: OccupancyMap,
        home: Pose2D,
        streams: RandomStreams,
        rules: PacmanRules,
        robot: str = "pacman",
        clearance_m: float = START_CLEARANCE,
    ) -> None:
        self.controller = PacmanController(map, home, streams, rules, robot, clearance_m)
        self.end: End | None = None

    def begin(self, now: int) -> None:
        """Begin a game or the next round (ns), as soon as the robot is ready.

        Raises:
            ArenaTreesError: a game is being played
        """
        self.controller.start(now)
        self._see_end()

    def stop(self, now: int, reason: str) -> None:
        """Stop whatever is played (ns): the game is reset, whatever the reason."""
        self.controller.reset(now)
        self._see_end()

    @property
    def state(self) -> PacmanGame:
        """How the game stands."""
        return self.controller.game()

    def step(self, now: int, truth: Truth, inbox: Inbox) -> Iterable[PacmanGame]:
        """Advance to an instant (ns); return the state where it is due or something happened."""
        seen = truth.get(self.controller.robot)
        place = None if seen is None else (seen.pose.x, seen.pose.y)
        reported = self.controller.step(now, place, inbox.of(PacmanStatus), inbox.of(PacmanUnreached))
        self._see_end()
        return () if reported is None else (reported,)

    @property
    def controls(self) -> Mapping[str, Callable[[int], str]]:
        """What people may do besides start and stop."""
        return {"reset_pellets": self._reset_pellets, "reset_ghosts": self._reset_ghosts}

    @property
    def settings(self) -> Mapping[str, Callable[[int, Any], str]]:
        """What people may tell the game controller: the number of a pellet, a speed of all ghosts (m/s)."""
        return {"remove_pellet": self._remove_pellet, "ghost_speed": self._set_ghost_speed}

    def diagnostics(self, now: int) -> tuple[bool, str, Mapping[str, str]]:
        """Return that all is well, how the game stands, and its numbers."""
        game = self.controller
        values = {
            "phase": game.phase.value,
            "round": str(game.round),
            "score": str(game.score),
            "lives": str(game.lives),
            "pellets": str(game.field),
            "pellets left": str(len(game.field.remaining)),
            "robot ready": str(game.ready),
        }
        return True, f"round {game.round}: {game.phase.value}, score {game.score}", values

    def _see_end(self) -> None:
        """Note how the game ended, once, and that it is played again."""
        game = self.controller
        if not game.over:
            self.end = None
        elif self.end is None:
            now = next(event.now for event in reversed(game.events) if event.event in _ENDS)
            if game.phase is PacmanPhase.COMPLETE:
                self.end = End("complete", f"all {game.field}", now)
            elif game.phase is PacmanPhase.GIVEN_UP:
                self.end = End("out_of_reach", name_pellets(game.game()), now)
            else:
                self.end = End("died", f"{game.left} pellets left", now)

    def _reset_pellets(self, now: int) -> str:
        """Put all pellets back."""
        self.controller.reset_pellets()
        return str(self.controller.field)

    def _reset_ghosts(self, now: int) -> str:
        """Put all ghosts at new places, with their round's speed."""
        self.controller.reset_ghosts(now)
        return f"ghosts at new places: {len(self.controller.ghosts)}"

    def _remove_pellet(self, now: int, number: Any) -> str:
        """Take a pellet away without a score."""
        if type(number) is not int or not self.controller.remove_pellet(number):
            raise ArenaTreesError(f"there is no pellet {number!r} to remove")
        return f"pellet {number} is removed"

    def _set_ghost_speed(self, now: int, speed: Any) -> str:
        """Give all ghosts a speed until they are reset."""
        if type(speed) not in (int, float):
            raise ArenaTreesError(f"a ghost's speed is a number of m/s, not {speed!r}")
        self.controller.set_ghost_speed(float(speed))
        return f"ghosts move at {speed:g} m/s"
