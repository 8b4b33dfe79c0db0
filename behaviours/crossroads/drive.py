"""How a robot drives along its round: a base that steers, and leaves that say how far."""

from __future__ import annotations

from abc import abstractmethod

from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour
from arena_trees.behaviours.crossroads.following import braking_distance, follow, progress_at
from arena_trees.behaviours.crossroads.parameters import CrosserParameters
from arena_trees.behaviours.crossroads.routes import RouteChooser
from arena_trees.games.crossroads import blackboard
from arena_trees.games.crossroads.blackboard import Route, RouteProgress
from arena_trees.games.crossroads.layout.round import Round, rounds_of
from arena_trees.robot.clock import SECOND
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.random_streams import RandomStreams

__all__ = ["ApproachLine", "BeginRound", "Cross", "DriveOut", "PauseAtEnd", "RouteFollower", "TurnRound"]

_THERE = 0.02
"""A place is reached within this, m."""


class RouteFollower(ActionBehaviour):
    """Follow the route, and stop behind what is on it. The base of every leaf that drives along it.

    FAILURE without a route; else what :meth:`advance` returns.

    Blackboard Variables:
        * route (Route) [r], progress (RouteProgress) [r], lead_progress (float) [r]
        * command [w]

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters
        reads: more keys that are read
        writes: a key that it alone writes, if any; None until it does
    """

    def __init__(
        self, name: str, robot: str, live: Live[CrosserParameters], reads: tuple[str, ...] = (), writes: str = ""
    ) -> None:
        reads = (blackboard.ROUTE, blackboard.PROGRESS, blackboard.LEAD_PROGRESS, *reads)
        super().__init__(name, robot, reads, (writes,) if writes else ())
        self.live = live
        self._rounds = rounds_of(live.value.plan)
        self._writes = writes
        self._reset()

    def _reset(self) -> None:
        if self._writes:
            self.outputs.set(self._writes, None)

    def setup(self, **kwargs: object) -> None:
        """Forget what was written in an earlier run."""
        self._reset()

    @property
    def path(self) -> Round | None:
        """The round that the route goes, None without a route."""
        route: Route | None = self.percepts.route
        return None if route is None else self._rounds[route.key]

    def update(self) -> Status:
        """Follow the route as :meth:`advance` specifies; FAILURE without a route or progress on it."""
        path, progress = self.path, self.percepts.progress
        if path is None or progress is None:
            self.feedback_message = "on no lane"
            return Status.FAILURE
        return self.advance(path, progress)

    @abstractmethod
    def advance(self, path: Round, progress: RouteProgress) -> Status:
        """Follow the path and return the status of this tick."""

    def follow(self, path: Round, progress: RouteProgress, distance: float = float("inf")) -> None:
        """Drive on, at most so far (m)."""
        twist = follow(path, progress, self.percepts.lead_progress, self.live.value, distance)
        self.drive(twist.linear, twist.angular)


class ApproachLine(RouteFollower):
    """Follow the lane to the place before the stop line, and stand there. RUNNING always.

    Blackboard Variables:
        * route (Route) [r], progress (RouteProgress) [r], lead_progress (float) [r]
        * command [w]
        * halted (int) [w]: None, for it stands by its place alone
    """

    def __init__(self, name: str, robot: str, live: Live[CrosserParameters], reads: tuple[str, ...] = ()) -> None:
        super().__init__(name, robot, live, reads, blackboard.HALTED)

    def advance(self, path: Round, progress: RouteProgress) -> Status:
        """Follow the lane up to the place of waiting; RUNNING always."""
        self.follow(path, progress, -progress.along)
        return Status.RUNNING


class Cross(RouteFollower):
    """Drive through the crossing, whatever its lease, and note that it has left. RUNNING until then, then SUCCESS.

    The feedback names the route.

    Blackboard Variables:
        * route (Route) [r], progress (RouteProgress) [r], lead_progress (float) [r]
        * command [w]
        * left (int) [w]: number of the lap whose crossing was left
    """

    def __init__(self, name: str, robot: str, live: Live[CrosserParameters], reads: tuple[str, ...] = ()) -> None:
        super().__init__(name, robot, live, reads, blackboard.LEFT)

    def advance(self, path: Round, progress: RouteProgress) -> Status:
        """Follow the path; SUCCESS once the next robot surely fits behind this one, RUNNING until then."""
        self.feedback_message = str(self.percepts.route)
        self.follow(path, progress)
        if progress.along < path.movement.length + self.live.value.place_margin:
            return Status.RUNNING
        self.outputs.left = self.percepts.route.lap
        return Status.SUCCESS


