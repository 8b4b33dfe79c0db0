"""Plans: a scenario with every file read and every value checked, ready to be played in any process."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import shapely

from arena_trees.control.map_files import map_names
from arena_trees.control.occupancy_map import OccupancyMap, load_map
from arena_trees.games.crossroads.known_road import KnownRoad
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D, wrap
from arena_trees.robot.parameters import Parameters, load_parameters
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.simulation.plan_files import changed, find_file, find_map, flatten, is_scenario
from arena_trees.simulation.plan_game import check_game, plan_rules
from arena_trees.simulation.rendered_camera import check_rendering
from arena_trees.simulation.robot import RobotSpec, SensorParameters
from arena_trees.simulation.scenario import RobotEntry, Scenario, Start
from arena_trees.trees.roles import CreateRoot, find_role
from arena_trees.world.arena_file import ArenaFile, load_arena
from arena_trees.world.geofence import Geofence
from arena_trees.world.layout import Layout, generate_layout
from arena_trees.world.map_arena import map_arena

__all__ = ["RobotPlan", "TrialPlan", "World", "check_cameras", "draw_world", "make_plan"]

_CORNER_ROOM = 0.3
"""A start outside the fence keeps this distance from the fence's corners, m."""


@dataclass(frozen=True, slots=True)
class RobotPlan:
    """One robot, checked.

    Attributes:
        name: of the robot
        entry: what the scenario says of it
        parameters: of its role
        sensors: of the simulated robot
        fence: its polygon; None where the arena is a map
        create_root: makes its tree; that of its role, as a rule
        road: what it knows of the crossing that it drives on; None elsewhere
    """

    name: str
    entry: RobotEntry
    parameters: Parameters
    sensors: SensorParameters
    fence: Geofence | None
    create_root: CreateRoot
    road: KnownRoad | None = None


@dataclass(frozen=True, slots=True)
class TrialPlan:
    """A scenario, checked.

    Attributes:
        scenario: the scenario
        arena: its arena
        robots: its robots, by name
        rules: of its game; None for wolf and rabbit, whose rules are the scenario's ``referee``
        map: that the arena was made from, or None
    """

    scenario: Scenario
    arena: ArenaFile
    robots: Mapping[str, RobotPlan]
    rules: Parameters | None = None
    map: OccupancyMap | None = None

    @property
    def fences(self) -> Mapping[str, Geofence]:
        """The robots' fences, for the robots that have one."""
        return {name: robot.fence for name, robot in self.robots.items() if robot.fence is not None}

    def with_role(self, role: str) -> str | None:
        """Return the name of the only robot with a role, or None where there is not exactly one."""
        names = [name for name, robot in self.robots.items() if robot.entry.role == role]
        return names[0] if len(names) == 1 else None

    def with_trees(self, trees: Mapping[str, CreateRoot]) -> TrialPlan:
        """Return a copy in which robots are driven by other trees than their roles'.

        Args:
            trees: robot name to what makes its tree

        Raises:
            ConfigError: there is no such robot
        """
        for name in trees:
            if name not in self.robots:
                known = ", ".join(self.robots)
                raise ConfigError(f"there is no such robot; there are {known}", key="trees", value=name)
        driven = {name: replace(self.robots[name], create_root=tree) for name, tree in trees.items()}
        return replace(self, robots={**self.robots, **driven})


@dataclass(frozen=True, slots=True)
class World:
    """The world of one trial: its layout, and the robots where they start."""

    layout: Layout
    specs: tuple[RobotSpec, ...]


def make_plan(scenario: Scenario, source: str | Path, folder: Path | None = None) -> TrialPlan:
    """Read and check everything that a scenario names, and draw its first world.

    Args:
        scenario: the scenario
        source: named in errors: the scenario's file, or where its newest change came from
        folder: of the scenario's file, in which other files are looked for first

    Raises:
        ConfigError: something cannot be used
    """
    area = None if scenario.map is None else find_map(scenario.map, source, folder)
    arena = _load_arena(scenario, source, folder, area)
    robots = {
        name: _plan_robot(name, entry, scenario, arena, source, folder) for name, entry in scenario.robots.items()
    }
    rules = plan_rules(scenario, source)
    plan = TrialPlan(scenario, arena, robots, rules, None if area is None else load_map(area))
    try:
        check_game(plan, draw_world(plan, 0))
    except ConfigError as error:
        raise error.within(source) from error
    return plan


def check_cameras(plan: TrialPlan) -> None:
    """Refuse a plan whose cameras cannot be rendered on this machine.

    Raises:
        GraphicsError: there is no graphics library here
        ConfigError: a detector, a calibration or a sign's drawing is missing, or is not what it should be
    """
    robots = plan.robots.values()
    signs = (find_role(robot.entry.role).sign for robot in robots)
    lanes = (robot.name for robot in robots if robot.sensors.lanes.kind == "rendered")
    check_rendering((robot.sensors.camera for robot in robots), (sign for sign in signs if sign), lanes)


