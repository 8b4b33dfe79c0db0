"""Results files, read back: what ``run``, ``run-ros``, ``lab`` and ``judge`` write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from arena_trees.experiments.results import Arm, RunResult, TrialResult
from arena_trees.experiments.scenario import find_scenario, load_scenario
from arena_trees.games.game import Game
from arena_trees.games.registry import find_game, game_names
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.messaging.json_text import JsonError, JsonLimits, read_json

__all__ = ["game_of_results", "read_results"]

_LIMITS = JsonLimits(bytes=1 << 28, values=1 << 24, text=1 << 20)


def read_results(path: Path, game: Game | None = None) -> RunResult:
    """Return the run that a results file holds: without worlds, ways and pictures.

    Args:
        path: of the file
        game: that was played; that of the file's scenario where not given

    Raises:
        ConfigError: it is no such file, or of a scenario that is not here
    """
    try:
        values = read_json(path.read_text(encoding="utf-8"), _LIMITS)
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", file=path) from error
    except (JsonError, UnicodeDecodeError) as error:
        raise ConfigError("is no JSON", file=path) from error
    try:
        played = game_of_results(values["scenario"], path) if game is None else game
        others = values.get("arms", {})
        arms = [Arm(values.get("arm", ""), _trials(values), played.metrics)]
        arms += [Arm(name, _trials(one), played.metrics) for name, one in others.items()]
        return RunResult(
            scenario=values["scenario"],
            version=values["version"],
            seed=values["seed"],
            planned=max(len(arm.trials) for arm in arms),
            arms=arms,
            settings=values.get("settings", {}),
            outcomes=played.outcomes,
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ConfigError("is no results file of run, run-ros, lab or judge", file=path) from error


def game_of_results(scenario: str, path: Path) -> Game:
    """Return the game of a scenario that a results file names.

    Raises:
        ConfigError: there is no such scenario or game here
    """
    if scenario in game_names():
        return find_game(scenario)
    try:
        return find_game(load_scenario(find_scenario(scenario)).game)
    except ConfigError as error:
        raise ConfigError(
            f"{error.reason}: its metrics are not known", file=path, key="scenario", value=scenario
        ) from error


def _trials(values: dict[str, Any]) -> tuple[TrialResult, ...]:
    return tuple(TrialResult.from_dict(trial) for trial in values["trials"])
