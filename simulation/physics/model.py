"""The MuJoCo model of an arena: floor, walls, boxes, carrots, and one body for each robot."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena_trees.robot.clock import to_seconds
from arena_trees.robot.timing import TICK
from arena_trees.simulation.physics.engine import mujoco
from arena_trees.world.body import TURTLEBOT4, Body, Sphere
from arena_trees.world.footprint import Solid
from arena_trees.world.layout import Layout
from arena_trees.world.palette import shares
from arena_trees.world.signs import Sign

__all__ = ["CAMERA_GROUPS", "HULL", "LIDAR_GROUPS", "SUBSTEPS", "ArenaModel", "build_model"]

SUBSTEPS = 2
"""Physics steps in one tick: 10 ms each keep a wall hit at full speed below 2 mm of penetration."""

# Groups of geoms, by who sees them. All but decor are solid.
SOLID, DARK, DECOR, HULL, GLASS = 0, 1, 2, 3, 4
LIDAR_GROUPS = (SOLID, HULL)
"""What the LiDAR's rays hit."""
CAMERA_GROUPS = (SOLID, DARK, DECOR, HULL)
"""What blocks the view of a camera."""

_GROUP_OF_SURFACE = {"normal": SOLID, "dark": DARK, "glass": GLASS}
_COLOUR_OF_SURFACE = {
    "normal": (0.75, 0.72, 0.66, 1.0),
    "dark": (0.08, 0.08, 0.09, 1.0),
    "glass": (0.7, 0.9, 1.0, 0.25),
}

# Of a TurtleBot 4; those of other bodies follow what they weigh, and how hard they accelerate and turn.
# Velocity gains are stiff: the base's own ramp sets the acceleration, and these only follow it
# (time constants 20 and 14 ms). The force limits set how hard a stalled robot pushes.
_FORWARD_GAIN, _FORWARD_LIMIT = 200.0, 5.0
_SIDE_GAIN, _SIDE_LIMIT = 400.0, 25.0
_TURN_GAIN, _TURN_LIMIT = 4.0, 0.6
_HULL = (0.25, 0.27, 0.3, 1.0)
_FRICTION = (0.2, 0.005, 0.0001)


@dataclass(frozen=True, slots=True)
class ArenaModel:
    """A compiled model and where to find each robot in it.

    Attributes:
        model: the mujoco.MjModel
        owners: name of the robot, wall, box or carrot that each geom belongs to, by geom number
        bodies: robot name to body number
        states: robot name to the first of its three positions (x, y, yaw), which is also that of its velocities
        controls: robot name to the first of its three actuators (forward, sideways, yaw)
    """

    model: Any
    owners: tuple[str, ...]
    bodies: Mapping[str, int]
    states: Mapping[str, int]
    controls: Mapping[str, int]


def build_model(layout: Layout, robots: Mapping[str, Body], signs: Sequence[Sign] = ()) -> ArenaModel:
    """Build the model of a layout with robots in it, each at the origin.

    Args:
        layout: the world
        robots: name to body of each robot
        signs: the signs that robots carry
    """
    spec = mujoco.MjSpec()
    spec.modelname = layout.arena
    spec.option.timestep = to_seconds(TICK) / SUBSTEPS
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    # Everything that moves moves in the plane.
    spec.option.gravity = (0.0, 0.0, 0.0)
    _add_floor(spec)
    for solid in layout.solids:
        _add_solid(spec, solid)
    for carrot in layout.carrots:
        sign = Sign.carrot(carrot)
        stand = spec.worldbody.add_body(name=carrot.name, pos=(carrot.pose.x, carrot.pose.y, 0.0))
        stand.quat = _quaternion(carrot.pose.yaw)
        _add_faces(stand, sign)
    carried = {sign.name: sign for sign in signs}
    for name, body in robots.items():
        _add_robot(spec, name, body, carried.get(name))
    model = spec.compile()
    return ArenaModel(
        model=model,
        owners=tuple(model.geom(index).name.split("/")[0] for index in range(model.ngeom)),
        bodies={name: model.body(name).id for name in robots},
        states={name: int(model.joint(f"{name}/x").qposadr[0]) for name in robots},
        controls={name: model.actuator(f"{name}/forward").id for name in robots},
    )


def _add_floor(spec: Any) -> None:
    spec.worldbody.add_geom(
        name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=(50.0, 50.0, 0.1), group=DECOR, contype=0, conaffinity=0
    )


