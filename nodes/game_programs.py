"""Which programs play a scenario on ROS, and with which parameters: what launch files say, from the scenario itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel

from arena_trees.games.crossroads.known_road import KnownRoad
from arena_trees.games.crossroads.scenario import Crossroads
from arena_trees.nodes.processes import Program
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.message_bus import BusParameters
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.simulation.any_game import AnyScenario
from arena_trees.simulation.plan import RobotPlan, TrialPlan, draw_world

__all__ = [
    "ARENA",
    "PACMAN",
    "REFEREE",
    "Order",
    "check_playable",
    "check_previews",
    "robot_program",
    "write_programs",
]

ARENA = "arena_simulator"
REFEREE = "referee"
PACMAN = "pacman_game"
_SCHEDULER = "crossing_scheduler"
_TF = {"/tf": "tf", "/tf_static": "tf_static"}


@dataclass(frozen=True, slots=True)
class Order:
    """A trial to play.

    Attributes:
        scenario: name of a shipped scenario, or a file
        changes: of it, as ``--set`` has them, but no seed
        plan: of both
        index: number of the trial
    """

    scenario: str
    changes: tuple[str, ...]
    plan: TrialPlan
    index: int

    @property
    def seed(self) -> int:
        """Seed of the trial."""
        return self.plan.scenario.seed + self.index


def check_playable(scenario: AnyScenario) -> None:
    """Refuse a scenario that needs what is in the embedded arena alone.

    Raises:
        ConfigError: it does
    """
    if isinstance(scenario, Crossroads):
        if scenario.sensing == "kinematic":
            raise ConfigError("robots without sensors are played without ROS only", key="sensing", value="kinematic")
        if scenario.faults:
            raise ConfigError("deaths are played without ROS only", key="faults")
        for index, fault in enumerate(scenario.sensor_faults):
            if fault.sensor in ("lane", "markers"):
                reason = "a lane camera falls silent without ROS only"
                raise ConfigError(reason, key=f"sensor_faults.{index}.sensor", value=fault.sensor)
    elif scenario.end.recovery is not None:
        raise ConfigError("a trial that ends with a recovery is played without ROS only", key="end.recovery")
    if scenario.bus != BusParameters():
        raise ConfigError("on ROS the messages go by the network that is there", key="bus")
    if scenario.variants:
        raise ConfigError("a scenario with variants is played without ROS only", key="variants")


def check_previews(plan: TrialPlan) -> None:
    """Refuse robots that see signs and lanes each by a rendered camera of its own: a TurtleBot4 has one preview.

    Raises:
        ConfigError: there is one
    """
    for name, robot in plan.robots.items():
        if robot.sensors.camera.kind == robot.sensors.lanes.kind == "rendered":
            reason = "on ROS a robot has one preview: pinhole where the lane camera is rendered"
            raise ConfigError(reason, key=f"{name}.sensors.camera.kind", value="rendered")


def robot_program(robot: str, module: str) -> str:
    """Return the name of a robot's process."""
    return f"{robot}.{module}"


def write_programs(order: Order, folder: Path) -> list[Program]:
    """Return the programs of a trial, and write the arena that they share.

    Trees and rules wait until they are told to begin, so that all begin at one time.

    Args:
        order: the trial
        folder: for the arena file; made where it is missing
    """
    plan = order.plan
    folder.mkdir(parents=True, exist_ok=True)
    arena = folder / "arena.yaml"
    arena.write_text(yaml.safe_dump(plan.arena.model_dump(mode="json", exclude_none=True)), encoding="utf-8")
    world: dict[str, Any] = {"scenario": order.scenario, "seed": order.seed}
    if order.changes:
        world["set"] = list(order.changes)
    programs: list[Program] = []
    for robot in plan.robots.values():
        programs += _robot(robot, order, arena)
    programs += _rules(order, arena)
    programs += [_localiser(robot, robot.road, order, arena) for robot in plan.robots.values() if robot.road]
    # They end in this order, too: the arena last.
    return [*programs, Program(ARENA, ARENA, parameters=world)]


