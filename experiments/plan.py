"""Plans: a scenario with every file read and every value checked, ready to be played in any process."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import get_args

import shapely

from arena_trees.experiments.arena_plan import plan_arena
from arena_trees.experiments.metrics import metrics_by_name
from arena_trees.experiments.plan_files import changed, find_map
from arena_trees.experiments.profile import CLEAN, Profile, load_profile
from arena_trees.experiments.robot_plans import STRATEGY, RobotPlan, RobotPlans
from arena_trees.experiments.scenario import Scenario, Start, Team
from arena_trees.games.game import CreateRoot, Game, GameContext, Player, RobotContext, Role
from arena_trees.games.registry import find_game
from arena_trees.robot.configuration.hints import no_such
from arena_trees.robot.configuration.parameters import Parameters
from arena_trees.robot.configuration.yaml_files import flatten
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D, wrap
from arena_trees.robot.messaging.message_bus import BusParameters
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.robot.sensor_registry import sensors
from arena_trees.safety.parameters import LooseLimit
from arena_trees.simulation.physics.engine import load_engine
from arena_trees.simulation.physics.robot import RobotSpec
from arena_trees.simulation.sensors.rendered_camera import check_rendering
from arena_trees.world.arena_file import ArenaFile
from arena_trees.world.geofence import Geofence
from arena_trees.world.layout import Layout, generate_layout
from arena_trees.world.maps.occupancy_map import OccupancyMap, load_map
from arena_trees.world.misplaced_walls import WallErrors, misplaced, touching_groups
from arena_trees.world.signs import Sign

__all__ = ["TrialPlan", "World", "check_cameras", "draw_world", "make_plan"]

_CORNER_ROOM = 0.3
"""A start outside the fence keeps this distance from the fence's corners, m."""


