"""Which programs play a scenario on ROS, and with which parameters: the one description of the graph of nodes."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel

from arena_trees.experiments.plan import TrialPlan, draw_world, make_plan
from arena_trees.experiments.robot_plans import RobotPlan
from arena_trees.experiments.scenario import Scenario, apply_changes, find_scenario, load_scenario
from arena_trees.games.game import Rules
from arena_trees.nodes.programs.played import PlayedParameters
from arena_trees.nodes.programs.program import PARTS, ROBOT_CLOCK, Program, robot_programs
from arena_trees.robot.configuration.assignments import parse_assignments
from arena_trees.robot.configuration.yaml_files import flatten
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.messaging.message_bus import BusParameters
from arena_trees.world.camera_optics import CameraOptics

__all__ = [
    "ARENA",
    "CEILING",
    "GAME",
    "TRACKING",
    "Options",
    "TrialRequest",
    "check_gates",
    "check_playable",
    "check_previews",
    "make_rules",
    "prepare",
    "trackers_of",
    "write_programs",
]

_LONGEST_HOLD_UP_S = 10.0
"""Hold-up after which trees of a simulated game latch, s."""
ARENA = "arena_simulator"
CEILING = "ceiling_tracker"
GAME = "game"
TRACKING = "tracking_relay"


@dataclass(frozen=True, slots=True)
class TrialRequest:
    """A trial to play.

    Attributes:
        scenario: name of a shipped scenario, or a file
        changes: of it, as ``--set`` has them, but no seed
        plan: of both
        index: number of the trial
        allow_loose_gate: the robots' gates may be looser than by default
    """

    scenario: str
    changes: tuple[str, ...]
    plan: TrialPlan
    index: int
    allow_loose_gate: bool = False

    @property
    def seed(self) -> int:
        """Seed of the trial."""
        return self.plan.scenario.seed + self.index


@dataclass(frozen=True, slots=True)
class Options:
    """How a trial is played.

    Attributes:
        simulated: in the simulated arena, and not by real robots
        autostart: trees and rules begin by themselves; else they wait for a request, so that all begin at once
        robots: of which robots the nodes are started; all if None
        rules: whether the rules are started
        off: parts (:data:`~arena_trees.nodes.programs.program.PARTS`) that no robot has
        command_topic: where trees send their commands
        tree_again: whether a tree that dies is started again
        undock: whether robots are taken off their docks first
        trackers: nodes beside the robots that see where these are, ``ceiling_tracker`` or ``tracking_relay``, to the
            parameters of each; what is simulated has the tracker's cameras on its ceiling
        more: further parameters; part, or name of another program, to key to value
    """

    simulated: bool = True
    autostart: bool = False
    robots: Collection[str] | None = None
    rules: bool = True
    off: Collection[str] = ()
    command_topic: str = "cmd_vel_raw"
    tree_again: bool = False
    undock: bool = False
    trackers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    more: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def prepare(
    name_or_file: str,
    assignments: list[str],
    settings: dict[str, Any],
    simulated: bool = True,
    allow_loose_gate: bool = False,
    launched: bool = False,
) -> TrialRequest:
    """Check what was asked for and return it as the order of the first trial.

    Args:
        name_or_file: of the scenario
        assignments: changes as ``--set`` has them; added to the settings
        settings: changes by key
        simulated: whether the arena is simulated
        allow_loose_gate: whether the robots' gates may be looser than by default
        launched: whether the nodes are started by ``ros2 launch``, so that nobody breaks computers and lines

    Raises:
        ConfigError: it cannot be played on ROS
    """
    settings |= parse_assignments(assignments)
    path = find_scenario(name_or_file)
    scenario = apply_changes(load_scenario(path), settings)
    check_playable(scenario, simulated, launched)
    plan = make_plan(scenario, path, path.parent)
    plan.game.check_ros(plan.rules)
    if not allow_loose_gate:
        check_gates(plan)
    if simulated:
        check_previews(plan)
    # JSON is YAML, too. The number of the trial is given to nodes apart from the rest.
    changes = tuple(f"{key}={json.dumps(value)}" for key, value in settings.items() if key not in ("seed", "trials"))
    return TrialRequest(str(path), changes, plan, 0, allow_loose_gate)


_OF_THE_ARENA = ("sensor", "base", "clock")
"""Parts of a robot that the simulated arena breaks; the others are broken by ``run-ros``, which has the processes."""


def check_playable(scenario: Scenario, simulated: bool, launched: bool) -> None:
    """Refuse a scenario that needs what is not there.

    Args:
        scenario: to be played on ROS
        simulated: whether the arena is simulated
        launched: whether the nodes are started by ``ros2 launch``

    Raises:
        ConfigError: it does
    """
    if scenario.bus != BusParameters():
        raise ConfigError("on ROS the messages go by the network that is there", key="bus")
    if scenario.variants:
        raise ConfigError("a scenario with variants is played without ROS only", key="variants")
    for index, fault in enumerate(scenario.faults):
        if launched and not simulated:
            raise ConfigError("only simulated robots are broken on purpose", key=f"faults.{index}")
        if launched and fault.part not in _OF_THE_ARENA:
            reason = f"a launch has faults of {', '.join(_OF_THE_ARENA)}; arena-trees run-ros has all"
            raise ConfigError(reason, key=f"faults.{index}.part", value=fault.part)


def check_gates(plan: TrialPlan) -> None:
    """Refuse a gate that is looser than by default.

    Raises:
        ConfigError: there is one
    """
    for key, limit in plan.loosened.items():
        reason = (
            f"is looser than the default {limit.phrase(limit.default)}: "
            "needs --allow-loose-gate, or allow_loose_gate:=true of a launch file"
        )
        raise ConfigError(reason, key=key, value=limit.value)


def check_previews(plan: TrialPlan) -> None:
    """Refuse robots with two rendered cameras: a TurtleBot4 has one preview.

    Raises:
        ConfigError: there is one
    """
    for name, robot in plan.robots.items():
        sensors = robot.sensors
        if sensors.camera.kind == "rendered" and "rendered" in (sensors.lanes.kind, sensors.sphere_camera.kind):
            reason = "on ROS a robot has one preview: pinhole where the camera of lanes or of spheres is rendered"
            raise ConfigError(reason, key=f"{name}.sensors.camera.kind", value="rendered")
        if sensors.lanes.kind != "none" and sensors.sphere_camera.kind != "none":
            reason = "on ROS a robot has one preview, in which it looks for lanes or for spheres"
            raise ConfigError(reason, key=f"{name}.sensors.sphere_camera.kind", value=sensors.sphere_camera.kind)


def make_rules(plan: TrialPlan, index: int) -> Rules | None:
    """Return the rules of a trial; None where nobody rules."""
    if plan.scenario.isolated:
        return None
    starts = {spec.name: spec.start for spec in draw_world(plan, index).specs}
    return plan.game.make_rules(plan.context(index, starts))


def write_programs(order: TrialRequest, folder: Path, options: Options | None = None) -> list[Program]:
    """Return the programs of a trial, and write the arena that they share.

    Args:
        order: the trial
        folder: for the arena file; made where it is missing
        options: how it is played
    """
    options = options or Options()
    order = replace(order, plan=order.plan.for_trial(order.index))
    programs: list[Program] = []
    for name, robot in order.plan.robots.items():
        if options.robots is None or name in options.robots:
            arena = _write_arena(order.plan, folder)
            programs += _robot(robot, order, arena, options)
    enclave = f"/{order.plan.game.name}"
    ruled = options.rules and make_rules(order.plan, order.index) is not None
    if ruled:
        values = {**_played(order), "autostart": options.autostart, "use_sim_time": options.simulated}
        by_truth = options.simulated and order.plan.scenario.judged_by == "truth"
        values |= {"truth": "ground_truth" if by_truth else "tf", **options.more.get(GAME, {})}
        programs.append(Program(GAME, GAME, parameters=values, enclave=f"{enclave}/{GAME}"))
    for module, parameters in options.trackers.items():
        values = {**parameters, "use_sim_time": options.simulated}
        programs.append(Program(module, module, parameters=values, enclave=f"{enclave}/{module}", again=True))
    if options.simulated:
        # They end in this order, too: the arena last.
        values = {**_played(order), **_rendered(options.trackers.get(CEILING, {})), **options.more.get(ARENA, {})}
        if ruled and order.plan.scenario.faults:
            values["faults_from"] = "game"
        programs.append(Program(ARENA, ARENA, parameters=values, enclave=f"{enclave}/{ARENA}"))
    return programs


def trackers_of(
    cameras: Sequence[str],
    tracked: Sequence[str],
    cameras_file: str = "",
    tracked_file: str = "",
    reliable: bool = False,
) -> dict[str, dict[str, Any]]:
    """Return the nodes that see where robots are, to the parameters of each.

    Args:
        cameras: on the ceiling, by name
        tracked: poses of a tracking system: robot=topic or robot=tf:FRAME each
        cameras_file: of the tags on floor and robots; the shipped one if empty
        tracked_file: of where the tracking system's frame lies; it is map if empty
        reliable: whether images are subscribed to reliably

    Raises:
        ConfigError: there are both, or a file that nothing reads
    """
    if cameras and tracked:
        reason = "publishes the same poses as the cameras of ceiling: give one of them"
        raise ConfigError(reason, key="tracking", value=",".join(tracked))
    for key, names, file in (("ceiling", cameras, cameras_file), ("tracking", tracked, tracked_file)):
        if file and not names:
            raise ConfigError(f"nothing reads it without {key}", key=f"{key}_file", value=file)
    if cameras:
        # Two images are more than shared memory holds, so that best effort would lose parts of them.
        found = {"cameras": list(cameras), "reliability": "reliable" if reliable else "best_effort"}
        return {CEILING: found | ({"file": cameras_file} if cameras_file else {})}
    if tracked:
        return {TRACKING: {"robots": list(tracked)} | ({"calibration": tracked_file} if tracked_file else {})}
    return {}


def _rendered(tracker: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters by which the arena renders the cameras that a tracker looks through, and the tags."""
    names = {"cameras": "ceiling_cameras", "file": "ceiling.file"}
    return {names[key]: value for key, value in tracker.items() if key in names}