def _add_solid(spec: Any, solid: Solid) -> None:
    spec.worldbody.add_geom(
        name=solid.name,
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=(solid.length / 2.0, solid.width / 2.0, solid.height / 2.0),
        pos=(solid.pose.x, solid.pose.y, solid.height / 2.0),
        quat=_quaternion(solid.pose.yaw),
        group=_GROUP_OF_SURFACE[solid.surface],
        rgba=_COLOUR_OF_SURFACE[solid.surface],
        friction=_FRICTION,
    )


def _add_robot(spec: Any, name: str, made: Body, sign: Sign | None) -> None:
    """Add a planar base: slides along the map's axes, then turns; its actuators act in its own frame."""
    body = spec.worldbody.add_body(name=name)
    for joint, kind, axis in (
        ("x", mujoco.mjtJoint.mjJNT_SLIDE, (1.0, 0.0, 0.0)),
        ("y", mujoco.mjtJoint.mjJNT_SLIDE, (0.0, 1.0, 0.0)),
        ("yaw", mujoco.mjtJoint.mjJNT_HINGE, (0.0, 0.0, 1.0)),
    ):
        body.add_joint(name=f"{name}/{joint}", type=kind, axis=axis)
    body.add_geom(
        name=f"{name}/hull",
        type=mujoco.mjtGeom.mjGEOM_CYLINDER,
        size=(made.radius, made.height / 2.0, 0.0),
        pos=(0.0, 0.0, made.height / 2.0),
        mass=made.mass,
        group=HULL,
        rgba=_HULL if made.colour is None else (*shares(made.colour), 1.0),
        friction=_FRICTION,
    )
    body.add_site(name=f"{name}/base")
    for actuator, gear, gain, limit in _actuators(made):
        velocity = spec.add_actuator(
            name=f"{name}/{actuator}",
            target=f"{name}/base",
            trntype=mujoco.mjtTrn.mjTRN_SITE,
            gear=gear,
            forcelimited=True,
            forcerange=(-limit, limit),
        )
        velocity.set_to_velocity(kv=gain)
    if sign is not None:
        _add_faces(body, sign)
    if made.sphere is not None:
        _add_sphere(body, name, made.sphere)


def _add_sphere(body: Any, name: str, sphere: Sphere) -> None:
    """Add a robot's ball: cameras see it, and it touches and weighs nothing."""
    body.add_geom(
        name=f"{name}/sphere",
        type=mujoco.mjtGeom.mjGEOM_SPHERE,
        size=(sphere.diameter / 2.0, 0.0, 0.0),
        pos=(0.0, 0.0, sphere.height),
        mass=0.0,
        group=DECOR,
        contype=0,
        conaffinity=0,
        rgba=(*shares(sphere.colour), 1.0),
    )


def _actuators(body: Body) -> tuple[tuple[str, tuple[float, ...], float, float], ...]:
    """Return each actuator's name, gear, velocity gain, and greatest force (N) or torque (Nm)."""
    mass = body.mass / TURTLEBOT4.mass
    inertia = mass * (body.radius / TURTLEBOT4.radius) ** 2
    push = _hardest(body) / _hardest(TURTLEBOT4)
    twist = push * TURTLEBOT4.wheel_separation / body.wheel_separation
    # Twice what keeps the robot on its narrowest curve, at the least.
    side = max(_SIDE_LIMIT * mass, 2.0 * body.mass * body.max_linear * body.max_angular)
    return (
        ("forward", (1.0, 0.0, 0.0, 0.0, 0.0, 0.0), _FORWARD_GAIN * mass, _FORWARD_LIMIT * mass * push),
        ("side", (0.0, 1.0, 0.0, 0.0, 0.0, 0.0), _SIDE_GAIN * mass, side),
        ("turn", (0.0, 0.0, 0.0, 0.0, 0.0, 1.0), _TURN_GAIN * inertia, _TURN_LIMIT * inertia * twist),
    )


def _hardest(body: Body) -> float:
    """Return the greatest change of a wheel's speed, m/s2."""
    return max(body.acceleration, body.deceleration)


def _add_faces(body: Any, sign: Sign) -> None:
    for face in range(sign.faces):
        yaw = sign.face_yaw(face)
        body.add_geom(
            name=f"{sign.name}/face_{face}",
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=(0.0005, sign.size / 2.0, sign.size / 2.0),
            pos=(sign.offset * math.cos(yaw), sign.offset * math.sin(yaw), sign.height),
            quat=_quaternion(yaw),
            mass=0.0,
            group=DECOR,
            contype=0,
            conaffinity=0,
            rgba=(0.97, 0.97, 0.97, 1.0),
        )


def _quaternion(yaw: float) -> tuple[float, float, float, float]:
    return math.cos(yaw / 2.0), 0.0, 0.0, math.sin(yaw / 2.0)