@dataclass(frozen=True, slots=True)
class TrialPlan:
    """A scenario with every file read and every value checked.

    Attributes:
        scenario: the scenario
        rules: of its game
        robots: its robots, by name
        arena: its arena; empty where the game has a world of its own
        bus: the line between the robots
        map: that the arena was made from, or None
        source: named in errors
        folder: of the scenario's file, if it is one
        profile: how hard the world is
    """

    scenario: Scenario
    rules: Parameters
    robots: Mapping[str, RobotPlan]
    arena: ArenaFile
    bus: BusParameters
    map: OccupancyMap | None = None
    source: str | Path = "scenario"
    folder: Path | None = None
    profile: Profile = field(default_factory=Profile)

    @property
    def game(self) -> Game:
        """The scenario's game."""
        return find_game(self.scenario.game)

    @property
    def has_world(self) -> bool:
        """Whether the game is played in a world of its own, without trees and sensors."""
        return self.game.has_world(self.rules)

    @property
    def fences(self) -> Mapping[str, Geofence]:
        """The robots' fences, for the robots that have one."""
        return {name: robot.fence for name, robot in self.robots.items() if robot.fence is not None}

    @property
    def loosened(self) -> Mapping[str, LooseLimit]:
        """Limits of the robots' gates that are looser than by default, by the key that a change of them has."""
        team = isinstance(self.scenario.robots, Team)
        return {
            f"{robot.entry.role if team else name}.gate.{key}": limit
            for name, robot in self.robots.items()
            for key, limit in robot.gate.loosened.items()
            if not self.has_world
        }

    def role(self, robot: str) -> Role:
        """Return the role of a robot."""
        role = self.game.role(self.robots[robot].entry.role)
        # The plan was checked.
        assert role is not None
        return role

    def has_faulty_clock(self, robot: str) -> bool:
        """Return whether the scenario has a fault of a robot's clock."""
        return any(fault.part == "clock" and fault.robot == robot for fault in self.scenario.faults)

    @property
    def robots_topics(self) -> dict[str, tuple[str, ...]]:
        """Topics of the messages that each robot's role sends, by the robot's name."""
        return {name: tuple(message.topic for message in self.role(name).publishes) for name in self.robots}

    def received_by(self, robot: str) -> list[tuple[str, str]]:
        """Return robot and topic of the messages that robots send, and that a robot's role subscribes to."""
        wanted = {message.topic for message in self.role(robot).subscribes}
        return [(name, topic) for name, topics in self.robots_topics.items() for topic in topics if topic in wanted]

    def context(self, index: int, starts: Mapping[str, Pose2D]) -> GameContext:
        """Return what the game is played with in a trial.

        Args:
            index: of the trial
            starts: robot name to its true pose at the begin, map frame
        """
        scenario = self.scenario
        return GameContext(
            rules=self.rules,
            players={name: self._player(robot, starts.get(name)) for name, robot in self.robots.items()},
            duration_s=scenario.duration_s,
            streams=RandomStreams(scenario.seed + index),
            arena=None if self.map is not None else self.arena,
            map=self.map,
            map_name=scenario.map or "",
            bus=self.bus,
            isolated=scenario.isolated,
        )

    def first_context(self) -> GameContext:
        """Return what the game is played with in the first trial, before anything moves.

        Raises:
            ConfigError: a robot would start in a wall, a box or another robot
        """
        starts = {} if self.has_world else {spec.name: spec.start for spec in draw_world(self, 0).specs}
        return self.context(0, starts)

    def robot_context(self, robot: str, index: int, start: Pose2D | None) -> RobotContext:
        """Return what a robot's localiser, motion limits and tree are made from.

        Args:
            robot: its name
            index: of the trial
            start: its true pose at the begin, map frame
        """
        streams = RandomStreams(self.scenario.seed + index).child(f"placed.{robot}")
        arena = None if self.map is not None else self.arena
        planned = self.robots[robot]
        fence = () if planned.fence is None else planned.fence.points
        return RobotContext(
            robot, planned.parameters, self.rules, arena, start, streams, planned.body, planned.camera, fence
        )

    def localises(self, robot: str) -> bool:
        """Return whether a robot finds its place by a localiser of its role, in place of its own localisation."""
        make = self.role(robot).localiser
        return make is not None and make(self.robot_context(robot, 0, Pose2D())) is not None

    def with_trees(self, trees: Mapping[str, CreateRoot]) -> TrialPlan:
        """Return a copy in which robots are driven by other trees than their roles'.

        Args:
            trees: robot name to what makes its tree

        Raises:
            ConfigError: there is no such robot
        """
        for name in trees:
            if name not in self.robots:
                raise ConfigError(no_such("robot", name, self.robots), key="trees", value=name)
        driven = {name: replace(self.robots[name], create_root=tree) for name, tree in trees.items()}
        return replace(self, robots={**self.robots, **driven})

    def for_trial(self, index: int) -> TrialPlan:
        """Return the plan of a trial: with the values that its profile draws for it.

        Args:
            index: of the trial
        """
        if self.scenario.profile == CLEAN:
            return self
        drawn = make_plan(self.scenario, self.source, self.folder, index)
        return drawn.with_trees({name: robot.create_root for name, robot in self.robots.items()})

    def _player(self, robot: RobotPlan, start: Pose2D | None) -> Player:
        label = self.role(robot.name).sign
        return Player(
            name=robot.name,
            role=robot.entry.role,
            parameters=robot.parameters,
            start=start,
            fence=robot.fence,
            camera=robot.camera.pinhole(),
            sign=Sign.carried(robot.name, label, robot.sensors.sign) if label else None,
            body=robot.body,
        )


@dataclass(frozen=True, slots=True)
class World:
    """The world of one trial.

    Attributes:
        layout: as the map has it, which is all that robots and judges know
        specs: the robots where they start
        standing: as it stands, which is what robots meet and sensors see; the layout itself where no wall is misplaced
    """

    layout: Layout
    specs: tuple[RobotSpec, ...]
    standing: Layout


