"""What a console holds: the game that is played, and what it is compared with."""

from __future__ import annotations

import shlex
import threading
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from arena_trees.console.ab_test import ABTest, Arms
from arena_trees.console.exchange import Played, State
from arena_trees.console.live_game import LiveGame
from arena_trees.console.own_process import start_process
from arena_trees.experiments.plan import make_plan
from arena_trees.experiments.scenario import Team, find_scenario, load_scenario, scenario_names
from arena_trees.robot.configuration.assignments import parse_assignments
from arena_trees.robot.errors import ConfigError

__all__ = ["Console"]

_PLAY = "arena_trees.console.game_process.play_game"


class Console:
    """Holds the game that is played, and begins another.

    Args:
        scenario: name or file
        changes: key to value, as ``arena-trees run --set`` takes them, for this scenario
        recordings: folder of recordings; made when the first is saved
        on_played: called in another thread with all that a game's process sends

    Attributes:
        on_played: called in another thread with all that a game's process sends
        first: the scenario that the console began with, which may be a file
        recordings: folder of recordings
    """

    def __init__(
        self,
        scenario: str,
        changes: Mapping[str, Any],
        recordings: Path,
        on_played: Callable[[Played], object] | None = None,
    ) -> None:
        self.on_played = on_played
        self.first = scenario
        self.recordings = recordings
        self._changes = dict(changes)
        self._lock = threading.Lock()
        self._number = 0
        self._closed = False
        self._game: LiveGame | None = None
        self._ab_test: ABTest | None = None

    @property
    def game(self) -> tuple[int, LiveGame]:
        """The number of the game, which no other has, and the game, which begins when somebody first looks at it.

        Raises:
            ConfigError: the console is closed
        """
        with self._lock:
            if self._game is None:
                self._game = self._begin(self.first, self._changes)
            return self._number, self._game

    def scenarios(self) -> Mapping[str, str]:
        """Return what each shipped scenario is that may be played."""
        return _scenarios()

    def play(self, scenario: str, seed: int) -> None:
        """Begin another game, and end the one before."""
        kept = self._changes if scenario == self.first else {}
        with self._lock:
            before, self._game = self._game, self._begin(scenario, {**kept, "seed": seed})
            self._number += 1
        if before is not None:
            before.close()

    @property
    def ab_test(self) -> ABTest | None:
        """The newest A/B test; None where there was none."""
        with self._lock:
            return self._ab_test

    def compare(self, a: str, b: str, pairs: int) -> None:
        """Begin an A/B test of the scenario that is played, and end the one before.

        Args:
            a: assignments of the first arm, as ``--set`` takes them, with spaces between; empty for the game's begin
            b: assignments of the second arm; empty for the parameters as they are now
            pairs: of trials, the first of the game's seed

        Raises:
            ConfigError: an arm cannot be played, or both are the same
        """
        playing = self.game[1]
        state = playing.state
        kept = self._changes if state.scenario == self.first else {}
        tuned = {
            f"{robot}.{key}": value
            for robot, sheet in playing.sheets.items()
            for key, value in sheet["values"].items()
            if value != sheet["begin"][key]
        }
        first, second = (
            {**kept, **(_assigned(text, name) if text.strip() else own), "seed": state.seed}
            for name, text, own in (("A", a, {}), ("B", b, tuned))
        )
        test = ABTest(Arms(state.scenario, pairs, first, second))
        with self._lock:
            before, self._ab_test = self._ab_test, test
            is_late = self._closed
        for one in (before, test if is_late else None):
            if one is not None:
                one.close()

    def close(self) -> None:
        """End the game, and begin no other."""
        with self._lock:
            self._closed = True
            before: tuple[LiveGame | ABTest | None, ...] = self._game, self._ab_test
            self._game = self._ab_test = None
        for one in before:
            if one is not None:
                one.close()

    def make_game(self, scenario: str, changes: Mapping[str, Any]) -> LiveGame:
        """Return a game, which stands.

        Args:
            scenario: name or file
            changes: key to value
        """
        state = State(scenario, int(changes.get("seed", 0)))
        return LiveGame(state, partial(start_process, _PLAY, scenario, dict(changes)), self.on_played)

    def _begin(self, scenario: str, changes: Mapping[str, Any]) -> LiveGame:
        if self._closed:
            raise ConfigError("is closed", key="console")
        return self.make_game(scenario, changes)


def _assigned(text: str, source: str) -> dict[str, Any]:
    try:
        parts = shlex.split(text)
    except ValueError as error:
        raise ConfigError(str(error), key=source, value=text) from error
    found = parse_assignments(parts, source)
    for key in ("seed", "trials"):
        if key in found:
            raise ConfigError("both arms play the same pairs of trials", key=f"{source}: {key}", value=found[key])
    return found


def _scenarios() -> dict[str, str]:
    """Return what each shipped scenario is whose robots have trees."""
    found = {}
    for name in scenario_names():
        scenario = load_scenario(find_scenario(name))
        # Points without sensors are teams, and few scenarios are; to plan each one would take long.
        if not (isinstance(scenario.robots, Team) and _has_world(name)):
            found[name] = scenario.description
    return found


def _has_world(name: str) -> bool:
    path = find_scenario(name)
    return make_plan(load_scenario(path), path, path.parent).has_world
