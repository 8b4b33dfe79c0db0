"""Home: after a hit the chaser drives there and reports it."""

from __future__ import annotations

import math

from py_trees.common import Status

from arena_trees.behaviours.base import PerceptBehaviour
from arena_trees.behaviours.pursuit.chaser.drive import ChaserBehaviour
from arena_trees.behaviours.pursuit.chaser.equipment import Equipment
from arena_trees.behaviours.pursuit.chaser.parameters import ChaserParameters
from arena_trees.control.pid import clamp
from arena_trees.control.place_history import Place
from arena_trees.control.searching.room_search import ROOM, RoomView
from arena_trees.games.pursuit.home import HOME
from arena_trees.games.pursuit.messages import AtHome, PursuitPhase, PursuitState
from arena_trees.robot import keys
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.geometry import wrap
from arena_trees.robot.repeat import Repeat

__all__ = ["GoHome", "PursuitPhaseIs"]

_REPEAT_S = 0.2
"""Period (s) at which the chaser reports that it is home: messages get lost."""
_BRAKE = 0.8
"""Speed per metre that is left, 1/s."""
_TURN_GAIN = 2.5
"""Yaw rate per error, 1/s."""
_STRAIGHT = 0.25
"""Near home the base drives when home is ahead, or astern, within this, rad."""
_NEAR = 0.35
"""m; so near to home the base turns towards it exactly before it drives."""


class PursuitPhaseIs(PerceptBehaviour):
    """SUCCESS while the rules report that the pursuit is in one of the given phases. FAILURE otherwise.

    Blackboard Variables:
        * inbox (Inbox) [r]: ``pursuit``
    """

    def __init__(self, name: str, robot: str, *phases: PursuitPhase) -> None:
        super().__init__(name, robot, (keys.INBOX,))
        self.phases = phases

    def update(self) -> Status:
        """Return SUCCESS if the newest pursuit state received has one of the phases, FAILURE otherwise."""
        received = self.percepts.inbox.newest(PursuitState)
        if received is None or received.message.phase not in self.phases:
            return Status.FAILURE
        return Status.SUCCESS


class GoHome(ChaserBehaviour):
    """Drive home, turn as home faces, and report being there. RUNNING always.

    Home is reached by the chaser's own estimate, which is also the pose that it reports.

    Blackboard Variables:
        * place (Place) [r]: own pose now
        * room (RoomView) [r]: the way home
        * scan (Scan) [r]: what is in the way; absent without a LiDAR
        * command, aim [w]
        * outbox [w]: ``at_home``
        * cues [w]: HIT when it begins, HOME when it has come there
    """

    def __init__(self, name: str, robot: str, live: Live[ChaserParameters], equipment: Equipment) -> None:
        super().__init__(name, robot, live, equipment, (ROOM,))
        self._repeat = Repeat()
        self._there = False

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._there = False

    def initialise(self) -> None:
        """Show the hit."""
        self._repeat.at_once()
        self._shown = False
        self.show("HIT")

    def update(self) -> Status:
        """Drive home, turn to its heading, then report that the chaser is there; RUNNING always."""
        place = self.place
        if place is None:
            self.drive(0.0, 0.0)
            return Status.RUNNING
        parameters = self.live.value
        # The turret looks ahead again.
        self.point_turret(place, place.pose.yaw, 0.0, place.twist, parameters.scan_rate)
        away = place.pose.distance_to(HOME.x, HOME.y)
        turn = wrap(HOME.yaw - place.pose.yaw)
        # Having come home it may turn there, although turning shifts it a little.
        near = parameters.home_tolerance * (1.5 if self._there else 1.0)
        if away > near:
            self._there = False
            self._approach(place, away, parameters)
        elif abs(turn) > parameters.home_yaw_tolerance:
            self._there = True
            self.drive(0.0, clamp(_TURN_GAIN * turn, parameters.scan_rate))
        else:
            self._there = True
            self.drive(0.0, 0.0)
            self._report(place)
        return Status.RUNNING

    def _approach(self, place: Place, away: float, parameters: ChaserParameters) -> None:
        room: RoomView | None = self.percepts.room
        speed = min(parameters.speed, max(0.05, _BRAKE * away))
        if away > _NEAR:
            goal = room.way[0] if room is not None and room.way else (HOME.x, HOME.y)
            self.command(self.drive_to(place, goal, speed))
            self.feedback_message = "on the way home"
            return
        bearing = place.pose.bearing_to(HOME.x, HOME.y)
        angular = clamp(_TURN_GAIN * bearing, parameters.scan_rate)
        self.drive(speed * math.cos(bearing) if abs(bearing) < _STRAIGHT else 0.0, angular)

    def _report(self, place: Place) -> None:
        if not self._shown:
            self._shown = True
            self.show("HOME")
        if self._repeat.due(self.now, _REPEAT_S):
            pose = place.pose
            self.send(AtHome(x=pose.x, y=pose.y, yaw=wrap(pose.yaw)))
            self.feedback_message = "at home"