def make_plan(scenario: Scenario, source: str | Path, folder: Path | None = None, index: int = 0) -> TrialPlan:
    """Read and check everything that a scenario names, and draw its first world.

    Args:
        scenario: the scenario
        source: named in errors: the scenario's file, or where its newest change came from
        folder: of the scenario's file, in which other files are looked for first
        index: of the trial for which the scenario's profile draws values

    Raises:
        ConfigError: something cannot be used
    """
    try:
        game = find_game(scenario.game)
    except ConfigError as error:
        raise error.within(source) from error
    _check_roles(game, scenario, source)
    _check_strategy(game, scenario, source)
    rules: Parameters = changed(game.rules(), dict(flatten(scenario.rules)), source, "rules")
    try:
        profile = load_profile(scenario.profile, folder)
        settings = game.robot_settings(rules, list(scenario.entries), scenario.strategy)
        made = game.make_arena(rules, list(scenario.entries))
    except ConfigError as error:
        raise error.within(source) from error
    area = None if scenario.map is None else find_map(scenario.map, source, folder)
    arena = plan_arena(game, scenario, source, folder, area, made)
    drawn = {name: profile.draw_sensors(name, scenario.seed + index) for name in scenario.entries}
    robots = RobotPlans(game, scenario, arena, settings, drawn, source, folder).plan()
    bus = changed(scenario.bus, _drawn_bus(scenario, profile, index), source, "bus")
    on_map = None if area is None else load_map(area)
    plan = TrialPlan(scenario, rules, robots, arena, bus, on_map, source, folder, profile)
    for key in ("faults", "profile"):
        if plan.has_world and getattr(scenario, key) not in ([], CLEAN):
            raise ConfigError("robots of this world have no sensors and no trees", file=source, key=key)
    _check_promises(plan)
    for index, fault in enumerate(scenario.faults):
        sensor = sensors().get(fault.sensor)
        if fault.part == "sensor" and sensor is not None and not sensor.carried(robots[fault.robot].body):
            reason = f"{fault.robot} has no such sensor"
            raise ConfigError(reason, file=source, key=f"faults.{index}.sensor", value=fault.sensor)
    try:
        game.check(plan.first_context())
    except ConfigError as error:
        raise error.within(source) from error
    return plan


def _check_promises(plan: TrialPlan) -> None:
    """Refuse promises about what the trials of a plan do not have.

    Raises:
        ConfigError: robots have no ticks, or there is no such metric
    """
    known = metrics_by_name(plan.game.metrics, plan.robots)
    for name, promise in plan.scenario.promises.items():
        key = f"promises.{name}"
        if plan.has_world and promise.statement is not None:
            reason = "robots of this world have no sensors and no trees"
            raise ConfigError(reason, file=plan.source, key=f"{key}.statement", value=promise.statement)
        if promise.metric is not None and promise.metric not in known:
            reason = no_such("metric", promise.metric, known)
            raise ConfigError(reason, file=plan.source, key=f"{key}.metric", value=promise.metric)


def _drawn_bus(scenario: Scenario, profile: Profile, index: int) -> dict[str, float]:
    """Return what the profile draws of the line between robots, as far as the scenario does not give it."""
    drawn = profile.draw_bus(scenario.seed + index)
    return {key: value for key, value in drawn.items() if key not in scenario.bus.model_fields_set}


def check_cameras(plan: TrialPlan) -> None:
    """Refuse a plan that cannot be simulated on this machine, or whose cameras cannot be rendered.

    Raises:
        ModuleNotFoundError: MuJoCo is not installed
        GraphicsError: there is no graphics library here
        ConfigError: a detector, a calibration or a sign's drawing is missing, or is not what it should be
    """
    if plan.has_world:
        return
    load_engine()
    robots = plan.robots.values()
    signs = (plan.role(robot.name).sign for robot in robots)
    lanes = (robot.name for robot in robots if robot.sensors.lanes.kind == "rendered")
    spheres = any(robot.sensors.sphere_camera.kind == "rendered" for robot in robots)
    check_rendering((robot.sensors.camera for robot in robots), (sign for sign in signs if sign), lanes, spheres)


