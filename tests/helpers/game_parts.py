"""A game of the console without a console: its parts, seven ticks each."""

from collections.abc import Mapping
from typing import Any

from arena_trees.console.game_parts import GameParts
from arena_trees.console.game_process import plan_of
from arena_trees.experiments.trial import Trial
from arena_trees.recording.recording import Recording


def played_parts(scenario: str, changes: Mapping[str, Any]) -> list[Recording]:
    """Play a scenario's first trial to its end, and return its parts."""
    trial = Trial(plan_of(scenario, changes), 0)
    parts = []
    try:
        trial.observer = gathering = GameParts(trial, scenario)
        trial.begin()
        while not trial.judge.over:
            trial.step()
            if next(iter(trial.loops.values())).ticks % 7 == 0:
                parts.append(gathering.take())
        parts.append(gathering.take())
    finally:
        trial.close()
    return parts
