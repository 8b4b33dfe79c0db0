"""Trespassing: how a robot drives over a crossing that heeds no scheduler; an opponent for those that do."""

from __future__ import annotations

import math
from dataclasses import replace

from py_trees.common import Status

from arena_trees.behaviours.base import PerceptBehaviour
from arena_trees.behaviours.crossroads.drive import ApproachLine, Cross, RouteFollower
from arena_trees.behaviours.crossroads.following import follow, is_inside, near_line
from arena_trees.behaviours.crossroads.parameters import TrespasserParameters
from arena_trees.games.crossroads import blackboard
from arena_trees.games.crossroads.blackboard import CrossingEntry, Route, RouteProgress
from arena_trees.games.crossroads.layout.round import Round
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.random_streams import RandomStreams

__all__ = ["Dodge", "GoesIn", "InBox", "StopInBox", "StrayAlongLane", "TrespassAcross"]

_WAVE = 1.6
"""m of way after which one that strays is on the same side of its lane again."""

_STANDS = 0.05
"""m; one that is held goes to and fro within this."""

_SLOWEST = 0.01
"""m/s; slower than this it stands."""

_PATIENCE = (2.0, 6.0)
"""How long one stands until it dodges, s."""

_BACKING, _TURNING, _PASSING = 1.0, (0.3, 1.5), (1.0, 3.0)
"""How long it then backs off, turns and drives, s."""

_ASIDE = 0.2
"""m; farther off its way it turns back to it."""

_SLOW = 0.1
"""m/s; a Create 3 backs off no farther than 0.15 m."""


class InBox(PerceptBehaviour):
    """SUCCESS while the robot has gone in and not left again. FAILURE otherwise.

    Blackboard Variables:
        * route (Route) [r], entered (CrossingEntry) [r], left (int) [r]
    """

    def __init__(self, name: str, robot: str) -> None:
        super().__init__(name, robot, (blackboard.ROUTE, blackboard.ENTERED, blackboard.LEFT))

    def update(self) -> Status:
        """Return SUCCESS if the crossing of this lap was entered and not left, FAILURE otherwise."""
        route: Route | None = self.percepts.route
        entered: CrossingEntry | None = self.percepts.entered
        inside = is_inside(route, entered, self.percepts.left)
        return Status.SUCCESS if inside else Status.FAILURE


class GoesIn(PerceptBehaviour):
    """SUCCESS where the robot goes in. FAILURE otherwise.

    It does so as soon as it is at its line; one that pushes in waits until somebody is in the box, or for ``push_s``.

    Blackboard Variables:
        * route (Route) [r], progress (RouteProgress) [r]
        * stranger (bool) [r]: whether somebody is in the box
    """

    def __init__(self, name: str, robot: str, live: Live[TrespasserParameters]) -> None:
        super().__init__(name, robot, (blackboard.ROUTE, blackboard.PROGRESS, blackboard.STRANGER))
        self.live = live
        self._reset()

    def _reset(self) -> None:
        self._lap: int | None = None
        self._since = 0

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._reset()

    def update(self) -> Status:
        """Return SUCCESS at the line, when it is the robot's moment; FAILURE otherwise."""
        route: Route | None = self.percepts.route
        progress: RouteProgress | None = self.percepts.progress
        if route is None or progress is None or not near_line(progress, self.live.value):
            return Status.FAILURE
        if self.live.value.manner != "pushes_in":
            return Status.SUCCESS
        if self._lap != route.lap:
            self._lap, self._since = route.lap, self.now
        waited = self.now - self._since >= from_seconds(self.live.value.push_s)
        return Status.SUCCESS if waited or self.percepts.stranger else Status.FAILURE


class StopInBox(RouteFollower):
    """Drive to the middle of the way through the box, or as far as the gate lets it, and stand there.

    RUNNING until the time is over, then FAILURE.

    Blackboard Variables:
        * route (Route) [r], progress (RouteProgress) [r], lead_progress (float) [r]: not heeded
        * command [w]
    """

    live: Live[TrespasserParameters]

    def __init__(self, name: str, robot: str, live: Live[TrespasserParameters]) -> None:
        super().__init__(name, robot, live)
        self._forget()

    def _forget(self) -> None:
        self._lap: int | None = None
        self._until: int | None = None

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._forget()

    def advance(self, path: Round, progress: RouteProgress) -> Status:
        """Follow the path up to its middle; RUNNING there for the time to stop, FAILURE after it."""
        lap = self.percepts.route.lap
        if lap != self._lap:
            self._lap, self._until = lap, None
        left = path.movement.length / 2.0 - progress.along
        held = progress.along > _STANDS and abs(progress.speed) < _SLOWEST
        if self._until is None and (left <= _STANDS or held):
            self._until = self.now + from_seconds(self.live.value.stop_s)
        if self._until is not None and self.now >= self._until:
            return Status.FAILURE
        twist = follow(path, progress, None, self.live.value, max(0.0, left))
        self.drive(twist.linear, twist.angular)
        return Status.RUNNING