def _rules(order: Order, arena: Path) -> Iterator[Program]:
    """Yield the program that holds the rules, where there are any."""
    plan, told = order.plan, {"autostart": False, "use_sim_time": True}
    wolf, rabbit = plan.with_role("wolf"), plan.with_role("rabbit")
    if isinstance(plan.rules, Crossroads):
        roster = list(plan.robots) if plan.rules.roster else [""]
        who = {"arena": str(arena), "protocol": plan.rules.protocol, "roster": roster, "use_sim_time": True}
        yield Program(_SCHEDULER, _SCHEDULER, parameters={**_values(plan.rules.times, "times."), **who})
    elif plan.scenario.game == "pacman":
        name = plan.with_role("pacman")
        # The plan was checked.
        assert name is not None and plan.rules is not None
        start = draw_world(plan, order.index).specs[0].start
        who = {"robot": name, "map": plan.robots[name].parameters.model_dump()["map"], "seed": order.seed}
        seen = {"home": [start.x, start.y, start.yaw], "judged_by": plan.scenario.judged_by}
        yield Program(PACMAN, PACMAN, parameters={**_values(plan.rules), **who, **seen, **told})
    elif not plan.scenario.isolated and wolf is not None and rabbit is not None:
        rules = plan.scenario.referee.with_changes({"round_duration": plan.scenario.duration_s})
        who = {"wolf": wolf, "rabbit": rabbit, "arena": str(arena)}
        yield Program(REFEREE, REFEREE, parameters={**_values(rules), **who, **told})


def _robot(robot: RobotPlan, order: Order, arena: Path) -> Iterator[Program]:
    name, entry = robot.name, robot.entry
    # In the arena of a map there is no fence; at a crossing the gate knows its lines by the arena.
    fenced = robot.fence is not None
    common = {"arena": str(arena) if fenced or robot.road is not None else "", "use_sim_time": True}

    def program(module: str, parameters: Mapping[str, Any]) -> Program:
        return Program(robot_program(name, module), module, f"/{name}", {**common, **parameters}, _TF)

    own = {"role": entry.role, "seed": order.seed, "isolated": order.plan.scenario.isolated, "autostart": False}
    yield program("tree_node", {**_values(robot.parameters), **_values(entry.fence, "fence."), **own})
    yield program("velocity_gate", _values(entry.gate))
    if fenced:
        yield program("geofence_supervisor", _values(entry.fence, "fence."))
    camera = robot.sensors.camera
    if camera.kind == "rendered":
        yield program("sign_detector", {"threshold": camera.threshold, "model": camera.model or ""})


def _localiser(robot: RobotPlan, road: KnownRoad, order: Order, arena: Path) -> Program:
    """Return what tells a robot on a road where it is; it is told the same start as without ROS."""
    streams = RandomStreams(order.seed).child(f"placed.{robot.name}")
    start = road.told(draw_world(order.plan, order.index).layout.starts[robot.name], streams)
    own = {
        "robot": robot.name,
        "arena": str(arena),
        "start": [start.x, start.y, start.yaw],
        "markers": robot.sensors.lanes.markers,
        "use_sim_time": True,
        **_values(road.parameters, "pose."),
    }
    name = robot_program(robot.name, "lane_localiser")
    return Program(name, "lane_localiser", f"/{robot.name}", own, _TF)


def _values(model: BaseModel, prefix: str = "") -> dict[str, Any]:
    """Return a model's values by dotted key, as :mod:`~arena_trees.nodes.parameters` reads them."""
    values: dict[str, Any] = {}
    for key, value in model.model_dump(mode="json").items():
        inner = getattr(model, key)
        if isinstance(inner, BaseModel):
            values |= _values(inner, f"{prefix}{key}.")
        elif isinstance(inner, tuple) and any(isinstance(item, BaseModel) for item in inner):
            values[prefix + key] = [str(item) for item in inner]
        else:
            values[prefix + key] = "" if value is None else ([""] if value == [] else value)
    return values
