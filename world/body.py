"""The body of a robot: what it is made of, how fast it can move, and what it carries; data, not code."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import model_validator

from arena_trees.robot.configuration.parameters import FROM_LIST, Parameters, parameter
from arena_trees.robot.configuration.yaml_files import flatten
from arena_trees.robot.geometry import Pose2D

__all__ = ["TURTLEBOT4", "Barrel", "Body", "RangeMount", "Sphere", "Turret"]


class Sphere(Parameters):
    """A massless ball of one colour that a robot carries on its axis; it shows like a disc from everywhere."""

    diameter: float = parameter(0.5, "of the ball", "m", gt=0, le=2)
    height: float = parameter(0.6, "of its centre above the floor", "m", gt=0, le=5)
    colour: str = parameter("#1f4fd8", "of the ball, #rrggbb", pattern="^#[0-9a-fA-F]{6}$")


class Barrel(Parameters):
    """Where a weapon's barrel begins; it looks along the turret, or along base_link's x where there is no turret."""

    x: float = parameter(0.0, "of its origin before the axis that it turns about", "m", ge=-1, le=1)
    height: float = parameter(0.244, "of its origin above the floor", "m", gt=0, le=5)


class Turret(Parameters):
    """A second actuator on the robot's vertical axis: camera and barrel turn with it."""

    max_yaw_rate: float = parameter(3.0, "greatest yaw rate", "rad/s", gt=0, le=20)
    max_pitch_rate: float = parameter(2.0, "greatest pitch rate", "rad/s", gt=0, le=20)
    acceleration: float = parameter(20.0, "greatest change of either rate", "rad/s2", gt=0, le=500)
    max_yaw: float = parameter(math.pi, "it turns no farther to either side; pi or more is without end", "rad", gt=0)
    min_pitch: float = parameter(-0.35, "lowest", "rad", ge=-1.5, le=0)
    max_pitch: float = parameter(0.6, "highest", "rad", ge=0, le=1.5)
    camera_above_barrel: float = parameter(0.035, "height of the camera above the barrel", "m", ge=-0.5, le=0.5)


class RangeMount(Parameters):
    """Where a single-beam distance sensor sits."""

    name: str = parameter(..., "of the sensor", pattern="^[a-z][a-z0-9_]*$")
    x: float = parameter(..., "of the beam's origin, base_link", "m", ge=-2, le=2)
    y: float = parameter(..., "of the beam's origin, base_link", "m", ge=-2, le=2)
    yaw_deg: float = parameter(..., "direction of the beam, base_link", "deg", ge=-180, le=180)

    @property
    def pose(self) -> Pose2D:
        """The frame in which the beam goes along +x, base_link."""
        return Pose2D(self.x, self.y, math.radians(self.yaw_deg))


class Body(Parameters):
    """A robot's body; the default is a TurtleBot 4 on a Create 3 with its safety on.

    It is the one source of what simulated base, velocity gate, drawings and rules take a robot to be.
    """

    radius: float = parameter(0.17, "of the hull", "m", gt=0.02, le=1)
    height: float = parameter(0.35, "of the hull", "m", gt=0.02, le=3)
    mass: float = parameter(3.9, "of the robot", "kg", gt=0.1, le=200)
    colour: str | None = parameter(
        None, "of the hull, #rrggbb; where absent, drawings choose one", pattern="^#[0-9a-fA-F]{6}$"
    )
    max_linear: float = parameter(0.306, "greatest speed, also at a wheel: turning costs speed", "m/s", gt=0, le=5)
    max_reverse: float = parameter(0.15, "greatest reverse speed", "m/s", ge=0, le=5)
    max_angular: float = parameter(1.9, "greatest yaw rate", "rad/s", gt=0, le=20)
    wheel_separation: float = parameter(0.233, "distance between the wheels", "m", gt=0, le=2)
    acceleration: float = parameter(0.9, "greatest growth of a wheel's speed", "m/s2", gt=0, le=20)
    deceleration: float = parameter(0.9, "greatest deceleration when braking", "m/s2", gt=0, le=20)
    lidar: bool = parameter(True, "whether it has a LiDAR, without whose scans it must not move")
    robot_lidar: bool = parameter(
        False, "whether it has a second LiDAR, in the first one's place, that sees robots alone"
    )
    ranges: Annotated[tuple[RangeMount, ...], FROM_LIST] = parameter((), "single-beam distance sensors")
    turret: Turret | None = parameter(None, "the turret, if it has one")
    barrel: Barrel | None = parameter(None, "the weapon's barrel, if it has one")
    sphere: Sphere | None = parameter(None, "the ball that it carries, if any")

    def with_changes(self, changes: Mapping[str, Any], source: str | Path = "change") -> Any:
        """Return a validated copy with the changes applied, as every parameter model does; nested maps will do, too.

        Changes of a turret, a barrel or a ball that the body has leave the rest of it as it is.

        Raises:
            ConfigError: a key is unknown or a value is refused
        """
        flat = {key: value for key, value in flatten(changes) if value != {} or getattr(self, key, None) is None}
        return super().with_changes(flat, source)

    @model_validator(mode="after")
    def _is_possible(self) -> Body:
        names = [mount.name for mount in self.ranges]
        if len(set(names)) < len(names):
            raise ValueError("two range sensors have one name")
        if self.wheel_separation > 2.0 * self.radius:
            raise ValueError("the wheels are outside the hull: wheel_separation must be at most twice the radius")
        return self


TURTLEBOT4 = Body()
"""The default body."""