def draw_world(plan: TrialPlan, index: int) -> World:
    """Return the world of a trial; it depends on the seed and the arena, and on no robot's parameters.

    Raises:
        ConfigError: a robot would start in a wall, a box or another robot
    """
    streams = RandomStreams(plan.scenario.seed + index)
    layout = generate_layout(plan.arena, streams)
    specs = []
    for name, robot in plan.robots.items():
        start = robot.entry.start
        pose = layout.starts[name]
        if start is not None and start.outside is not None:
            if robot.fence is None:
                raise ConfigError("there is no fence", key=f"robots.{name}.start.outside", value=start.outside)
            pose = _outside(robot.fence, start, streams.child("world"), index)
            layout.check_place(pose, f"robots.{name}.start.outside")
        label = find_role(robot.entry.role).sign or None
        specs.append(RobotSpec(name, label, pose, robot.sensors))
    return World(layout, tuple(specs))


def _outside(fence: Geofence, start: Start, streams: RandomStreams, index: int) -> Pose2D:
    """Return a pose outside a random place of the fence, with the trial's heading (0 is straight out)."""
    distance = start.outside or 0.0
    random = streams.generator("outside")
    ring = shapely.Polygon(fence.points).exterior
    corners = shapely.MultiPoint(fence.points)
    while True:
        point = ring.interpolate(float(random.uniform(0.0, ring.length)))
        if point.distance(corners) >= min(_CORNER_ROOM, ring.length / (4 * len(fence.points))):
            break
    along = ring.project(point)
    ahead = ring.interpolate(along + 0.01)
    outward = math.atan2(ahead.y - point.y, ahead.x - point.x) - math.pi / 2
    if fence.inside(point.x + 0.01 * math.cos(outward), point.y + 0.01 * math.sin(outward)):
        outward += math.pi
    turn = index % start.headings * math.tau / start.headings
    x, y = point.x + distance * math.cos(outward), point.y + distance * math.sin(outward)
    return Pose2D(x, y, wrap(outward + turn))


def _load_arena(scenario: Scenario, source: str | Path, folder: Path | None, area: Path | None) -> ArenaFile:
    if area is None:
        path = find_file(scenario.arena, ("arenas",), folder, source, "arena")
        arena = load_arena(path)
    else:
        path, arena = area, map_arena(area, scenario.robots)
    changes = dict(flatten(scenario.arena_set))
    for name, entry in scenario.robots.items():
        if name not in arena.starts:
            known = ", ".join(arena.starts)
            raise ConfigError(
                f"{path.name} has no fence for this robot; it has {known}", file=source, key=f"robots.{name}"
            )
        if entry.start is not None and entry.start.outside is None:
            x, y, yaw = entry.start.x, entry.start.y, math.radians(entry.start.yaw_deg or 0.0)
            changes[f"starts.{name}"] = {"position": [x, y], "yaw": yaw}
    if not changes:
        return arena
    try:
        altered: ArenaFile = arena.with_changes(changes, source)
    except ConfigError as error:
        raise _renamed(error, source, scenario) from error
    return altered


def _renamed(error: ConfigError, source: str | Path, scenario: Scenario) -> ConfigError:
    """Return the error of a changed arena file with the scenario's own key."""
    key = error.key or ""
    parts = key.split(".")
    if parts[0] == "starts" and len(parts) > 1 and scenario.robots.get(parts[1], RobotEntry()).start is not None:
        key = f"robots.{parts[1]}.start"
    else:
        key = f"arena_set.{key}"
    return ConfigError(error.reason, file=source, key=key, value=error.value)


def _plan_robot(
    name: str, entry: RobotEntry, scenario: Scenario, arena: ArenaFile, source: str | Path, folder: Path | None
) -> RobotPlan:
    try:
        role = find_role(entry.role)
    except ConfigError as error:
        raise error.within(source, f"robots.{name}") from error
    file = entry.parameters or f"{role.name}.yaml"
    # A scenario may have its role's name.
    own = entry.parameters is None and folder is not None and is_scenario(folder / file)
    path = find_file(file, (), None if own else folder, source, f"robots.{name}.parameters")
    parameters = load_parameters(role.parameters, path)
    changes = dict(entry.set)
    if scenario.strategy is not None and "strategy" in role.parameters.model_fields:
        changes["strategy"] = scenario.strategy
    sensors = dict(flatten(entry.sensors))
    if scenario.map is not None and "map" in role.parameters.model_fields:
        # A shipped map goes by its name, so that recordings can be replayed elsewhere.
        shipped = scenario.map in map_names()
        changes.setdefault("map", scenario.map if shipped else str(find_map(scenario.map, source, folder)))
    if scenario.camera is not None:
        sensors["camera.kind"] = scenario.camera
    return RobotPlan(
        name,
        entry,
        changed(parameters, changes, source, name),
        changed(SensorParameters(), sensors, source, f"{name}.sensors"),
        Geofence(name, arena.fences[name]) if name in arena.fences else None,
        role.create_root,
    )
