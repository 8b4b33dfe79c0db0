"""Parameters of the velocity gate and its guard; the defaults are a TurtleBot 4 on a Create 3 with its safety on."""

from __future__ import annotations

from pydantic import model_validator

from arena_trees.robot.configuration.parameters import Parameters, parameter

__all__ = ["GateParameters", "GuardParameters"]


class GateParameters(Parameters):
    """Limits of the velocity gate."""

    max_linear: float = parameter(0.306, "greatest forward speed", "m/s", gt=0.0, le=0.46)
    max_reverse: float = parameter(0.15, "greatest reverse speed", "m/s", ge=0.0, le=0.46)
    max_angular: float = parameter(1.9, "greatest yaw rate", "rad/s", gt=0.0, le=1.9)
    max_wheel: float = parameter(0.306, "greatest speed of a wheel", "m/s", gt=0.0, le=0.46)
    half_track: float = parameter(0.1165, "half the distance between the wheels", "m", gt=0.0, le=1.0)
    acceleration: float = parameter(0.9, "greatest growth of the speed", "m/s2", gt=0.0, le=20.0)
    angular_acceleration: float = parameter(6.0, "greatest growth of the yaw rate", "rad/s2", gt=0.0, le=100.0)
    reaction_time: float = parameter(0.1, "time until braking begins", "s", ge=0.0, le=2.0)
    deceleration: float = parameter(0.9, "deceleration when braking", "m/s2", gt=0.0, le=20.0)
    hull_radius: float = parameter(0.17, "radius of the robot", "m", gt=0.0, le=1.0)
    side_margin: float = parameter(0.02, "room kept beside the hull when it passes something", "m", ge=0.0, le=0.5)
    body_radius: float = parameter(
        0.13, "points nearer to the centre are the robot's own body and are ignored", "m", ge=0.0, le=1.0
    )
    obstacle_margin: float = parameter(0.05, "distance left to an obstacle after a stop", "m", ge=0.0, le=1.0)
    age_allowance: float = parameter(
        0.10, "what the distance to an obstacle may lose unseen, for each second of the scan's age", "m/s",
        ge=0.0, le=2.0,
    )  # fmt: skip
    scan_timeout: float = parameter(0.5, "age above which the newest return stops the robot", "s", gt=0.0, le=5.0)
    scan_recovery: float = parameter(
        0.2, "how long returns must have been fresh again before the robot may move", "s", ge=0.0, le=10.0
    )
    odometry_timeout: float = parameter(
        0.5, "age above which odometry is replaced by what was commanded", "s", gt=0.0, le=5.0
    )
    pose_timeout: float = parameter(0.5, "age above which a pose counts as lost", "s", gt=0.0, le=5.0)
    pose_jump: float = parameter(0.5, "jump of the pose against odometry that stops the robot", "m", gt=0.0, le=10.0)
    pose_turn: float = parameter(0.52, "turn of the pose against odometry that stops the robot", "rad", gt=0.0, le=3.15)
    pose_hold: float = parameter(1.0, "how long the robot stands after such a jump", "s", ge=0.0, le=60.0)
    fence_margin: float = parameter(0.10, "distance left to the fence after a stop", "m", ge=0.0, le=5.0)
    breach_speed: float = parameter(0.20, "greatest speed outside the fence", "m/s", gt=0.0, le=0.46)
    line_margin: float = parameter(
        0.02, "distance left from the hull to a stop line after a stop without a lease", "m", ge=0.0, le=1.0
    )  # fmt: skip

    @model_validator(mode="after")
    def _body_inside_hull(self) -> GateParameters:
        if self.body_radius >= self.hull_radius:
            raise ValueError("body_radius must be less than hull_radius")
        return self


class GuardParameters(Parameters):
    """Timeouts of the guard around a velocity gate that is a process of its own."""

    command_timeout: float = parameter(0.08, "age above which a command is not obeyed", "s", gt=0.0, le=0.5)
    stamp_tolerance: float = parameter(0.1, "how far a command's stamp may lie from its arrival", "s", gt=0.0, le=1.0)
    tree_timeout: float = parameter(
        0.5, "silence after which a tree counts as gone; if it was driving, the gate latches", "s", gt=0.0, le=10.0
    )
    lost_timeout: float = parameter(
        5.0, "how long localisation may be lost until the gate latches", "s", gt=0.0, le=600.0
    )
