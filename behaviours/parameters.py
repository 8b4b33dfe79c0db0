"""Parameters of leaves that several games have, with the source system's names where it gives one."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Literal

from pydantic import model_validator

from arena_trees.control.pixel_tracker import TrackerNoise
from arena_trees.control.sign_range import Camera, Sign
from arena_trees.robot.configuration.parameters import Parameters, parameter

__all__ = ["GoToParameters", "RoamParameters", "Strategy", "TrackParameters"]

Strategy = Literal["arena", "source"]


class GoToParameters(Parameters):
    """Going to a place."""

    go_to_speed: float = parameter(0.25, "greatest speed", "m/s", gt=0.0, le=0.46)
    go_to_turn_rate: float = parameter(1.5, "greatest yaw rate", "rad/s", gt=0.0, le=1.9)
    go_to_turn_gain: float = parameter(2.5, "yaw rate per angle that is left at the place", "1/s", gt=0.0, le=20.0)
    go_to_brake: float = parameter(1.0, "speed per distance that is left", "1/s", gt=0.0, le=20.0)
    go_to_reach: float = parameter(0.45, "length of the way ahead that is to be free", "m", gt=0.0, le=5.0)
    go_to_tolerance: float = parameter(0.10, "the place is reached within", "m", gt=0.0, le=1.0)
    go_to_yaw_tolerance_deg: float = parameter(5.0, "and it stands as asked for within", "deg", gt=0.0, le=180.0)
    go_to_pose_timeout: float = parameter(0.5, "a pose older than this is none", "s", gt=0.0, le=10.0)


class RoamParameters(Parameters):
    """Roaming: legs and spins, obstacles, the fence, and what is believed of what the camera sees."""

    roam_linear_speed: float = parameter(0.20, "speed of a straight leg", "m/s", gt=0.0, le=0.46)
    leg_min_s: float = parameter(2.0, "shortest straight leg", "s", ge=0.0, le=60.0)
    leg_max_s: float = parameter(5.0, "longest straight leg", "s", ge=0.0, le=60.0)
    scan_turn_speed: float = parameter(0.65, "yaw rate of a scan spin", "rad/s", gt=0.0, le=1.9)
    scan_turn_min_deg: float = parameter(60.0, "smallest scan spin", "deg", ge=0.0, le=720.0)
    scan_turn_max_deg: float = parameter(180.0, "largest scan spin", "deg", ge=0.0, le=720.0)
    look_turn_deg: float = parameter(360.0, "turn of a look all round", "deg", ge=0.0, le=720.0)
    look_turn_speed: float = parameter(1.0, "yaw rate of a look all round", "rad/s", gt=0.0, le=1.9)
    obstacle_distance: float = parameter(0.50, "obstacle ahead when nearer than this", "m", gt=0.17, le=3.0)
    obstacle_cone_deg: float = parameter(30.0, "half angle of the forward cone", "deg", gt=0.0, le=90.0)
    obstacle_turn_speed: float = parameter(1.0, "yaw rate of an obstacle turn", "rad/s", gt=0.0, le=1.9)
    obstacle_turn_min_deg: float = parameter(90.0, "smallest obstacle turn", "deg", ge=0.0, le=360.0)
    obstacle_turn_max_deg: float = parameter(180.0, "largest obstacle turn", "deg", ge=0.0, le=360.0)
    force_forward_s: float = parameter(2.0, "forced forward after an obstacle turn", "s", ge=0.0, le=30.0)
    obstacle_cooldown_s: float = parameter(3.0, "no new obstacle turn for this long", "s", ge=0.0, le=30.0)
    max_angular_speed: float = parameter(1.5, "largest commanded yaw rate", "rad/s", gt=0.0, le=1.9)
    breach_align_gain: float = parameter(3.0, "yaw rate per bearing to the way inside", "1/s", gt=0.0, le=20.0)
    breach_align_tolerance: float = parameter(0.12, "aligned with the way inside", "rad", gt=0.0, le=1.0)
    breach_drive_speed: float = parameter(0.20, "speed back inside", "m/s", gt=0.0, le=0.46)
    warning_gain: float = parameter(2.0, "yaw rate per bearing to the centroid", "1/s", gt=0.0, le=20.0)
    warning_speed_scale: float = parameter(0.5, "share of the roaming speed in the warning band", "", gt=0.0, le=1.0)
    vision_timeout: float = parameter(0.7, "a detection older than this is no detection", "s", gt=0.0, le=10.0)
    sight_confirm_frames: int = parameter(2, "images in a row with the sign before it is believed", "", ge=1, le=30)

    @model_validator(mode="after")
    def _ranges_are_ordered(self) -> RoamParameters:
        for low, high in (
            ("leg_min_s", "leg_max_s"),
            ("scan_turn_min_deg", "scan_turn_max_deg"),
            ("obstacle_turn_min_deg", "obstacle_turn_max_deg"),
        ):
            if getattr(self, low) > getattr(self, high):
                raise ValueError(f"{low} is larger than {high}")
        return self

    @cached_property
    def obstacle_cone(self) -> float:
        """Half angle of the forward cone, rad."""
        return math.radians(self.obstacle_cone_deg)


class TrackParameters(RoamParameters):
    """Tracking the sign of another robot by camera, with a Kalman filter on its column."""

    strategy: Strategy = parameter("arena", "rules: ours, or the source system's as written", read_only=True)
    target_label: str = parameter(..., "class of the sign that is chased")
    chase_lost_frames: int = parameter(5, "ticks without a fresh detection before the chase ends", "", ge=0, le=500)
    kf_pixels_per_rad: float = parameter(
        0.0, "image motion per turn; 0 takes the camera's focal length", "px/rad", ge=0.0, le=5000.0
    )
    kf_q_px: float = parameter(50.0, "growth of the column's variance", "px^2/s", ge=0.0, le=1e6)
    kf_q_vx: float = parameter(2500.0, "growth of the velocity's variance", "px^2/s^3", ge=0.0, le=1e8)
    kf_r: float = parameter(25.0, "variance of a column measured with confidence 1", "px^2", gt=0.0, le=1e6)
    kf_p0_vx: float = parameter(1e4, "variance of the velocity at first sight", "px^2/s^2", gt=0.0, le=1e8)
    kf_gate_sigma: float = parameter(4.0, "innovation beyond which a box is an outlier", "", gt=0.0, le=100.0)
    kf_gate_misses: int = parameter(3, "outliers in a row that start the filter anew", "", ge=1, le=100)
    kf_lookahead: float = parameter(0.15, "look-ahead of the source strategy", "s", ge=0.0, le=2.0)
    camera_hfov_deg: float = parameter(42.0, "camera's horizontal field of view", "deg", gt=1.0, lt=179.0)
    camera_x: float = parameter(-0.06, "camera's x in base_link", "m", ge=-1.0, le=1.0)
    camera_z: float = parameter(0.244, "camera's height above the floor", "m", gt=0.0, le=2.0)
    sign_size: float = parameter(0.21, "edge of the sign", "m", gt=0.0, le=2.0)
    sign_z: float = parameter(0.415, "height of the sign's centre above the floor", "m", gt=0.0, le=3.0)
    target_radius: float = parameter(0.17, "radius of the chased robot's hull", "m", gt=0.0, le=1.0)

    @cached_property
    def camera(self) -> Camera:
        """The camera's geometry."""
        return Camera(math.radians(self.camera_hfov_deg), self.camera_x, self.camera_z)

    @cached_property
    def sign(self) -> Sign:
        """The sign's geometry."""
        return Sign(self.sign_size, self.sign_z)

    @cached_property
    def noise(self) -> TrackerNoise:
        """Noise of the chase's Kalman filter."""
        return TrackerNoise(
            self.kf_q_px,
            self.kf_q_vx,
            self.kf_r,
            self.kf_p0_vx,
            self.kf_gate_sigma,
            self.kf_gate_misses,
        )
