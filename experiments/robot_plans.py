"""Plans of robots: each robot of a scenario with its parameters, sensors, body and gate read and checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from arena_trees.experiments.plan_files import changed, find_file, find_map, is_scenario
from arena_trees.experiments.scenario import RobotEntry, Scenario, Team
from arena_trees.games.game import CreateRoot, Game, RobotSettings, Role
from arena_trees.robot.configuration.hints import no_such
from arena_trees.robot.configuration.parameters import Parameters, load_parameters
from arena_trees.robot.configuration.resources import config_files
from arena_trees.robot.configuration.yaml_files import flatten
from arena_trees.robot.errors import ConfigError
from arena_trees.safety.parameters import GateParameters
from arena_trees.simulation.physics.robot import SensorParameters
from arena_trees.world.arena_file import ArenaFile
from arena_trees.world.body import Body
from arena_trees.world.camera_optics import CameraOptics
from arena_trees.world.geofence import Geofence
from arena_trees.world.maps.map_files import map_names

__all__ = ["STRATEGY", "RobotPlan", "RobotPlans", "place_of"]

STRATEGY = "strategy"
"""Key of a scenario, and parameter of roles that have a choice."""


@dataclass(frozen=True, slots=True)
class RobotPlan:
    """One robot of a plan, with every value checked.

    Attributes:
        name: of the robot
        entry: its entry in the scenario
        parameters: of its role
        sensors: of the simulated robot
        body: its geometry and parts
        gate: limits of its velocity gate
        fence: its polygon; None where the arena has none
        create_root: makes its tree; that of its role, as a rule
    """

    name: str
    entry: RobotEntry
    parameters: Parameters
    sensors: SensorParameters
    body: Body
    gate: GateParameters
    fence: Geofence | None
    create_root: CreateRoot

    @property
    def camera(self) -> CameraOptics:
        """Its sphere camera where it has one, or else its sign camera."""
        sensors = self.sensors
        return sensors.camera if sensors.sphere_camera.kind == "none" else sensors.sphere_camera


class RobotPlans:
    """Plans the robots of a scenario; those that share an entry share what is read and checked for it.

    Args:
        game: that is played
        scenario: the scenario
        arena: with a start for every robot
        settings: of the game
        drawn: robot name to settings of its base and sensors that hold where neither scenario nor game gives any
        source: named in errors
        folder: of the scenario's file, in which other files are looked for first
    """

    def __init__(
        self,
        game: Game,
        scenario: Scenario,
        arena: ArenaFile,
        settings: RobotSettings,
        drawn: Mapping[str, Mapping[str, float]],
        source: str | Path,
        folder: Path | None,
    ) -> None:
        self._game = game
        self._scenario = scenario
        self._arena = arena
        self._settings = settings
        self._drawn = drawn
        self._source = source
        self._folder = folder
        self._known: dict[int, tuple[Parameters, Mapping[str, Any], SensorParameters, CreateRoot]] = {}

    def plan(self) -> dict[str, RobotPlan]:
        """Return the robots, by name.

        Raises:
            ConfigError: something cannot be used
        """
        plans = {name: self._robot(name, entry) for name, entry in self._scenario.entries.items()}
        return {name: self._among(plan, plans) for name, plan in plans.items()}

    def _among(self, plan: RobotPlan, plans: Mapping[str, RobotPlan]) -> RobotPlan:
        """Return a plan whose gate allows for the fastest of the other robots, where the scenario says no speed."""
        if "others_speed" in plan.gate.model_fields_set:
            return plan
        fastest = max((other.gate.max_linear for other in plans.values() if other is not plan), default=0.0)
        return replace(plan, gate=plan.gate.model_copy(update={"others_speed": fastest}))

    def _robot(self, name: str, entry: RobotEntry) -> RobotPlan:
        if id(entry) not in self._known:
            self._known[id(entry)] = self._read(name, entry)
        parameters, given, sensors, create_root = self._known[id(entry)]
        drawn = {key: value for key, value in self._drawn[name].items() if key not in given}
        if drawn:
            sensors = changed(sensors, drawn, self._source, f"profile {self._scenario.profile}.sensors")
        points = self._arena.fences.get(name)
        body = self._arena.body(name, entry.role)
        key = f"{place_of(self._scenario, name)}.gate"
        # The scenario's values override the game's.
        changes = {**self._settings.gates.get(entry.role, {}), **entry.gate}
        gate = GateParameters.for_body(body, changes, self._source, key)
        fence = None if points is None else Geofence(name, points, body.radius)
        return RobotPlan(name, entry, parameters, sensors, body, gate, fence, create_root)

    def _read(self, name: str, entry: RobotEntry) -> tuple[Parameters, Mapping[str, Any], SensorParameters, CreateRoot]:
        source, scenario = self._source, self._scenario
        role = self._game.role(entry.role)
        if role is None:
            reason = no_such(f"role in {self._game.name}", entry.role, (role.name for role in self._game.roles))
            raise ConfigError(reason, file=source, key=f"{place_of(scenario, name)}.role", value=entry.role)
        sensors = {**self._settings.sensors, **dict(flatten(entry.sensors))}
        if scenario.camera is not None and "circles" in role.sensors:
            sensors["sphere_camera.kind"] = "rendered" if scenario.camera == "rendered" else "parametric"
        elif scenario.camera is not None and "detections" in role.sensors:
            sensors["camera.kind"] = scenario.camera
        # As in a change that names a robot, or the role of robots that are all alike.
        prefix = role.name if isinstance(scenario.robots, Team) else name
        parameters = changed(self._parameters(name, entry, role), self._changes(entry, role), source, prefix)
        model = changed(SensorParameters(), sensors, source, f"{prefix}.sensors")
        return parameters, sensors, model, role.create_root

    def _parameters(self, name: str, entry: RobotEntry, role: Role) -> Parameters:
        folder, file = self._folder, entry.parameters or f"{role.name}.yaml"
        # A scenario may have its role's name.
        own = entry.parameters is None and folder is not None and is_scenario(folder / file)
        path = find_file(
            file, (), None if own else folder, self._source, f"{place_of(self._scenario, name)}.parameters"
        )
        return load_parameters(role.parameters, path)

    def _changes(self, entry: RobotEntry, role: Role) -> dict[str, object]:
        scenario, fields = self._scenario, role.parameters.model_fields
        changes: dict[str, object] = {**self._settings.parameters, **entry.set}
        if scenario.strategy is not None and STRATEGY in fields:
            changes[STRATEGY] = scenario.strategy
        if scenario.arena is not None and "arena" in fields:
            path = find_file(scenario.arena, ("arenas",), self._folder, self._source, "arena")
            # A shipped arena goes by its name, too.
            shipped = config_files("arenas").get(path.stem) == path
            changes.setdefault("arena", path.name if shipped else str(path.absolute()))
        if scenario.map is not None and "map" in fields:
            # A shipped map goes by its name, so that recordings can be replayed elsewhere.
            shipped = scenario.map in map_names()
            found = scenario.map if shipped else str(find_map(scenario.map, self._source, self._folder))
            changes.setdefault("map", found)
        return changes


def place_of(scenario: Scenario, name: str) -> str:
    """Return the key under which a scenario has a robot's entry."""
    return "robots" if isinstance(scenario.robots, Team) else f"robots.{name}"