def _played(order: TrialRequest) -> dict[str, Any]:
    """Return the values of a node's :class:`~arena_trees.nodes.programs.played.PlayedParameters`."""
    played = PlayedParameters(scenario=order.scenario, seed=order.seed, set=order.changes)
    return _values(played)


def _write_arena(plan: TrialPlan, folder: Path) -> str:
    """Write the arena that robots share, and return its file; empty for a map, on which nothing holds them."""
    if plan.map is not None:
        return ""
    folder.mkdir(parents=True, exist_ok=True)
    arena = folder / "arena.yaml"
    arena.write_text(yaml.safe_dump(plan.arena.model_dump(mode="json", exclude_none=True)), encoding="utf-8")
    return str(arena)


def _robot(robot: RobotPlan, order: TrialRequest, arena: str, options: Options) -> list[Program]:
    """Return the programs of one robot."""
    plan, role = order.plan, order.plan.role(robot.name)
    entry, camera = robot.entry, robot.sensors.camera
    common = {"arena": arena, "use_sim_time": options.simulated}
    rules = {"role": role.name, "rules": _changed_rules(plan) or [""]}
    fence = _values(entry.fence, "fence.")
    loose = {"allow_loose_gate": True} if order.allow_loose_gate else {}
    own: dict[str, Any] = {"seed": order.seed, "isolated": plan.scenario.isolated, "autostart": options.autostart}
    if options.simulated:
        # One machine is arena and robots, and now and then too busy; nobody is hurt by it.
        own["hang_timeout"] = _LONGEST_HOLD_UP_S
    known = {**rules, **_camera(robot)} if role.takes_context else {"role": role.name}
    parts: dict[str, dict[str, Any]] = {
        # A role that knows its arena knows the one that is written, in which all changes are.
        "tree": {**_values(robot.parameters), **fence, **own, **_body(robot), **known, "arena": arena},
        "gate": {**_values(robot.gate), **rules, **_body(robot), **loose, "start_latched": False},
    }
    if robot.fence is not None:
        parts["geofence"] = fence
    if camera.kind == "rendered" or (not options.simulated and "detections" in role.sensors):
        parts["detector"] = {"threshold": camera.threshold, "model": camera.model or ""}
    spheres = robot.sensors.sphere_camera
    if spheres.kind == "rendered" or (not options.simulated and "circles" in role.sensors):
        parts["spheres"] = _sphere_detector(plan, robot)
    if plan.localises(robot.name):
        parts["localiser"] = {**rules, **_placed(robot, order, options)}
    if not options.simulated:
        # The simulated base has neither lights nor a loudspeaker.
        parts["feedback"] = {"role": role.name}
    wanted = {
        part: {**common, **parts[part], **options.more.get(part, {})}
        for part in PARTS
        if part in parts and part not in options.off
    }
    enclave = f"/{plan.game.name}"
    programs = robot_programs(
        robot.name,
        wanted,
        enclave,
        command_topic=options.command_topic,
        tree_again=options.tree_again,
        undock=options.undock,
    )
    if not plan.has_faulty_clock(robot.name):
        return programs
    clock = {"/clock": f"/{robot.name}/{ROBOT_CLOCK}"}
    return [replace(program, remaps={**program.remaps, **clock}) for program in programs]


