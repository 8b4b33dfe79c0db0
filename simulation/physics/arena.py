"""The embedded arena: physics and every robot's sensors, stepped in lock-step in one process."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D, Twist2D, wrap
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.robot.timing import TICK
from arena_trees.simulation.physics.bumpers import pressed_zones
from arena_trees.simulation.physics.engine import mujoco
from arena_trees.simulation.physics.model import SUBSTEPS, build_model
from arena_trees.simulation.physics.robot import RobotSpec, SimulatedRobot
from arena_trees.simulation.physics.truth import RobotTruth
from arena_trees.simulation.physics.turret import SimulatedTurret
from arena_trees.simulation.sensors.rays import RayCaster
from arena_trees.simulation.sensors.rendered_camera import OffscreenRenderer
from arena_trees.world.arena_file import blocked_by
from arena_trees.world.layout import Layout
from arena_trees.world.palette import alike
from arena_trees.world.signs import PlacedSign, Sign
from arena_trees.world.spheres import PlacedSphere

__all__ = ["Arena"]

_NOTHING: frozenset[tuple[str, str]] = frozenset()
_UNPRESSED: frozenset[str] = frozenset()
_SHARES = (1.0, 0.75, 0.5, 0.25, 0.0)
"""Of the way that somebody wants to carry a robot: the first at whose end there is room."""


class Arena:
    """A world with robots in it. Equal layouts, robots, seeds and commands give equal runs, bit by bit.

    Args:
        layout: the world
        robots: the robots
        seed: the trial's seed, zero or more
        pictures: rendered cameras deliver their pictures, for a detector that is elsewhere

    Raises:
        ConfigError: two robots have one name, or a robot would start in a wall, a box or another robot
        GraphicsError: a camera is to be rendered, and there is no graphics library here
    """

    def __init__(self, layout: Layout, robots: Sequence[RobotSpec], seed: int, pictures: bool = False) -> None:
        _check_robots(layout, robots)
        self.layout = layout
        self.now = 0
        self.contacts = _NOTHING
        self._signs = {
            spec.name: Sign.carried(spec.name, spec.label, spec.sensors.sign)
            for spec in robots
            if spec.label is not None
        }
        self._carrots = tuple(PlacedSign(Sign.carrot(carrot), carrot.pose) for carrot in layout.carrots)
        self._arena = build_model(layout, {spec.name: spec.body for spec in robots}, list(self._signs.values()))
        self._model = self._arena.model
        self._data: Any = mujoco.MjData(self._model)
        for spec in robots:
            first = self._arena.states[spec.name]
            self._data.qpos[first : first + 3] = (spec.start.x, spec.start.y, spec.start.yaw)
        mujoco.mj_step1(self._model, self._data)
        streams = RandomStreams(seed)
        caster = RayCaster(self._arena, self._data)
        self._spheres = {spec.name: spec.body.sphere for spec in robots if spec.body.sphere is not None}
        clutter = [
            solid
            for solid in layout.solids
            if solid.colour is not None and any(alike(solid.colour, ball.colour) for ball in self._spheres.values())
        ]
        self._studio = self._make_studio(robots, streams)
        self.robots: Mapping[str, SimulatedRobot] = {
            spec.name: SimulatedRobot(spec, streams, self.clock, caster, self._studio, pictures, clutter)
            for spec in robots
        }

    def clock(self) -> int:
        """Return the arena's instant, ns."""
        return self.now

    def step(self) -> None:
        """Advance by one tick: the newest commands act, bodies move, and sensors whose time has come measure."""
        for name, robot in self.robots.items():
            carried = None if robot.wheels is None else robot.wheels.place(self.now, robot.truth.pose)
            if carried is not None:
                self._set_down(name, carried)
        self._control()
        touching = self._move()
        self.now += TICK
        bearings: Mapping[str, list[float]] = {}
        if touching:
            bearings = self._read_contacts(touching)
        elif self.contacts:
            self.contacts = _NOTHING
        positions, velocities = self._data.qpos.tolist(), self._data.qvel.tolist()
        truths = {
            name: _truth(positions, velocities, first, bearings.get(name), self.robots[name].turret)
            for name, first in self._arena.states.items()
        }
        for name, robot in self.robots.items():
            robot.truth = truths[name]
        for name, robot in self.robots.items():
            robot.sense(self.now, truths[name], self.signs_seen_by, self.spheres_seen_by)

    def carry(self, name: str, pose: Pose2D) -> None:
        """Put a robot elsewhere (map frame), at rest, as a person who carries it would; its turret stays as it is."""
        first = self._arena.states[name]
        self._data.qpos[first : first + 3] = (pose.x, pose.y, pose.yaw)
        self._data.qvel[first : first + 3] = 0.0
        mujoco.mj_step1(self._model, self._data)
        robot = self.robots[name]
        robot.truth = replace(robot.truth, pose=pose, twist=Twist2D(), pressed=_UNPRESSED)

    def _set_down(self, name: str, wanted: Pose2D) -> None:
        """Carry a robot to a pose, or as far on the way there as there is room for it; its odometry counts nothing."""
        robot = self.robots[name]
        before = robot.truth.pose
        for share in _SHARES:
            x, y = before.x + share * (wanted.x - before.x), before.y + share * (wanted.y - before.y)
            if self._is_free(name, x, y):
                pose = Pose2D(x, y, wanted.yaw)
                robot.carry(pose)
                self.carry(name, pose)
                return

    def _is_free(self, name: str, x: float, y: float) -> bool:
        """Return whether a robot has room at a place (m, map frame)."""
        radius = self.robots[name].spec.body.radius
        return blocked_by(self.layout.solids, x, y, radius) is None and all(
            robot.truth.pose.distance_to(x, y) > radius + robot.spec.body.radius
            for other, robot in self.robots.items()
            if other != name
        )

    def true_pose(self, name: str) -> Pose2D:
        """Return a robot's true pose in the map frame."""
        return self.robots[name].truth.pose

    def true_twist(self, name: str) -> Twist2D:
        """Return a robot's true velocity in base_link."""
        return self.robots[name].truth.twist

    def placed_sign(self, name: str) -> PlacedSign:
        """Return the sign that a robot carries, where it is now.

        Raises:
            KeyError: the robot carries none
        """
        return PlacedSign(self._signs[name], self.robots[name].truth.pose)

    def signs_seen_by(self, name: str) -> list[PlacedSign]:
        """Return every sign of the arena but the robot's own, where it is now."""
        carried = [self.placed_sign(other) for other in self._signs if other != name]
        return [*carried, *self._carrots]

    def spheres_seen_by(self, name: str) -> list[PlacedSphere]:
        """Return every ball of the arena but the robot's own, where it is now."""
        return [
            PlacedSphere.carried(other, sphere, self.robots[other].truth.pose)
            for other, sphere in self._spheres.items()
            if other != name
        ]

    def close(self) -> None:
        """Let go of physics and graphics; the arena cannot step any more."""
        self._data = None
        if self._studio is not None:
            self._studio.close()

    def _make_studio(self, robots: Sequence[RobotSpec], streams: RandomStreams) -> OffscreenRenderer | None:
        """Return what takes the pictures of rendered cameras, where there are any."""
        cameras = {spec.name: spec.sensors.camera for spec in robots if spec.sensors.camera.kind == "rendered"}
        lanes = {spec.name: spec.sensors.lanes.pinhole() for spec in robots if spec.sensors.lanes.kind == "rendered"}
        eyes = {
            spec.name: spec.sensors.sphere_camera.pinhole()
            for spec in robots
            if spec.sensors.sphere_camera.kind == "rendered"
        }
        if not (cameras or lanes or eyes):
            return None

        def moving(name: str) -> tuple[Pose2D, Twist2D]:
            truth = self.robots[name].truth
            return truth.pose, truth.twist

        bodies = {spec.name: spec.body for spec in robots}
        signs = list(self._signs.values())
        return OffscreenRenderer(self.layout, bodies, signs, cameras, lanes, eyes, streams, moving)

    def _control(self) -> None:
        control = self._data.ctrl
        for name, robot in self.robots.items():
            first = self._arena.controls[name]
            speed, rate = robot.moves(self.now)
            control[first] = speed
            control[first + 2] = rate
            if robot.turret is not None:
                robot.turret.step(self.now)

    def _move(self) -> list[tuple[int, int, float, float]]:
        """Move for one tick; return each contact's geoms and place (m).

        The second half of MuJoCo's step goes first, so that afterwards poses and contacts belong to
        the instant that is reached, and rays need no further kinematics.
        """
        model, data = self._model, self._data
        touching: list[tuple[int, int, float, float]] = []
        for _ in range(SUBSTEPS):
            mujoco.mj_step2(model, data)
            mujoco.mj_step1(model, data)
            if data.ncon:
                contact = data.contact
                touching += [
                    (first, second, place[0], place[1])
                    for (first, second), place in zip(contact.geom.tolist(), contact.pos.tolist(), strict=True)
                ]
        return touching

    def _read_contacts(self, touching: list[tuple[int, int, float, float]]) -> Mapping[str, list[float]]:
        """Note who touched whom; return the bearings of the contacts from each robot."""
        owners, states, positions = self._arena.owners, self._arena.states, self._data.qpos
        pairs = set()
        bearings: dict[str, list[float]] = {}
        for first, second, x, y in touching:
            for robot, other in ((owners[first], owners[second]), (owners[second], owners[first])):
                if robot in states:
                    pairs.add((robot, other))
                    start = states[robot]
                    own_x, own_y, yaw = positions[start : start + 3].tolist()
                    bearings.setdefault(robot, []).append(wrap(math.atan2(y - own_y, x - own_x) - yaw))
        self.contacts = frozenset(pairs)
        return bearings


