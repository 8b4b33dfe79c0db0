"""Conditions: leaves that look and answer at once, without moving the robot."""

from __future__ import annotations

import math

from py_trees.common import Access, Status

from arena_trees.behaviours.base import Reader
from arena_trees.behaviours.parameters import RoamParameters, WolfParameters
from arena_trees.perception.sectors import sector_min
from arena_trees.robot import keys
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.parameters import Live
from arena_trees.robot.percepts import FenceStatus, Game, GamePhase, GeofenceReport, Sightings, Target

__all__ = ["FenceIs", "ObstacleAhead", "RoundOver", "SignInSight", "TargetInSight"]


class RoundOver(Reader):
    """SUCCESS once the round is over: rabbit not alive, or the phase is not ACTIVE. FAILURE otherwise.

    Blackboard Variables:
        * game (Game) [r]
    """

    def __init__(self, name: str, robot: str) -> None:
        super().__init__(name, robot, (keys.GAME,))

    def update(self) -> Status:
        """Look at the game."""
        game: Game = self.percepts.game
        if game.rabbit_alive and game.phase is GamePhase.ACTIVE:
            self.feedback_message = ""
            return Status.FAILURE
        self.feedback_message = game.phase.value
        return Status.SUCCESS


class FenceIs(Reader):
    """SUCCESS while the geofence reports one of the given statuses. FAILURE otherwise.

    Blackboard Variables:
        * geofence (GeofenceReport) [r]; absent for a robot without a fence
    """

    def __init__(self, name: str, robot: str, *statuses: FenceStatus) -> None:
        super().__init__(name, robot, (keys.GEOFENCE,))
        self.statuses = statuses

    def update(self) -> Status:
        """Look at the geofence."""
        report: GeofenceReport | None = self.percepts.geofence
        if report is None or report.status not in self.statuses:
            return Status.FAILURE
        self.feedback_message = report.status.value
        return Status.SUCCESS


class ObstacleAhead(Reader):
    """SUCCESS when something is near in the forward cone. FAILURE otherwise, and during the cooldown.

    Blackboard Variables:
        * scan (Scan) [r]

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters, for distance, cone and cooldown
        cooldown: whether obstacles are ignored for a while after one, as document 000's code does
    """

    def __init__(self, name: str, robot: str, live: Live[RoamParameters], *, cooldown: bool) -> None:
        super().__init__(name, robot, (keys.SCAN,))
        self.live = live
        self.cooldown = cooldown
        self._until = -1

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._until = -1

    def update(self) -> Status:
        """Look at the forward cone."""
        scan = self.percepts.scan
        parameters = self.live.value
        if scan is None or (self.cooldown and self.now < self._until):
            return Status.FAILURE
        if sector_min(scan, -parameters.obstacle_cone, parameters.obstacle_cone) >= parameters.obstacle_distance:
            return Status.FAILURE
        self._until = self.now + from_seconds(parameters.obstacle_cooldown_s)
        self.feedback_message = "something is near ahead"
        return Status.SUCCESS


class SignInSight(Reader):
    """SUCCESS while a class of sign was in an image lately. FAILURE otherwise.

    A sign is believed after ``sight_confirm_frames`` images in a row, and until none has shown it
    for ``vision_timeout``.

    Blackboard Variables:
        * sightings (Sightings) [r]
    """

    def __init__(self, name: str, robot: str, live: Live[RoamParameters], label: str) -> None:
        super().__init__(name, robot, (keys.SIGHTINGS,))
        self.live = live
        self.label = label
        self._forget()

    def _forget(self) -> None:
        self._sequence: int = 0
        self._hits: int = 0
        self._seen: int | None = None

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._forget()

    def update(self) -> Status:
        """Look at a new image, if any."""
        sightings: Sightings | None = self.percepts.sightings
        parameters = self.live.value
        if sightings is not None and sightings.sequence != self._sequence:
            self._sequence = sightings.sequence
            seen = sightings.best(self.label) is not None
            self._hits = self._hits + 1 if seen else 0
            if self._hits >= parameters.sight_confirm_frames:
                self._seen = sightings.arrival
        if self._seen is None or self.now - self._seen > from_seconds(parameters.vision_timeout):
            return Status.FAILURE
        self.feedback_message = self.label
        return Status.SUCCESS


class TargetInSight(Reader):
    """SUCCESS while the tracked target is fresh. FAILURE once it is lost.

    The target is believed after ``sight_confirm_frames`` images in a row (one with strategy
    ``source``), and lost ``chase_lost_frames`` ticks after its newest image is older than
    ``vision_timeout``.

    Blackboard Variables:
        * target (Target) [r]
    """

    def __init__(self, name: str, robot: str, live: Live[WolfParameters]) -> None:
        super().__init__(name, robot)
        self.live = live
        self.percepts.register_key(keys.TARGET, Access.READ)
        self._believed = False
        self._stale = 0

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._believed = False
        self._stale = 0

    def update(self) -> Status:
        """Look at the target."""
        target: Target | None = self.percepts.target
        parameters = self.live.value
        age = math.inf if target is None else (self.now - target.seen) * 1e-9
        if target is None or age > parameters.vision_timeout:
            self._stale += 1
            if not self._believed or self._stale > parameters.chase_lost_frames:
                self._believed = False
                return Status.FAILURE
            return Status.SUCCESS
        self._stale = 0
        needed = 1 if parameters.strategy == "source" else parameters.sight_confirm_frames
        self._believed = self._believed or target.hits >= needed
        if not self._believed:
            return Status.FAILURE
        self.feedback_message = target.box.label
        return Status.SUCCESS
