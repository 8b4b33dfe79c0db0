"""Routes: which way a robot goes through the crossing next."""

from __future__ import annotations

from arena_trees.behaviours.crossroads.parameters import CrosserParameters
from arena_trees.games.crossroads.blackboard import Route
from arena_trees.games.crossroads.layout.round import rounds_of
from arena_trees.games.crossroads.layout.words import Key, LaneKey, Turn
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.random_streams import RandomStreams

__all__ = ["RouteChooser"]


class RouteChooser:
    """Draws the turns of all routes from one stream of random numbers; it keeps nothing else.

    Args:
        live: parameters, for the movement
        streams: random numbers of this robot
    """

    def __init__(self, live: Live[CrosserParameters], streams: RandomStreams) -> None:
        self._live = live
        self._streams = streams
        self.reset()

    def reset(self) -> None:
        """Begin the stream again."""
        self._random = self._streams.generator("movements")

    def begin(self, lap: int, lane: LaneKey, pose: Pose2D, now: int) -> Route:
        """Return a new route from a lane.

        Args:
            lap: number of the lap
            lane: from which it comes
            pose: of the robot, map frame
            now: ns
        """
        p = self._live.value
        rounds = rounds_of(p.plan)
        ways = [Key(lane.side, turn, lane.crossing) for turn in Turn]
        ways = [key for key in ways if key in rounds]
        wanted = [key for key in ways if key.turn.value == p.movement] or ways
        key = wanted[int(self._random.integers(len(wanted)))]
        path = rounds[key]
        return Route(lap, key.approach, key.turn, now, path.project(path.begin, pose.x, pose.y), key.crossing)