class Dodge(RouteFollower):
    """Back off, turn and drive past, in a box in which the robot has stood for some seconds. RUNNING meanwhile.

    FAILURE else. Two robots that heed nobody may stand nose to nose: how long they stand, and where they turn is drawn.

    Blackboard Variables:
        * route (Route) [r], progress (RouteProgress) [r], lead_progress (float) [r]
        * command [w]
    """

    def __init__(self, name: str, robot: str, live: Live[TrespasserParameters], streams: RandomStreams) -> None:
        super().__init__(name, robot, live)
        self._streams = streams
        self._forget()

    def _forget(self) -> None:
        self._random = self._streams.generator("dodges")
        self._stood: int | None = None
        self._along = self._turn = 0.0
        self._patience = 0
        self._ends = (0, 0, 0)

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._forget()

    def advance(self, path: Round, progress: RouteProgress) -> Status:
        """Return RUNNING while the robot dodges, FAILURE while it does not or has not stood for long."""
        backed, turned, passed = self._ends
        if self.now < backed:
            self.drive(-_SLOW, 0.0)
        elif self.now < turned:
            self.drive(0.0, self._turn)
        elif self.now < passed:
            self.drive(_SLOW, 0.0)
        else:
            self._wait(progress)
            return Status.FAILURE
        return Status.RUNNING

    def _wait(self, progress: RouteProgress) -> None:
        """Begin to dodge where the robot has stood for long: to either side, but not far from its way."""
        along, aside = progress.along, 0.0 if progress.error is None else progress.error.cross_track
        if self._stood is None or abs(along - self._along) > _STANDS:
            self._stood, self._along = self.now, along
            self._patience = from_seconds(float(self._random.uniform(*_PATIENCE)))
        if self.now - self._stood >= self._patience:
            self._stood = None
            turn = float(self._random.choice((-1.0, 1.0)))
            self._turn = turn if abs(aside) < _ASIDE else -math.copysign(1.0, aside)
            backed = self.now + from_seconds(_BACKING)
            turned, passed = (from_seconds(float(self._random.uniform(*span))) for span in (_TURNING, _PASSING))
            self._ends = (backed, backed + turned, backed + turned + passed)


def _strayed(progress: RouteProgress, p: TrespasserParameters) -> RouteProgress:
    """Return the progress of a robot that takes its path for one that weaves from side to side."""
    if progress.error is None:
        return progress
    phase = math.tau * progress.along / _WAVE
    slope = math.atan(p.stray_m * math.tau / _WAVE * math.cos(phase))
    error = replace(
        progress.error,
        cross_track=progress.error.cross_track - p.stray_m * math.sin(phase),
        heading=progress.error.heading - slope,
    )
    return replace(progress, error=error)


class StrayAlongLane(ApproachLine):
    """Weave along the lane to the place before the stop line. RUNNING always.

    Blackboard Variables:
        * route (Route) [r], progress (RouteProgress) [r], lead_progress (float) [r]
        * command [w]
        * halted (int) [w]: None
    """

    live: Live[TrespasserParameters]

    def follow(self, path: Round, progress: RouteProgress, distance: float = math.inf) -> None:
        """Drive on, at most so far (m), from side to side."""
        super().follow(path, _strayed(progress, self.live.value), distance)


class TrespassAcross(Cross):
    """Drive through the crossing, up to whatever the gate stops before. RUNNING until it has left, then SUCCESS.

    One that strays weaves.

    Blackboard Variables:
        * route (Route) [r], progress (RouteProgress) [r], lead_progress (float) [r]: not heeded in the box
        * command [w]
        * left (int) [w]: number of the lap whose crossing was left
    """

    live: Live[TrespasserParameters]

    def follow(self, path: Round, progress: RouteProgress, distance: float = math.inf) -> None:
        """Drive on, at most so far (m)."""
        p = self.live.value
        place = _strayed(progress, p) if p.manner == "strays" else progress
        lead = None if progress.along < path.movement.length else self.percepts.lead_progress
        twist = follow(path, place, lead, p, distance)
        self.drive(twist.linear, twist.angular)