def _truth(
    positions: list[float],
    velocities: list[float],
    first: int,
    bearings: list[float] | None,
    turret: SimulatedTurret | None,
) -> RobotTruth:
    x, y, yaw = positions[first : first + 3]
    speed_x, speed_y, rate = velocities[first : first + 3]
    forward = math.cos(yaw) * speed_x + math.sin(yaw) * speed_y
    pressed = _UNPRESSED if bearings is None else pressed_zones(bearings)
    pose, twist = Pose2D(x, y, wrap(yaw)), Twist2D(forward, rate)
    if turret is None:
        return RobotTruth(pose, twist, pressed)
    return RobotTruth(pose, twist, pressed, turret.angles, turret.rates)


def _check_robots(layout: Layout, robots: Sequence[RobotSpec]) -> None:
    placed: dict[str, RobotSpec] = {}
    for spec in robots:
        key = f"robots.{spec.name}.start"
        if spec.name in placed:
            raise ConfigError("two robots have this name", key="robots", value=spec.name)
        if spec.name in {solid.name for solid in layout.solids} or not spec.name.isidentifier():
            raise ConfigError("a wall, a box or nothing can have this name", key="robots", value=spec.name)
        layout.check_place(spec.start, spec.body.radius, key)
        for other in placed.values():
            if spec.start.distance_to(other.start.x, other.start.y) < spec.body.radius + other.body.radius:
                raise ConfigError(f"the start is inside {other.name}", key=key, value=[spec.start.x, spec.start.y])
        placed[spec.name] = spec