def draw_world(plan: TrialPlan, index: int) -> World:
    """Return the world of a trial; it depends on the seed and the arena, and on no robot's parameters.

    Raises:
        ConfigError: a robot would start in a wall, a box or another robot, or no robot stands anywhere in this game
    """
    if plan.has_world:
        raise ConfigError(
            "this scenario has a world of its own, without floor and robots' bodies", file=plan.scenario.game
        )
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
            layout.check_place(pose, robot.body.radius, f"robots.{name}.start.outside")
        label = plan.role(name).sign or None
        specs.append(RobotSpec(name, label, pose, robot.sensors, robot.body))
    return World(layout, tuple(specs), _standing(plan, layout, specs, streams))


def _standing(plan: TrialPlan, layout: Layout, specs: Sequence[RobotSpec], streams: RandomStreams) -> Layout:
    """Return a layout as it stands, walls misplaced; what is there already when a trial begins stays clear of them."""
    errors = WallErrors(**plan.profile.draw_arena(streams.seed))
    if errors == WallErrors():
        return layout
    # The walls of a map are pieces of what is one thing in a room.
    groups = plan.arena.loose() if plan.map is None else touching_groups(plan.arena.solids())
    radius = {spec.name: spec.body.radius for spec in specs}
    clear = [(spec.start.x, spec.start.y, spec.body.radius) for spec in specs]
    clear += [(x, y, radius[name]) for name, (x, y) in layout.homes.items() if name in radius]
    clear += [(carrot.pose.x, carrot.pose.y, carrot.size / 2.0) for carrot in layout.carrots]
    generator = streams.child("world").generator("walls")
    return replace(layout, solids=misplaced(layout.solids, groups, errors, clear, generator))


def _outside(fence: Geofence, start: Start, streams: RandomStreams, index: int) -> Pose2D:
    """Return a pose outside a random place of the fence, with the trial's heading (0 is straight out)."""
    distance = start.outside or 0.0
    generator = streams.generator("outside")
    ring = shapely.Polygon(fence.points).exterior
    corners = shapely.MultiPoint(fence.points)
    while True:
        point = ring.interpolate(float(generator.uniform(0.0, ring.length)))
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


def _check_roles(game: Game, scenario: Scenario, source: str | Path) -> None:
    """Refuse more robots of a role than may have it, and one of the name under which the rules send."""
    if game.speaker in scenario.entries:
        reason = "is the name under which the rules of the game send"
        raise ConfigError(reason, file=source, key=f"robots.{game.speaker}", value=game.speaker)
    for role in game.roles:
        names = [name for name, entry in scenario.entries.items() if entry.role == role.name]
        if role.most is not None and len(names) > role.most:
            reason = f"{game.title or game.name} has at most {role.most} of this role"
            raise ConfigError(reason, file=source, key=f"robots.{names[role.most]}.role", value=role.name)


def _check_strategy(game: Game, scenario: Scenario, source: str | Path) -> None:
    """Refuse a strategy that none of the scenario's roles has."""
    if scenario.strategy is None:
        return
    roles = [role for role in game.roles if any(entry.role == role.name for entry in scenario.entries.values())]
    fields = [role.parameters.model_fields[STRATEGY] for role in roles if STRATEGY in role.parameters.model_fields]
    known = dict.fromkeys(choice for field in fields for choice in get_args(field.annotation))
    if scenario.strategy not in known:
        there = f"there are {', '.join(known)}" if known else "its robots have no choice of strategies"
        reason = f"{game.title or game.name} has no such strategy: {there}"
        raise ConfigError(reason, file=source, key=STRATEGY, value=scenario.strategy)
