"""The game of PacMan: a clocked state machine that moves the ghosts, counts pellets and deaths, and tells the state."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from arena_trees.control.navigation.free_space import FreeSpace
from arena_trees.games.pacman.arcade.ghosts import Ghost
from arena_trees.games.pacman.arcade.hunt import Hunt
from arena_trees.games.pacman.arcade.pellet_field import PelletField
from arena_trees.games.pacman.arcade.touches import TouchJudge
from arena_trees.games.pacman.events import GameEvent, PacmanEvent
from arena_trees.games.pacman.messages import Finished, PacmanGame, PacmanPhase, PacmanStatus, PacmanUnreached, Pellet
from arena_trees.games.pacman.rules import PacmanRules
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.errors import ArenaTreesError, ConfigError
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.messaging.game_message import GameMessage
from arena_trees.robot.messaging.inbox import Received
from arena_trees.robot.messaging.order import counts_after
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.robot.repeat import Repeat
from arena_trees.world.maps.map_files import START_CLEARANCE
from arena_trees.world.maps.occupancy_map import OccupancyMap

__all__ = ["PacmanController"]

_HEAD_START = 0.5
"""m beyond the radius of death that a ghost at a random place can have to walk to the robot at least."""


class PacmanController:
    """Leads a game of PacMan (the PacMan report, algorithm 5). Its phase is the command to the robot.

    MENU, start: RETURNING_HOME (the document's RETURN_HOME); the robot reports AT_HOME: STARTING; it reports STARTED:
    RUNNING (ENABLE; every other phase is DISABLE). Ghosts move, and pellets and deaths count, in RUNNING alone. They
    are judged along the straight steps between two known places of robot and ghost, not only at the samples.

    A pellet counts when the robot collects it and never otherwise. The last one ends the round: COMPLETE. One that
    somebody removed by hand is not collected, so that the round cannot be completed until the pellets are reset.

    A ghost's touch costs a life: DYING. With lives left the round goes on by itself, with the pellets that are left,
    when the robot has shown its death: RETURNING_HOME, ghosts at new places. Without, the game is over and stays DYING.

    A pellet to which the map has no way for the robot is dropped when the game is made. Where the robot reports of all
    pellets that are left that it cannot get to them, the round is given up: GIVEN_UP.

    A start in MENU, in GIVEN_UP, or in DYING when the game is over, begins a new game: first round and its ghosts'
    speed, score 0, all lives. In COMPLETE it begins the next round: score and lives stay, ghosts are faster by a step.
    Either way all pellets are back and the ghosts at new places. Else it is refused: a game is being played. A start
    before the robot has reported READY waits for that report. A reset leads to MENU from every phase.

    Args:
        map: that pellets stand and ghosts walk on
        home: where the robot starts and is sent home to, map frame
        streams: random numbers; ghosts draw from ``ghost.NAME``
        rules: the rules
        robot: name of the robot whose word counts
        clearance_m: the robot's centre keeps that far from walls on its way, m

    Attributes:
        phase: of the game
        round: counted from 1
        score: pellets collected since the game's start
        lives: that are left, this one included
        events: all that has happened, in order
        field, ghosts: pellets and ghosts
        ready: whether the robot knows where it is

    Raises:
        ConfigError: the map has no room for pellets or ghosts, or so little that ghosts appear next to the robot
    """

    def __init__(
        self,
        map: OccupancyMap,
        home: Pose2D,
        streams: RandomStreams,
        rules: PacmanRules | None = None,
        robot: str = "pacman",
        clearance_m: float = START_CLEARANCE,
    ) -> None:
        self.rules = rules or PacmanRules()
        self.home = home
        self.robot = robot
        space = FreeSpace(map, clearance_m)
        self.field = PelletField(space, self.rules.pellets, (home.x, home.y), self.rules.pickup_radius)
        self._hunt = Hunt(self.rules.motion.waves)
        self.ghosts = self._make_ghosts(map, streams)
        self._judge = TouchJudge(self.field, self.ghosts, self.rules.pickup_radius, self.rules.death_radius)
        self.events: list[GameEvent] = []
        self.ready = False
        self.phase = PacmanPhase.MENU
        self._begin_game()
        self._wanted = False
        self._phase_since = 0
        self._over_reported = False
        self._scored: set[int] = set()
        self._unreached: set[int] = set()
        self._newest: dict[type[GameMessage], tuple[tuple[int, int], int]] = {}
        self._repeat = Repeat()
        self.reset_ghosts(0)

    @property
    def over(self) -> bool:
        """Whether the round was completed or given up, or the last life is gone: nothing happens until a start."""
        ended = self.phase in (PacmanPhase.COMPLETE, PacmanPhase.GIVEN_UP)
        return ended or (self.phase is PacmanPhase.DYING and self.lives == 0)

    @property
    def left(self) -> int:
        """Pellets of the round that have not been collected, those that were removed by hand among them."""
        return len(self.field.spawned) - len(self._scored)

    def start(self, now: int) -> None:
        """Begin a game or the next round (ns), as the class specifies.

        Raises:
            ArenaTreesError: a game is being played
        """
        if not self.over and self.phase is not PacmanPhase.MENU:
            raise ArenaTreesError(f"round {self.round} is being played")
        self._wanted = not self.ready
        if self._wanted:
            return
        if self.phase is PacmanPhase.COMPLETE:
            self.round += 1
        else:
            self._begin_game()
        self.reset_pellets()
        self.reset_ghosts(now)
        self._enter(PacmanPhase.RETURNING_HOME, now)

    def reset(self, now: int) -> None:
        """Stop whatever is played (ns): MENU, first round, score 0, all lives, all pellets, ghosts at new places."""
        self._wanted = False
        self._begin_game()
        self.reset_pellets()
        self.reset_ghosts(now)
        self._tell(PacmanEvent.RESET, now)
        self._enter(PacmanPhase.MENU, now)

    def reset_pellets(self) -> None:
        """Put all pellets back; none of them has been collected then. The score stays."""
        self.field.reset()
        self._scored.clear()
        self._unreached.clear()
        self._repeat.at_once()

    def remove_pellet(self, number: int) -> bool:
        """Take a pellet away without a score. Return whether it was there."""
        self._repeat.at_once()
        return self.field.remove(number)

    def reset_ghosts(self, now: int) -> None:
        """Put all ghosts at new places (ns), with the speed of this round."""
        for ghost, entry in zip(self.ghosts, self.rules.ghosts, strict=True):
            ghost.speed = self.rules.motion.speed(self.round)
            ghost.spawn(now, (self.home.x, self.home.y), entry.start)
        self._hunt.begin()
        self._judge.reset()
        self._repeat.at_once()

    def set_ghost_speed(self, speed: float) -> None:
        """Give all ghosts a speed (m/s), until they are reset.

        Raises:
            ConfigError: it is not above 0 and at most 2 m/s
        """
        if not 0.0 < speed <= 2.0:
            raise ConfigError("must be above 0 and at most 2 m/s", key="speed", value=speed)
        for ghost in self.ghosts:
            ghost.speed = speed
        self._repeat.at_once()

    def step(
        self,
        now: int,
        robot: tuple[float, float] | None,
        statuses: Iterable[Received[PacmanStatus]] = (),
        unreached: Iterable[Received[PacmanUnreached]] = (),
    ) -> PacmanGame | None:
        """Advance to an instant.

        Args:
            now: ns
            robot: x and y of the robot's centre, map frame, m; None where nobody knows, or not finite
            statuses: of robots since the last step, oldest arrival first
            unreached: likewise

        Returns:
            the state of the game where it is due or something happened, else None
        """
        for status in statuses:
            if status.sender == self.robot:
                self._receive(now, status)
        for report in unreached:
            if report.sender == self.robot and self._is_news(now, report):
                self._note_unreached(now, report.message)
        self._mind_the_time(now)
        known = robot if robot is not None and math.isfinite(robot[0] + robot[1]) else None
        if self.phase is PacmanPhase.RUNNING:
            self._play(now, known)
        else:
            for ghost in self.ghosts:
                ghost.wait(now)
        return self.game() if self._repeat.due(now, self.rules.publish_period) else None

    def game(self) -> PacmanGame:
        """Return the state of the game."""
        # The values are the game's own; this is asked for in every tick.
        return PacmanGame.model_construct(
            phase=self.phase,
            round=self.round,
            score=self.score,
            lives=self.lives,
            spawned=len(self.field.spawned),
            pellets=tuple(self.field.remaining.values()),
            ghosts=tuple(ghost.view() for ghost in self.ghosts),
            home=self.home,
            pickup_radius=self.rules.pickup_radius,
            death_radius=self.rules.death_radius,
        )

    def _make_ghosts(self, map: OccupancyMap, streams: RandomStreams) -> tuple[Ghost, ...]:
        if not self.rules.ghosts:
            return ()
        space = FreeSpace(map, self.rules.motion.wall_clearance)
        self._check_room(space)
        far = self.field.farthest
        draw, motion = streams.generator, self.rules.motion
        return tuple(
            Ghost(entry.name, entry.kind, space, draw(f"ghost.{entry.name}"), motion, (far.x, far.y), self._hunt)
            for entry in self.rules.ghosts
        )

    def _check_room(self, space: FreeSpace) -> None:
        """Refuse a map on which ghosts can only appear next to the robot's home."""
        walks = space.distances_from(self.home.x, self.home.y)
        away, needed = float(walks[np.isfinite(walks)].max()), self.rules.death_radius + _HEAD_START
        if away < needed and any(entry.start is None for entry in self.rules.ghosts):
            reason = (
                f"the map is so small that ghosts appear {away:.2f} m from the robot's start; {needed:g} m are needed"
            )
            raise ConfigError(reason, key="ghosts")

    def _begin_game(self) -> None:
        self.round = self.rules.first_round
        self.score = 0
        self.lives = self.rules.lives

    def _enter(self, phase: PacmanPhase, now: int) -> None:
        self.phase = phase
        self._phase_since = now
        self._over_reported = False
        self._judge.reset()
        for ghost in self.ghosts:
            ghost.wait(now)
        self._repeat.at_once()

    def _tell(self, event: PacmanEvent, now: int, pellet: int | None = None, ghost: str | None = None) -> None:
        self.events.append(GameEvent(event, now, self.round, pellet, ghost))

    def _receive(self, now: int, report: Received[PacmanStatus]) -> None:
        """Act on what the robot has finished; drop what is old or about another round."""
        if not self._is_news(now, report):
            return
        status = report.message
        if status.status is Finished.READY:
            self.ready = True
            if self._wanted:
                self.start(now)
        elif status.round == self.round:
            self._finished(now, status.status)

    def _is_news(self, now: int, report: Received[Any]) -> bool:
        """Return whether a message comes after the ones of its kind before, and remember it."""
        order, (last, last_at) = (report.epoch, report.sequence), self._newest.get(type(report.message), ((-1, -1), 0))
        if not counts_after(order, last, last_at, now):
            return False
        self._newest[type(report.message)] = order, now
        return True

    def _note_unreached(self, now: int, report: PacmanUnreached) -> None:
        """Report pellets that the robot cannot get to, and end the round where no others are left."""
        if self.phase is not PacmanPhase.RUNNING or report.round != self.round:
            return
        named = self.field.remaining.keys() & report.pellets
        for number in sorted(named - self._unreached):
            self._tell(PacmanEvent.OUT_OF_REACH, now, pellet=number)
        self._unreached |= named
        if report.gave_up and named and named == self.field.remaining.keys():
            self._enter(PacmanPhase.GIVEN_UP, now)

    def _finished(self, now: int, done: Finished) -> None:
        if done is Finished.AT_HOME and self.phase is PacmanPhase.RETURNING_HOME:
            self._tell(PacmanEvent.START_THEATRICAL, now)
            self._enter(PacmanPhase.STARTING, now)
        elif done is Finished.STARTED and self.phase is PacmanPhase.STARTING:
            self._enter(PacmanPhase.RUNNING, now)
        elif done is Finished.DEATH_SHOWN and self.phase is PacmanPhase.DYING:
            self._after_death(now)

    def _mind_the_time(self, now: int) -> None:
        """Go on without the robot's word where it took too long."""
        if now - self._phase_since < from_seconds(self.rules.theatrics_limit):
            return
        if self.phase is PacmanPhase.STARTING:
            self._enter(PacmanPhase.RUNNING, now)
        elif self.phase is PacmanPhase.DYING:
            self._after_death(now)

    def _after_death(self, now: int) -> None:
        if self.lives > 0:
            self.reset_ghosts(now)
            self._enter(PacmanPhase.RETURNING_HOME, now)
        elif not self._over_reported:
            self._over_reported = True
            self._tell(PacmanEvent.GAME_OVER, now)

    def _play(self, now: int, robot: tuple[float, float] | None) -> None:
        """Move the ghosts and judge what touched what since the last instant at which all places were known."""
        leader = next((ghost.position for ghost in self.ghosts if ghost.kind == "blinky"), None)
        pellets = ((number, (pellet.x, pellet.y)) for number, pellet in self.field.remaining.items())
        self._hunt.observe(now, robot, pellets, leader, any(ghost.frightened for ghost in self.ghosts))
        for ghost in self.ghosts:
            ghost.step(now, robot)
        for instant, touched in [] if robot is None else self._judge.observe(now, robot):
            if self.phase is PacmanPhase.RUNNING:
                self._touch(instant, touched)

    def _touch(self, instant: int, touched: Pellet | Ghost) -> None:
        if isinstance(touched, Pellet):
            self._collect(instant, touched)
        elif not touched.frightened:
            self.lives -= 1
            self._tell(PacmanEvent.DEATH, instant, ghost=touched.name)
            self._enter(PacmanPhase.DYING, instant)

    def _collect(self, instant: int, pellet: Pellet) -> None:
        self.field.remove(pellet.id)
        self._scored.add(pellet.id)
        self.score += 1
        self._repeat.at_once()
        self._tell(PacmanEvent.POWER_PELLET if pellet.power else PacmanEvent.PELLET, instant, pellet=pellet.id)
        if pellet.power:
            for ghost in self.ghosts:
                ghost.frighten(instant)
        if len(self._scored) == len(self.field.spawned):
            self._tell(PacmanEvent.WIN, instant)
            self._enter(PacmanPhase.COMPLETE, instant)
