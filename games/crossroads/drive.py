"""The plan of a crossing with robots that drive: arena, robots and their sensors, made from the scenario."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena_trees.behaviours.crossroads.parameters import CrosserParameters
from arena_trees.games.crossroads.known_road import KnownRoad
from arena_trees.games.crossroads.stop_lines import stop_line_limit
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.parameters import load_parameters
from arena_trees.robot.resources import config_path
from arena_trees.simulation.plan import RobotPlan, TrialPlan
from arena_trees.simulation.plan_files import changed, flatten
from arena_trees.simulation.robot import SensorParameters
from arena_trees.simulation.scenario import RobotEntry, Scenario
from arena_trees.trees.roles import find_role
from arena_trees.world.arena_file import ArenaFile, Start
from arena_trees.world.crossing.floor import CrossingFloor
from arena_trees.world.crossing.plan import plan_of
from arena_trees.world.crossing.round import Round, check_round_trips
from arena_trees.world.crossing.section import CrossingArena

if TYPE_CHECKING:
    from arena_trees.games.crossroads.scenario import Crossroads

__all__ = ["plan_drive"]

_SPARE = 0.12
"""Between robots that start in one lane, beside the distance at which they follow each other, m."""

_SPREAD = 0.04
"""Starts are drawn from a disc of this radius, m."""


def plan_drive(scenario: Crossroads, source: str | Path) -> TrialPlan:
    """Return the plan of a scenario whose robots drive.

    Args:
        scenario: the scenario
        source: named in errors

    Raises:
        ConfigError: something cannot be used
    """
    try:
        check_round_trips(scenario.plan, scenario.robots)
    except ConfigError as error:
        raise error.within(source, "plan") from error
    road = CrossingArena(plan=scenario.plan, floor=scenario.floor)
    arena = ArenaFile(
        name="crossing", fenced=False, crossing=road, starts=_starts(scenario), start_distance=scenario.plan.separation
    )
    role = find_role("crosser")
    parameters = _parameters(scenario, source)
    sensors = _sensors(scenario, source)
    floor = CrossingFloor(scenario.plan, scenario.floor)
    entries = {name: RobotEntry(role="crosser") for name in scenario.names}
    robots = {
        name: RobotPlan(
            name,
            entry,
            parameters,
            sensors,
            None,
            role.create_root,
            KnownRoad(floor, (stop_line_limit(name, scenario.plan),), scenario.localiser),
        )
        for name, entry in entries.items()
    }
    played = Scenario(
        description=scenario.description,
        game="crossroads",
        arena="crossing",
        duration_s=scenario.duration_s,
        trials=scenario.trials,
        seed=scenario.seed,
        robots=entries,
        bus=scenario.bus,
        faults=scenario.sensor_faults,
    )
    return TrialPlan(played, arena, robots, scenario)


def _parameters(scenario: Crossroads, source: str | Path) -> CrosserParameters:
    shipped = load_parameters(CrosserParameters, config_path("crosser.yaml"))
    pause = 0.0
    if scenario.arrivals_per_min > 0.0:
        pause = 60.0 * scenario.robots / scenario.arrivals_per_min
    own: dict[str, Any] = {
        "strategy": scenario.strategy,
        "pause_s": pause,
        **{f"plan.{key}": value for key, value in scenario.plan.model_dump().items()},
        **{f"times.{key}": value for key, value in scenario.times.model_dump().items()},
    }
    made: CrosserParameters = changed(shipped, {**own, **dict(flatten(scenario.crosser))}, source, "crosser")
    _check_lease(made, scenario, source)
    return made


def _check_lease(crosser: CrosserParameters, scenario: Crossroads, source: str | Path) -> None:
    """Refuse leases that no robot could ever enter on."""
    if scenario.protocol == "source":
        return
    needed = max(crosser.crossing_time(Round(way, scenario.plan)) for way in plan_of(scenario.plan).movements.values())
    sure = scenario.times.lease * (1.0 - scenario.times.clock_drift)
    if needed >= sure:
        raise ConfigError(
            f"must be more than {needed / (1.0 - scenario.times.clock_drift):.1f} s, the longest crossing",
            file=source,
            key="times.lease",
            value=scenario.times.lease,
        )


def _sensors(scenario: Crossroads, source: str | Path) -> SensorParameters:
    own: dict[str, Any] = {"lanes.lane_width": scenario.plan.lane_width}
    if scenario.sensing == "rendered":
        own["lanes.kind"] = "rendered"
    made: SensorParameters = changed(SensorParameters(), {**own, **dict(flatten(scenario.sensors))}, source, "sensors")
    return made


def _starts(scenario: Crossroads) -> dict[str, Start]:
    """Return starts in the approach lanes, side by side first, the first ones farthest out."""
    p = scenario.plan
    plan = plan_of(p)
    far = p.size - p.robot_radius - 2.0 * _SPREAD
    starts = {}
    for index, name in enumerate(scenario.names):
        row, side = divmod(index, len(plan.approaches))
        back = far - row * (p.follow_gap + _SPARE)
        place = plan.from_side(plan.approaches[side]).path.pose(p.hold_distance - back)
        starts[name] = Start(position=(place.x, place.y), radius=_SPREAD, yaw=place.yaw)
    return starts
