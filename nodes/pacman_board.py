"""What people, RViz and Nav2 are told of a game of PacMan; robots read the message ``pacman``."""

from __future__ import annotations

from collections import deque
from typing import Any

from sensor_msgs.msg import PointCloud2
from std_msgs.msg import Int32, String
from visualization_msgs.msg import MarkerArray

from arena_trees.games.pacman.controller import PacmanController
from arena_trees.games.pacman.messages import PacmanGame, PacmanPhase
from arena_trees.nodes.pacman_markers import cloud_message, ghost_markers, ghost_points, pellet_markers
from arena_trees.nodes.qos import COMMAND, EVENTS, LATCHED
from arena_trees.nodes.timelines import stamp_message
from arena_trees.robot.clock import SECOND

__all__ = ["COMMANDS", "PacmanBoard"]

COMMANDS = {PacmanPhase.RETURNING_HOME: "RETURN_HOME", PacmanPhase.RUNNING: "ENABLE"}
"""Document 002's game command in each phase; DISABLE in every other."""

_TRAIL = 10 * SECOND
"""Nav2's global costmap is renewed once a second, and later on a machine that is busy."""


class PacmanBoard:
    """Publishes what changes when it changes, and ghosts with every message of the game.

    Topics, relative:
        * ``game/state``, ``game/command`` (std_msgs/String), ``game/score``, ``game/round`` (std_msgs/Int32),
          reliable, latched [published on change]
        * ``game/events`` (std_msgs/String, reliable, keep last 50) [published]: name of each event
        * ``pellets/markers`` (visualization_msgs/MarkerArray, reliable, latched) [published on change]
        * ``ghosts/markers`` (visualization_msgs/MarkerArray, reliable, latched) [published]
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
        self._pellets = create(MarkerArray, "pellets/markers", LATCHED)
        self._ghosts = create(MarkerArray, "ghosts/markers", LATCHED)
        self._cloud = create(PointCloud2, "ghost_cloud", COMMAND)
        self._trail = create(PointCloud2, "ghost_trail", COMMAND)
        self.forget()

    def forget(self) -> None:
        """Tell everything anew: another controller leads the game."""
        self._told: dict[str, Any] = {}
        self._seen = 0
        self._left: tuple[int, ...] | None = None
        self._been: deque[tuple[int, list[tuple[float, float]]]] = deque()

    def tell_events(self, controller: PacmanController) -> list[str]:
        """Publish what has happened since the last time; return its names."""
        names = [event.event.value for event in controller.events[self._seen :]]
        self._seen = len(controller.events)
        for name in names:
            self._events.publish(String(data=name))
        return names

    def tell(self, controller: PacmanController, now: int) -> None:
        """Publish the state of the game at an instant (ns)."""
        game, stamp = controller.game(now), stamp_message(now)
        command = COMMANDS.get(game.phase, "DISABLE")
        values = {"state": game.phase.value, "command": command, "score": game.score, "round": game.round}
        for name, value in values.items():
            if self._told.get(name) != value:
                self._told[name] = value
                publisher = self._values[name]
                publisher.publish(publisher.msg_type(data=value))
        left = tuple(pellet.id for pellet in game.pellets)
        if left != self._left:
            self._left = left
            self._pellets.publish(pellet_markers(controller.field.spawned, left, stamp))
        self._ghosts.publish(ghost_markers(game, stamp))
        self._tell_nav2(game, now, stamp)

    def _tell_nav2(self, game: PacmanGame, now: int, stamp: Any) -> None:
        while self._been and not 0 <= now - self._been[0][0] <= _TRAIL:
            self._been.popleft()
        points = ghost_points(game.ghosts) if game.phase is PacmanPhase.RUNNING else []
        gone = [point for _, places in self._been for point in places]
        self._trail.publish(cloud_message(gone, stamp))
        self._cloud.publish(cloud_message(points, stamp))
        if points and (not self._been or self._been[-1][1] != points):
            self._been.append((now, points))