class DriveOut(RouteFollower):
    """Follow the lane outwards to where robots turn round. RUNNING until it is near, then SUCCESS.

    Blackboard Variables:
        * route (Route) [r], progress (RouteProgress) [r], lead_progress (float) [r]
        * command [w]
    """

    def advance(self, path: Round, progress: RouteProgress) -> Status:
        """Follow the lane; RUNNING until the turning point is near, then SUCCESS."""
        if progress.along >= path.turning - braking_distance(progress.speed, self.live.value) - _THERE:
            return Status.SUCCESS
        self.follow(path, progress)
        return Status.RUNNING


class PauseAtEnd(RouteFollower):
    """Stand at the end of the arm for a while, not on a link. RUNNING until it is over, then SUCCESS.

    Blackboard Variables:
        * route (Route) [r], progress (RouteProgress) [r], lead_progress (float) [r]
        * command [w]

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters
        streams: random numbers of this robot
    """

    def __init__(self, name: str, robot: str, live: Live[CrosserParameters], streams: RandomStreams) -> None:
        super().__init__(name, robot, live)
        self._streams = streams

    def setup(self, **kwargs: object) -> None:
        """Begin the random numbers again."""
        self._random = self._streams.generator("pauses")

    def initialise(self) -> None:
        """Draw how long; one that has begun to turn has paused."""
        path, progress = self.path, self.percepts.progress
        begun = path is not None and progress is not None and progress.along > path.turning + 2.0 * _THERE
        mean = self.live.value.pause_s
        drawn = not begun and mean > 0.0 and path is not None and path.turns_round
        self._until = self.now + (round(float(self._random.exponential(mean)) * SECOND) if drawn else 0)

    def advance(self, path: Round, progress: RouteProgress) -> Status:
        """Follow the route up to the turning point; RUNNING until the pause is over, then SUCCESS."""
        if self.now >= self._until:
            return Status.SUCCESS
        self.follow(path, progress, path.turning - progress.along)
        return Status.RUNNING


class TurnRound(RouteFollower):
    """Drive the half circle into the lane that leads back, or a link to its middle. RUNNING until then, then SUCCESS.

    Blackboard Variables:
        * route (Route) [r], progress (RouteProgress) [r], lead_progress (float) [r]
        * command [w]
    """

    def advance(self, path: Round, progress: RouteProgress) -> Status:
        """Follow the round to its end; RUNNING until then, then SUCCESS."""
        if progress.along >= path.end - _THERE:
            return Status.SUCCESS
        self.follow(path, progress)
        return Status.RUNNING


class BeginRound(RouteFollower):
    """Choose which way to go next, where a round has ended. SUCCESS; FAILURE without a pose.

    Blackboard Variables:
        * route (Route) [r], progress (RouteProgress) [r], lead_progress (float) [r]
        * command [w]
        * next_route (Route) [w]: it is driven from the next tick on

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters
        chooser: draws the turn
    """

    def __init__(self, name: str, robot: str, live: Live[CrosserParameters], chooser: RouteChooser) -> None:
        super().__init__(name, robot, live, writes=blackboard.NEXT_ROUTE)
        self._chooser = chooser

    def advance(self, path: Round, progress: RouteProgress) -> Status:
        """Write the next route and follow it from the robot's pose; SUCCESS, or FAILURE without a pose."""
        if progress.pose is None:
            return Status.FAILURE
        route = self._chooser.begin(self.percepts.route.lap + 1, path.next_lane, progress.pose, self.now)
        self.outputs.next_route = route
        self.feedback_message = str(route)
        # What is ahead on the new route nobody has looked for yet.
        begun = self._rounds[route.key]
        place = progress_at(begun, begun.begin, progress.pose, progress.speed, self.live.value)
        twist = follow(begun, place, None, self.live.value, -place.along)
        self.drive(twist.linear, twist.angular)
        return Status.SUCCESS
