"""What is replayed: which tree, with which parameters, limits and fence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from arena_trees.games.game import CreateRoot, Game, RobotContext, Role
from arena_trees.games.registry import find_role, game_of_role, role_names
from arena_trees.recording.recording import ALONE, Recording, RobotRecording
from arena_trees.robot.background import InlineRunner
from arena_trees.robot.configuration.hints import no_such
from arena_trees.robot.configuration.parameters import Parameters, load_parameters
from arena_trees.robot.configuration.resources import config_path
from arena_trees.robot.configuration.yaml_files import flatten, validate
from arena_trees.robot.errors import ConfigError
from arena_trees.safety.fence_status import FenceParameters
from arena_trees.safety.motion_limit import Limits
from arena_trees.safety.parameters import GateParameters
from arena_trees.world.camera_optics import OAK_D, CameraOptics
from arena_trees.world.geofence import Geofence

__all__ = ["ReplayPlan", "plan_replay", "recorded_camera", "recorded_rules"]

ModelT = TypeVar("ModelT", bound=Parameters)

_GATE, _FENCE = "gate.", "fence."


@dataclass(frozen=True, slots=True)
class ReplayPlan:
    """One robot to replay, checked.

    Attributes:
        recording: it is in
        robot: what is recorded of it
        role: whose tree is ticked
        parameters: of the role
        gate: limits of its velocity gate
        fence_parameters: when its geofence warns
        fence: its polygon, or None
        limits: of its gate, in addition to those that every robot has
        seed: of the tree's random choices
        isolated: it receives from nobody
        gate_recorded: the ticks have what the gate did, which on ROS is a process of its own
        create_root: makes the tree
        given: to it by name, besides robot, parameters and streams
        changes: what is not as it was recorded
        notes: what is missing, a sentence each
    """

    recording: Recording
    robot: RobotRecording
    role: str
    parameters: Parameters
    gate: GateParameters
    fence_parameters: FenceParameters
    fence: Geofence | None
    limits: Limits
    seed: int
    isolated: bool
    gate_recorded: bool
    create_root: CreateRoot
    given: Mapping[str, Any]
    changes: Mapping[str, Any]
    notes: tuple[str, ...] = ()


def plan_replay(
    recording: Recording,
    robot: str | None = None,
    *,
    role: str | None = None,
    changes: Mapping[str, Any] | None = None,
    create_root: CreateRoot | None = None,
) -> ReplayPlan:
    """Return what a replay needs, from the recording as far as it has it, and else from the shipped files.

    Args:
        recording: from :func:`~arena_trees.recording.loading.load_recording`
        robot: its name; may be left out where there is one
        role: whose tree is ticked; that of the recording where not given
        changes: parameters of the role, and with ``gate.`` or ``fence.`` in front those of gate and fence
        create_root: makes the tree; the role's own where not given

    Raises:
        ConfigError: something is missing, or cannot be used
    """
    found = _find_robot(recording, robot)
    info = recording.info.get("robots", {}).get(found.name, {})
    chosen = find_role(_role(found, role), "--role")
    if create_root is None and role is None and info.get("own_tree") is True:
        raise ConfigError(
            "was recorded with a tree of its own: give it to plan_replay(create_root=...) in Python, or a --role",
            key="--robot",
            value=found.name,
        )
    changes = dict(changes or {})
    parameters, gate, fence_parameters = _settings(chosen, found, info, changes, recording)
    fence, notes = _fence(found, info, recording)
    gate_recorded = isinstance(info.get("gate"), dict)
    if found.ticks and not gate_recorded:
        notes.append("the gate was a process of its own: what the tree decided is compared, and nothing else")
    context = _context(chosen, found, parameters, info, recording, fence)
    seed = info.get("seed", 0)
    return ReplayPlan(
        recording=recording,
        robot=found,
        role=chosen.name,
        parameters=parameters,
        gate=gate,
        fence_parameters=fence_parameters,
        fence=fence,
        limits=() if chosen.limits is None else chosen.limits(context),
        seed=seed if type(seed) is int and seed >= 0 else 0,
        isolated=info.get("isolated", recording.info.get("isolated")) is True,
        gate_recorded=gate_recorded,
        create_root=create_root or chosen.create_root,
        given={} if create_root is not None else chosen.given(context, InlineRunner()),
        changes=changes if role in (None, found.role) else {"role": role, **changes},
        notes=(*found.notes, *notes),
    )


def _settings(
    role: Role, robot: RobotRecording, info: Mapping[str, Any], changes: Mapping[str, Any], recording: Recording
) -> tuple[Parameters, GateParameters, FenceParameters]:
    """Return the parameters of role, gate and geofence: as recorded or else as shipped, with the changes."""
    # The parameters of another role do not apply to this one.
    known = info if info.get("role") == role.name else {}
    parameters = _recorded(role.parameters, known.get("parameters"), "parameters", recording)
    if parameters is None:
        parameters = load_parameters(role.parameters, config_path(f"{role.name}.yaml"))
    limits = GateParameters.of(robot.body)
    gate = _recorded(limits, known.get("gate") or robot.gate, "gate", recording) or limits()
    fence = _recorded(FenceParameters, known.get("fence_parameters"), "fence", recording) or FenceParameters()
    return _changed(parameters, changes, ""), _changed(gate, changes, _GATE), _changed(fence, changes, _FENCE)


def _find_robot(recording: Recording, name: str | None) -> RobotRecording:
    if name is None:
        if len(recording.robots) != 1:
            known = ", ".join(recording.robots) or "none; name topics with --topic"
            raise ConfigError(f"is needed; there are {known}", file=recording.path, key="--robot")
        return next(iter(recording.robots.values()))
    if name not in recording.robots:
        if list(recording.robots) == [ALONE]:
            given = f", and give --role {name}" if name in role_names() else ""
            reason = f"there is one robot only, whose topics have no name in front: leave it out{given}"
        else:
            reason = no_such("robot", name, recording.robots or ["none; name topics with --topic"])
        raise ConfigError(reason, file=recording.path, key="--robot", value=name)
    return recording.robots[name]


def _role(robot: RobotRecording, role: str | None) -> str:
    if role is not None:
        return role
    if robot.role is None:
        raise ConfigError("is needed: the recording does not say it", key="--role")
    return robot.role


def _recorded(model: type[ModelT], values: Any, key: str, recording: Recording) -> ModelT | None:
    if not isinstance(values, dict):
        return None
    try:
        return validate(model, values, recording.path, key)
    except ConfigError as error:
        reason = f"{error.reason}; the recording is of version {recording.info.get('version', 'unknown')}"
        raise ConfigError(reason, file=error.file, key=error.key, value=error.value) from error


def _fence(robot: RobotRecording, info: Mapping[str, Any], recording: Recording) -> tuple[Geofence | None, list[str]]:
    points = info.get("fence")
    if points is None:
        outline = next((o for o in recording.outlines if o.kind == "fence" and o.name == robot.name), None)
        points = None if outline is None else outline.points.tolist()
    if points is None:
        # A recording of the arena states whether there was a fence.
        known = "fence" in info
        return None, [] if known else ["the recording has no fence of the robot; it is played without one"]
    if not robot.poses and not robot.ticks:
        return None, ["there is no pose in the map; the robot is played without its fence"]
    return Geofence(robot.name, points, robot.body.radius, file=recording.path, key="fence"), []


def _context(
    role: Role,
    robot: RobotRecording,
    parameters: Parameters,
    info: Mapping[str, Any],
    recording: Recording,
    fence: Geofence | None,
) -> RobotContext:
    """Return what motion limits and tree are made from: as recorded, or else as by default."""
    rules = recorded_rules(game_of_role(role.name), recording, info)
    camera, points = recorded_camera(recording, info), () if fence is None else fence.points
    return RobotContext(robot.name, parameters, rules, body=robot.body, camera=camera, fence=points)


def recorded_camera(recording: Recording, info: Mapping[str, Any]) -> CameraOptics:
    """Return the camera that a robot's info in a recording has, or else a TurtleBot 4's.

    Raises:
        ConfigError: what is recorded is none
    """
    return _recorded(CameraOptics, info.get("camera"), "camera", recording) or OAK_D


def recorded_rules(game: Game, recording: Recording, info: Mapping[str, Any]) -> Parameters:
    """Return the rules of a game as a recording has them, and a robot's info in it, or else as by default.

    Raises:
        ConfigError: what is recorded are none
    """
    rules = game.rules()
    changes = recording.info.get("scenario_values", {}).get("rules", {})
    if changes and recording.info.get("game") == game.name:
        rules = rules.with_changes(dict(flatten(changes)), recording.path)
    if info.get("role") in {known.name for known in game.roles}:
        rules = _recorded(type(rules), info.get("rules"), "rules", recording) or rules
    return rules


def _changed(parameters: Any, changes: Mapping[str, Any], prefix: str) -> Any:
    """Return parameters with the changes whose keys begin so."""
    own = {
        key.removeprefix(prefix): value
        for key, value in changes.items()
        if (key.startswith(prefix) if prefix else not key.startswith((_GATE, _FENCE)))
    }
    return parameters.with_changes(own, "--set") if own else parameters