def _placed(robot: RobotPlan, order: TrialRequest, options: Options) -> dict[str, Any]:
    """Return the start pose that a robot is given, and what its localiser looks for."""
    lanes = robot.sensors.lanes
    values: dict[str, Any] = {
        # A simulated robot without a lane camera has no images at all; real ones have the OAK-D.
        "camera": not options.simulated or lanes.kind != "none",
        "markers": lanes.markers,
        "marker_size": lanes.marker_size,
        "lanes.lane_width": lanes.lane_width,
    }
    values["seed"] = order.seed if options.simulated else -1
    if options.simulated:
        start = next(spec.start for spec in draw_world(order.plan, order.index).specs if spec.name == robot.name)
        values["start"] = [start.x, start.y, start.yaw]
    return values


def _sphere_detector(plan: TrialPlan, robot: RobotPlan) -> dict[str, Any]:
    """Return the parameters of the detector of a robot that looks for spheres."""
    values: dict[str, Any] = {"detector": robot.sensors.sphere_camera.detector}
    balls = [other.body.sphere for name, other in plan.robots.items() if name != robot.name]
    diameters = [ball.diameter for ball in balls if ball is not None]
    if diameters:
        values["diameter"] = diameters[0]
    if robot.body.barrel is not None:
        mount = robot.sensors.sphere_camera.mount(robot.body)
        values["camera_above_barrel"] = mount.z - robot.body.barrel.height
    return values


def _body(robot: RobotPlan) -> dict[str, str]:
    """Return what is different about a robot's body, as a parameter of its tree and its gate."""
    different = robot.body.model_dump(mode="json", exclude_defaults=True)
    return {"body": json.dumps(different)} if different else {}


def _camera(robot: RobotPlan) -> dict[str, Any]:
    """Return the optics of a robot's camera, as parameters of its tree."""
    return {f"camera.{key}": getattr(robot.camera, key) for key in CameraOptics.model_fields}


def _changed_rules(plan: TrialPlan) -> list[str]:
    """Return the rules that are not as by default, as :mod:`~arena_trees.nodes.runtime.role_context` reads them."""
    default = dict(flatten(plan.game.rules().model_dump(mode="json")))
    values = dict(flatten(plan.rules.model_dump(mode="json")))
    return [f"{key}={json.dumps(value)}" for key, value in values.items() if default.get(key) != value]


def _values(model: BaseModel, prefix: str = "") -> dict[str, Any]:
    """Return a model's values by dotted key, as :mod:`~arena_trees.nodes.runtime.parameters` reads them."""
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
