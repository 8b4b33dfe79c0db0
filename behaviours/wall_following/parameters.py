"""Parameters of robots that follow a wall."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Literal

from arena_trees.control.leader_tracker import TrackerSettings
from arena_trees.control.wall_pid import WallPidSettings
from arena_trees.control.wall_rules import RuleSettings
from arena_trees.robot.configuration.parameters import Parameters, parameter

__all__ = ["RobotFollowerParameters", "WallFollowerParameters"]

_SPEED_UP_S = 1.2
"""Time in which robots reach their greatest speed."""


class WallFollowerParameters(Parameters):
    """A robot that follows a wall; the defaults are a TurtleBot 4."""

    strategy: Literal["arena", "source"] = parameter(
        "arena", "along a curve fitted to the wall, or by a law of the Wall Following report", read_only=True
    )
    law: Literal["rules", "pd", "pid", "subsumption"] = parameter(
        "rules", "which law of the report, where the strategy is source", read_only=True
    )
    side: Literal["right", "left"] = parameter("right", "on which the wall is kept", read_only=True)
    ideal_distance: float = parameter(0.65, "that is kept from the wall", "m", gt=0.0, le=5.0)
    tolerance: float = parameter(
        0.167, "about the ideal distance that counts as right; the report's rules trim within", "m", ge=0.0, le=5.0
    )  # fmt: skip
    speed: float = parameter(0.30, "greatest speed", "m/s", gt=0.0, le=5.0)
    turn_rate: float = parameter(1.4, "greatest yaw rate", "rad/s", gt=0.0, le=20.0)
    settle_s: float = parameter(0.3, "from the first scan until it moves: its gate waits, too", "s", ge=0.0, le=5.0)
    # Ours.
    reach: float = parameter(0.40, "of the look ahead along the way", "m", gt=0.0, le=5.0)
    gap: float = parameter(0.39, "neighbouring returns nearer to each other are of one surface", "m", gt=0.0, le=5.0)
    turn_gate_deg: float = parameter(40.0, "with its course farther aside it turns on the spot", "deg", gt=0, le=180)
    # The report's.
    rule_gain: float = parameter(1.0, "rules: yaw rate for each metre that a distance is wrong", "rad/s/m", ge=0.0)
    rule_trim: float = parameter(3.5, "rules: the same within the tolerance", "rad/s/m", ge=0.0)
    kp: float = parameter(1.0, "pd, pid: yaw rate for each metre of error", "rad/s/m", ge=0.0)
    ki: float = parameter(0.1, "pid: yaw rate for each metre and second of error", "rad/s/m/s", ge=0.0)
    kd: float = parameter(1.0, "pd, pid: yaw rate for each metre a second that the error changes", "rad/m", ge=0.0)
    stand: float = parameter(
        0.37, "pd, pid: it stands at this distance of something ahead, and backs off nearer", "m", gt=0.0, le=5.0
    )
    corrected: bool = parameter(False, "pd, pid: with their faults put right", read_only=True)

    @cached_property
    def side_sign(self) -> float:
        """1 for a wall on the left, -1 for one on the right."""
        return 1.0 if self.side == "left" else -1.0

    @cached_property
    def turn_gate(self) -> float:
        """The course beyond which the robot turns on the spot, rad."""
        return math.radians(self.turn_gate_deg)

    @cached_property
    def rules(self) -> RuleSettings:
        """Numbers of the rules."""
        return RuleSettings(
            self.ideal_distance, self.tolerance, self.speed, self.turn_rate, self.rule_gain, self.rule_trim
        )

    @cached_property
    def pid(self) -> WallPidSettings:
        """Numbers of the PD or PID law."""
        return WallPidSettings(
            self.ideal_distance,
            self.speed,
            self.turn_rate,
            self.kp,
            self.ki if self.law == "pid" else 0.0,
            self.kd,
            self.stand,
            self.corrected,
        )


class RobotFollowerParameters(WallFollowerParameters):
    """A robot that follows another one, and a wall where it sees none."""

    sight: Literal["scan", "robot_scan"] = parameter(
        "scan",
        "how it sees the other robot: as a hull among all returns, or by a second LiDAR that sees robots alone",
        read_only=True,
    )
    hull_radius: float = parameter(0.17, "of the other robot", "m", gt=0.0, le=2.0)
    leader_speed: float = parameter(0.31, "that the other robot does not exceed", "m/s", gt=0.0, le=5.0)
    follow_distance: float = parameter(1.30, "to its hull, within which it is followed", "m", gt=0.0, le=20.0)
    follow_gap: float = parameter(0.45, "kept to its hull, from the own centre", "m", gt=0.0, le=10.0)
    gap_gain: float = parameter(1.0, "speed for each metre that the gap is wrong", "1/s", ge=0.0, le=20.0)
    bearing_gain: float = parameter(
        1.0, "the report's: yaw rate for each radian that the other robot is aside", "1/s", ge=0.0, le=20.0
    )
    reverse_speed: float = parameter(0.15, "greatest backwards", "m/s", ge=0.0, le=5.0)
    hull_noise: float = parameter(0.09, "root mean square that returns may be off a hull's circle", "m", gt=0.0, le=1.0)
    proof: float = parameter(0.25, "way by which a hull in the scan proves that it is no wall", "m", ge=0.0, le=5.0)

    @cached_property
    def tracker(self) -> TrackerSettings:
        """Numbers of the tracker; what a LiDAR shows that sees robots alone needs no proof."""
        moved = self.proof if self.sight == "scan" else 0.0
        acceleration = self.leader_speed / _SPEED_UP_S
        return TrackerSettings(self.leader_speed, acceleration, 2.0 * self.hull_radius, moved, 3 if moved else 2)
