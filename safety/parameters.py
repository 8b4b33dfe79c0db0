"""Parameters of the velocity gate and its guard; the defaults are a TurtleBot 4 on a Create 3 with its safety on.

Limits of another body have other defaults and bounds: they are made for it (:meth:`GateParameters.of`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar

from pydantic import create_model, model_validator

from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.robot.configuration.yaml_files import validate
from arena_trees.world.body import TURTLEBOT4, Body

__all__ = ["GateParameters", "GuardParameters", "LooseLimit", "StrictGateParameters"]


_SAFETY_OFF = 0.46
"""m/s; a Create 3 whose own safety is off drives as fast, forwards and backwards."""

_BOUNDS = ("gt", "ge", "lt", "le")


GateT = TypeVar("GateT", bound="GateParameters")


class LooseLimit(NamedTuple):
    """A limit that is looser than by default.

    Attributes:
        value: of the limit
        default: of the limit
        unit: of both
    """

    value: float
    default: float
    unit: str

    def __str__(self) -> str:
        return f"{self.phrase(self.value)} (default {self.phrase(self.default).removesuffix(f' {self.unit}')})"

    def phrase(self, value: float) -> str:
        """Return a value of the limit in words, with its unit; of a limit that is on or off, whether it is on."""
        return str(value).lower() if isinstance(self.default, bool) else f"{value:g} {self.unit}"


def _limit(default: float, description: str, unit: str, stricter: Literal["less", "more"], **bounds: Any) -> Any:
    """Declare a limit; of two values, the one that is stricter is the less or the more."""
    field = parameter(default, description, unit, **bounds)
    field.json_schema_extra["stricter"] = stricter
    return field


class GateParameters(Parameters):
    """Limits of the velocity gate; each declares which of two values is the stricter one."""

    made_for: ClassVar[Body] = TURTLEBOT4

    max_linear: float = _limit(0.306, "greatest forward speed", "m/s", "less", gt=0.0, le=0.46)
    max_reverse: float = _limit(0.15, "greatest reverse speed", "m/s", "less", ge=0.0, le=0.46)
    max_angular: float = _limit(1.9, "greatest yaw rate", "rad/s", "less", gt=0.0, le=1.9)
    max_wheel: float = _limit(0.306, "greatest speed of a wheel", "m/s", "less", gt=0.0, le=0.46)
    half_track: float = _limit(0.1165, "half the distance between the wheels", "m", "more", gt=0.0, le=1.0)
    acceleration: float = _limit(0.9, "greatest growth of the speed", "m/s2", "less", gt=0.0, le=20.0)
    angular_acceleration: float = _limit(6.0, "greatest growth of the yaw rate", "rad/s2", "less", gt=0.0, le=100.0)
    reaction_time: float = _limit(0.1, "time until braking begins", "s", "more", ge=0.0, le=2.0)
    deceleration: float = _limit(0.9, "deceleration when braking", "m/s2", "less", gt=0.0, le=20.0)
    hull_radius: float = _limit(0.17, "radius of the robot", "m", "more", gt=0.0, le=1.0)
    side_margin: float = _limit(0.02, "room kept beside the hull when it passes something", "m", "more", ge=0.0, le=0.5)
    body_radius: float = _limit(
        0.13, "points nearer to the centre are the robot's own body and are ignored", "m", "less", ge=0.0, le=1.0
    )
    obstacles: bool = _limit(
        True, "whether it heeds LiDAR and range sensors at all; without, bumper, fence, caps and latch are left", "",
        "more",
    )  # fmt: skip
    obstacle_margin: float = _limit(0.05, "distance left to an obstacle after a stop", "m", "more", ge=0.0, le=1.0)
    age_allowance: float = _limit(
        0.10, "what the way to an obstacle may lose unseen, for each second of a scan's or ranges' age", "m/s", "more",
        ge=0.0, le=2.0,
    )  # fmt: skip
    others_speed: float = _limit(
        0.0, "speed at which something may come towards it without meeting it before it stands; in a scenario that "
        "does not give it, the greatest speed of another robot", "m/s", "more", ge=0.0, le=5.0,
    )  # fmt: skip
    unseen_speed: float = _limit(
        0.05, "greatest forward speed into directions in which the LiDAR has no beams; backwards there is none", "m/s",
        "less", ge=0.0, le=0.46,
    )  # fmt: skip
    blind_memory: float = _limit(
        5.0, "how long it does not drive into directions in which the LiDAR lost all its returns at once", "s", "more",
        ge=0.0, le=60.0,
    )  # fmt: skip
    scan_timeout: float = _limit(0.5, "age above which the newest return stops the robot", "s", "less", gt=0.0, le=5.0)
    scan_recovery: float = _limit(
        0.2, "how long returns, or ranges, must have been fresh again before it may move", "s", "more", ge=0.0, le=10.0
    )
    ranges_timeout: float = _limit(
        0.3, "age above which the oldest of the newest ranges stops the robot", "s", "less", gt=0.0, le=5.0
    )
    ranges_hold: float = _limit(
        0.2, "how long an echo is believed that its range sensor has lost", "s", "more", ge=0.0, le=5.0
    )
    odometry_timeout: float = _limit(
        0.5, "age above which odometry is replaced by what was commanded", "s", "less", gt=0.0, le=5.0
    )
    odometry_hold: float = _limit(
        1.0, "how long the robot stands first where odometry does not move with it, and twice as long each time; 0: it "
        "does not", "s", "more", ge=0.0, le=60.0,
    )  # fmt: skip
    pose_timeout: float = _limit(0.5, "age above which a pose counts as lost", "s", "less", gt=0.0, le=5.0)
    pose_jump: float = _limit(
        0.5, "jump of the pose against odometry that stops the robot", "m", "less", gt=0.0, le=10.0
    )
    pose_turn: float = _limit(
        0.52, "turn of the pose against odometry that stops the robot", "rad", "less", gt=0.0, le=3.15
    )
    pose_hold: float = _limit(1.0, "how long the robot stands after such a jump", "s", "more", ge=0.0, le=60.0)
    fence_margin: float = _limit(0.10, "distance left to the fence after a stop", "m", "more", ge=0.0, le=5.0)
    breach_speed: float = _limit(0.20, "greatest speed outside the fence", "m/s", "less", gt=0.0, le=0.46)
    line_margin: float = _limit(
        0.02, "distance left from the hull to a stop line after a stop without a lease", "m", "more", ge=0.0, le=1.0
    )  # fmt: skip

    @model_validator(mode="after")
    def _body_inside_hull(self) -> GateParameters:
        if self.body_radius >= self.hull_radius:
            raise ValueError("body_radius must be less than hull_radius")
        return self

    @classmethod
    def of(cls: type[GateT], body: Body) -> type[GateT]:
        """Return the limits of a body: a model whose defaults are what the body can do, and whose bounds allow no more.

        The body's own part of the LiDAR's points and the growth of the yaw rate follow its size and its wheels. Margins
        and times are the same for all bodies.
        """
        return cls if _limits_of(body) == _limits_of(cls.made_for) else _model_for(cls, body)

    @classmethod
    def for_body(
        cls: type[GateT], body: Body, changes: Mapping[str, Any], source: str | Path = "change", key: str | None = None
    ) -> GateT:
        """Return the limits of a body, with changes.

        Args:
            body: of the robot
            changes: key to value, for the limits that are not the body's
            source: named in errors
            key: put before the key that an error names

        Raises:
            ConfigError: a key is unknown, or a value is refused: what is beyond the body, among them
        """
        return validate(cls.of(body), dict(changes), source, key)

    def __reduce__(self) -> tuple[Any, ...]:
        # The model of a body is made anew in a process that does not know it yet.
        strict = isinstance(self, StrictGateParameters)
        return _restored, (strict, type(self).made_for, self.model_dump())

    @property
    def loosened(self) -> dict[str, LooseLimit]:
        """The limits that are looser than by default of the body, by key."""
        found = {}
        for key, field in type(self).model_fields.items():
            extra: Any = field.json_schema_extra
            value, default = getattr(self, key), field.default
            if value > default if extra["stricter"] == "less" else value < default:
                found[key] = LooseLimit(value, default, extra["unit"])
        return found


class StrictGateParameters(GateParameters):
    """Limits of the velocity gate, none of them looser than by default."""

    @model_validator(mode="after")
    def _is_strict(self) -> StrictGateParameters:
        for key, limit in self.loosened.items():
            raise ValueError(f"{key} must not be looser than by default without allow_loose_gate: {limit}")
        return self


def _limits_of(body: Body) -> dict[str, tuple[float, float | None]]:
    """Return the limits that follow from a body: default, and greatest value that the base could drive, by key."""
    usual = GateParameters.model_fields
    create3 = body.max_linear == TURTLEBOT4.max_linear
    fastest = _SAFETY_OFF if create3 else body.max_linear
    backwards = _SAFETY_OFF if create3 and body.max_reverse == TURTLEBOT4.max_reverse else body.max_reverse
    size = body.radius / TURTLEBOT4.radius
    spin = body.acceleration / TURTLEBOT4.acceleration * (TURTLEBOT4.wheel_separation / body.wheel_separation)
    return {
        "max_linear": (body.max_linear, fastest),
        "max_reverse": (body.max_reverse, backwards),
        "max_angular": (body.max_angular, body.max_angular),
        "max_wheel": (body.max_linear, fastest),
        "half_track": (body.wheel_separation / 2.0, None),
        "acceleration": (body.acceleration, None),
        "angular_acceleration": (min(100.0, usual["angular_acceleration"].default * spin), None),
        "deceleration": (body.deceleration, None),
        "hull_radius": (body.radius, None),
        "body_radius": (usual["body_radius"].default * size, None),
        "breach_speed": (min(usual["breach_speed"].default, body.max_linear), fastest),
    }


@lru_cache(maxsize=256)
def _model_for(model: type[GateT], body: Body) -> type[GateT]:
    """Return a model of limits with the defaults and the bounds of a body."""
    fields: dict[str, Any] = {}
    for key, (default, most) in _limits_of(body).items():
        field = model.model_fields[key]
        extra: Any = field.json_schema_extra
        bounds = {name: getattr(one, name) for one in field.metadata for name in _BOUNDS if hasattr(one, name)}
        bounds |= {} if most is None else {"le": most}
        fields[key] = (float, _limit(default, field.description or "", extra["unit"], extra["stricter"], **bounds))
    made = create_model(model.__name__, __base__=model, __module__=model.__module__, __doc__=model.__doc__, **fields)
    made.made_for = body
    return made


def _restored(strict: bool, body: Body, values: dict[str, Any]) -> GateParameters:
    model = StrictGateParameters if strict else GateParameters
    return model.of(body).model_construct(**values)


class GuardParameters(Parameters):
    """Timeouts of the guard around a velocity gate that is a process of its own."""

    command_timeout: float = parameter(0.08, "age above which a command is not obeyed", "s", gt=0.0, le=0.5)
    stamp_tolerance: float = parameter(0.1, "how far a command's stamp may lie from its arrival", "s", gt=0.0, le=1.0)
    tree_timeout: float = parameter(
        0.5, "silence after which a tree counts as gone; if it was driving, the gate latches", "s", gt=0.0, le=10.0
    )
    hang_timeout: float = parameter(
        1.0, "how long the gate itself may have been held up until it latches", "s", gt=0.1, le=60.0
    )
    lost_timeout: float = parameter(
        5.0, "how long localisation may be lost until the gate latches", "s", gt=0.0, le=600.0
    )
