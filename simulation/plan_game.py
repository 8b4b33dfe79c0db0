"""What a plan needs to know of the game that is played: its rules, and what it cannot be played with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from arena_trees.games.pacman.controller import PacmanController, PacmanRules
from arena_trees.games.pacman.pellet_field import PelletRules
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.parameters import Parameters
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.simulation.plan_files import changed, flatten
from arena_trees.simulation.scenario import Scenario
from arena_trees.world.footprint import ROBOT_RADIUS

if TYPE_CHECKING:
    from arena_trees.simulation.plan import TrialPlan, World

__all__ = ["check_game", "plan_rules"]


def plan_rules(scenario: Scenario, source: str | Path) -> Parameters | None:
    """Return the rules of the scenario's game, changed as it says; None for wolf and rabbit.

    Args:
        scenario: the scenario
        source: named in errors

    Raises:
        ConfigError: a rule is unknown or refused, or the game has its rules elsewhere
    """
    if scenario.game == "pacman":
        rules: Parameters = changed(PacmanRules(), dict(flatten(scenario.rules)), source, "rules")
        return rules
    if scenario.rules:
        raise ConfigError("this game's rules are under the key referee", file=source, key="rules", value=scenario.rules)
    return None


def check_game(plan: TrialPlan, world: World) -> None:
    """Refuse what the game cannot be played with.

    Args:
        plan: what shall be played
        world: of its first trial

    Raises:
        ConfigError: it cannot be played
    """
    scenario = plan.scenario
    if scenario.game == "wolf_rabbit":
        if plan.map is not None:
            raise ConfigError("wolf and rabbit need an arena with fences, not a map", key="map", value=scenario.map)
        return
    if plan.with_role(scenario.game) is None:
        raise ConfigError(f"exactly one robot must have the role {scenario.game}", key="robots")
    if plan.map is None:
        raise ConfigError("is required: this game is played on a map", key="map")
    if scenario.isolated:
        raise ConfigError("this game cannot be played without messages", key="isolated", value=True)
    for spec in world.specs:
        if plan.map.clearance_at(spec.start.x, spec.start.y) < ROBOT_RADIUS:
            place = [spec.start.x, spec.start.y]
            raise ConfigError("the map has no free room there", key=f"robots.{spec.name}.start", value=place)
    assert isinstance(plan.rules, PacmanRules)
    try:
        PacmanController(plan.map, world.specs[0].start, RandomStreams(scenario.seed), plan.rules)
    except ConfigError as error:
        # The map has no room for pellets or ghosts.
        key = f"rules.pellets.{error.key}" if error.key in PelletRules.model_fields else error.key
        raise ConfigError(error.reason, file=scenario.map, key=key, value=error.value) from error
