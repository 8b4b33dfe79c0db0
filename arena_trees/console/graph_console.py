"""The console of robots on ROS."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from arena_trees.console.console import Console
from arena_trees.console.exchange import Played, State
from arena_trees.console.live_game import LiveGame
from arena_trees.console.own_process import start_process
from arena_trees.robot.errors import ConfigError

__all__ = ["GraphConsole"]

_GRAPH = "ROS"
_WATCH = "arena_trees.console.graph_process.watch_graph"


class GraphConsole(Console):
    """Holds what is watched of a ROS graph, whose domain is that of the environment.

    Args:
        recordings: folder of recordings; made when the first is saved
        on_played: called in another thread with all that the watching process sends
    """

    def __init__(self, recordings: Path, on_played: Callable[[Played], object] | None = None) -> None:
        super().__init__(_GRAPH, {}, recordings, on_played)

    def scenarios(self) -> Mapping[str, str]:
        """Return none."""
        return {}

    def play(self, scenario: str, seed: int) -> None:
        """Refuse: robots on ROS are launched, and no game of the arena is begun in their place.

        Raises:
            ConfigError: always
        """
        raise ConfigError("robots on ROS are launched by ros2 launch or arena-trees run-ros", key="scenario")

    def compare(self, a: str, b: str, pairs: int) -> None:
        """Refuse: there is no scenario to play in pairs.

        Raises:
            ConfigError: always
        """
        raise ConfigError("an A/B test needs a scenario: arena-trees console SCENARIO", key="scenario")

    def make_game(self, scenario: str, changes: Mapping[str, Any]) -> LiveGame:
        """Return the graph, which is watched from now on."""
        return LiveGame(State(scenario, 0, ros=_GRAPH), partial(start_process, _WATCH), self.on_played)
