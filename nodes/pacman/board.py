"""Topics of a game of PacMan for people and for Nav2, with the PacMan report's names.

Robots read the message ``pacman``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

from sensor_msgs.msg import PointCloud2
from std_msgs.msg import Int32, String

from arena_trees.games.game import Rules
from arena_trees.games.pacman.game_controller import GameController
from arena_trees.games.pacman.messages import GhostView, PacmanGame, PacmanPhase
from arena_trees.nodes.adapters.point_cloud import disc_points, point_cloud
from arena_trees.nodes.adapters.timelines import stamp_message
from arena_trees.nodes.runtime.qos import COMMAND, EVENTS, LATCHED
from arena_trees.robot.clock import SECOND
from arena_trees.robot.ros_messages.layout import MAP_FRAME

__all__ = ["CLOUD_RADIUS", "COMMANDS", "PacmanBoard", "ghost_points"]

COMMANDS = {PacmanPhase.RETURNING_HOME: "RETURN_HOME", PacmanPhase.RUNNING: "ENABLE"}
"""The PacMan report's game command in each phase; DISABLE in every other."""

CLOUD_RADIUS = 0.05
"""m; the PacMan report's: a ghost is nine points, one in its middle and eight around it."""
_CLOUD_HEIGHT = 0.25
"""Height of the points, m; the PacMan report's."""

_TRAIL = 10 * SECOND
"""Nav2's global costmap is renewed once a second, and later on a machine that is busy."""

Spot = tuple[float, float]


class PacmanBoard:
    """Publishes what changes when it changes, and ghosts with every message of the game.

    Topics, relative:
        * ``game/state``, ``game/command`` (std_msgs/String), ``game/score``, ``game/round`` (std_msgs/Int32),
          reliable, latched [published on change]
        * ``game/events`` (std_msgs/String, reliable, keep last 50) [published]: name of each event
        * ``ghost_cloud`` (sensor_msgs/PointCloud2 in map, reliable, keep last 1) [published]: nine points for each
          ghost that can do harm, none unless the game is RUNNING: a robot on its way home need not fear them
        * ``ghost_trail`` (the same) [published]: such points of the last 10 s, for a costmap to clear what
          it marked there

    Args:
        node: whose publishers they are
    """

    def __init__(self, node: Any) -> None:
        create = node.create_publisher
        self._values = {
            name: create(kind, f"game/{name}", LATCHED)
            for name, kind in (("state", String), ("command", String), ("score", Int32), ("round", Int32))
        }
        self._events = create(String, "game/events", EVENTS)
        self._cloud = create(PointCloud2, "ghost_cloud", COMMAND)
        self._trail = create(PointCloud2, "ghost_trail", COMMAND)
        self._rules: Rules | None = None
        self._published: dict[str, Any] = {}
        self._events_sent = 0
        self._places: deque[tuple[int, list[Spot]]] = deque()

    def update(self, rules: Rules, now: int) -> None:
        """Publish what is new (now: ns); everything where other rules lead the game than before."""
        assert isinstance(rules, GameController)
        if rules is not self._rules:
            self._rules, self._events_sent = rules, 0
            self._published.clear()
            self._places.clear()
        events = rules.controller.events
        for event in events[self._events_sent :]:
            self._events.publish(String(data=event.event.value))
        self._events_sent = len(events)
        self._publish_game(rules.state)
        self._publish_ghosts(rules.state, now)

    def _publish_game(self, game: PacmanGame) -> None:
        command = COMMANDS.get(game.phase, "DISABLE")
        values = {"state": game.phase.value, "command": command, "score": game.score, "round": game.round}
        for name, value in values.items():
            if self._published.get(name) != value:
                self._published[name] = value
                publisher = self._values[name]
                publisher.publish(publisher.msg_type(data=value))

    def _publish_ghosts(self, game: PacmanGame, now: int) -> None:
        stamp = stamp_message(now)
        while self._places and not 0 <= now - self._places[0][0] <= _TRAIL:
            self._places.popleft()
        points = ghost_points(game.ghosts) if game.phase is PacmanPhase.RUNNING else []
        gone = [point for _, places in self._places for point in places]
        self._trail.publish(point_cloud(gone, MAP_FRAME, stamp, _CLOUD_HEIGHT))
        self._cloud.publish(point_cloud(points, MAP_FRAME, stamp, _CLOUD_HEIGHT))
        if points and (not self._places or self._places[-1][1] != points):
            self._places.append((now, points))


def ghost_points(ghosts: Sequence[GhostView]) -> list[Spot]:
    """Return nine points (x, y; map frame, m) for each ghost that can do harm."""
    shown = (ghost for ghost in ghosts if not ghost.frightened)
    return [point for ghost in shown for point in disc_points(ghost.x, ghost.y, CLOUD_RADIUS, 8)]
