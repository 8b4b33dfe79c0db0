"""Parameters of the wolf and the rabbit, with document 000's names where it gives one."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Literal

from pydantic import model_validator

from arena_trees.control.pid import PidGains
from arena_trees.control.pixel_tracker import TrackerNoise
from arena_trees.control.sign_range import Camera, Sign
from arena_trees.robot.parameters import Parameters, parameter

__all__ = ["RabbitParameters", "RoamParameters", "Strategy", "WolfParameters"]

Strategy = Literal["arena", "source"]


class RoamParameters(Parameters):
    """What wolf and rabbit share: roaming, obstacles, fence and sight."""

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
    vision_timeout: float = parameter(0.7, "a sighting older than this is no sighting", "s", gt=0.0, le=10.0)
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


class WolfParameters(RoamParameters):
    """The wolf."""

    strategy: Strategy = parameter("arena", "rules: ours, or document 000's as written", read_only=True)
    target_label: str = parameter("rabbit_sign", "class of the sign that is chased")
    chase_linear_speed: float = parameter(0.306, "speed of the chase", "m/s", gt=0.0, le=0.46)
    chase_kp: float = parameter(2.0, "proportional gain on the error in half images", "rad/s", ge=0.0, le=20.0)
    chase_ki: float = parameter(0.0, "integral gain", "rad/s^2", ge=0.0, le=20.0)
    chase_kd: float = parameter(0.15, "derivative gain", "rad", ge=0.0, le=5.0)
    chase_derivative_alpha: float = parameter(0.6, "weight of the newest derivative", "", gt=0.0, le=1.0)
    chase_integral_limit: float = parameter(1.0, "largest integral of the error", "s", ge=0.0, le=10.0)
    chase_deadband: float = parameter(
        0.02, "error that counts as aimed; source commands no turn within it", "half images", ge=0.0, le=1.0
    )
    chase_turn_slowdown: float = parameter(0.5, "share of speed that a full turn takes", "", ge=0.0, le=1.0)
    chase_warning_speed_scale: float = parameter(0.5, "share of speed in the warning band", "", gt=0.0, le=1.0)
    chase_lost_frames: int = parameter(5, "ticks without a fresh sighting before the chase ends", "", ge=0, le=500)
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
    catch_bbox_width_px: float = parameter(
        140.0, "box width that claims a catch (source strategy)", "px", gt=0.0, le=10_000.0
    )
    catch_range: float = parameter(0.54, "range that claims a catch (arena strategy)", "m", gt=0.0, le=3.0)
    catch_standoff: float = parameter(0.46, "range at which the closing speed reaches zero", "m", ge=0.0, le=3.0)
    catch_closing_gain: float = parameter(2.2, "closing speed per metre beyond the stand-off", "1/s", gt=0.0, le=20.0)
    catch_confirm_frames: int = parameter(2, "images in a row that confirm a catch", "", ge=1, le=100)
    catch_pause_sec: float = parameter(2.0, "pause after a claim", "s", ge=0.0, le=60.0)
    catch_cooldown_sec: float = parameter(4.0, "no new claim for this long after one", "s", ge=0.0, le=60.0)
    return_turn_deg: float = parameter(160.0, "turn after a chase that ran into the fence", "deg", ge=0.0, le=360.0)
    return_turn_speed: float = parameter(0.75, "largest yaw rate of that turn", "rad/s", gt=0.0, le=1.9)
    return_turn_gain: float = parameter(1.6, "yaw rate per remaining turn", "1/s", gt=0.0, le=20.0)
    return_turn_tolerance: float = parameter(0.15, "turn is done within", "rad", gt=0.0, le=1.0)
    search_s: float = parameter(12.0, "longest search after a loss (arena strategy)", "s", ge=0.0, le=120.0)
    search_reach: float = parameter(0.6, "last position counts as reached within", "m", gt=0.0, le=5.0)

    @cached_property
    def camera(self) -> Camera:
        """The camera's geometry."""
        return Camera(math.radians(self.camera_hfov_deg), self.camera_x, self.camera_z)

    @cached_property
    def sign(self) -> Sign:
        """The sign's geometry."""
        return Sign(self.sign_size, self.sign_z)

    @cached_property
    def gains(self) -> PidGains:
        """The chase's PID gains."""
        return PidGains(
            self.chase_kp,
            self.chase_ki,
            self.chase_kd,
            self.chase_derivative_alpha,
            self.chase_integral_limit,
            self.max_angular_speed,
        )

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


class RabbitParameters(RoamParameters):
    """The rabbit."""

    roam_linear_speed: float = parameter(0.10, "speed of a straight leg", "m/s", gt=0.0, le=0.46)
    leg_min_s: float = parameter(1.5, "shortest straight leg", "s", ge=0.0, le=60.0)
    leg_max_s: float = parameter(4.0, "longest straight leg", "s", ge=0.0, le=60.0)
    scan_turn_speed: float = parameter(0.60, "yaw rate of a scan spin", "rad/s", gt=0.0, le=1.9)
    obstacle_distance: float = parameter(0.45, "obstacle ahead when nearer than this", "m", gt=0.17, le=3.0)
    obstacle_turn_speed: float = parameter(0.9, "yaw rate of an obstacle turn", "rad/s", gt=0.0, le=1.9)
    obstacle_turn_min_deg: float = parameter(80.0, "smallest obstacle turn", "deg", ge=0.0, le=360.0)
    obstacle_turn_max_deg: float = parameter(150.0, "largest obstacle turn", "deg", ge=0.0, le=360.0)
    force_forward_s: float = parameter(1.0, "forced forward after an obstacle turn", "s", ge=0.0, le=30.0)
    obstacle_cooldown_s: float = parameter(2.0, "no new obstacle turn for this long", "s", ge=0.0, le=30.0)
    max_angular_speed: float = parameter(1.2, "largest commanded yaw rate", "rad/s", gt=0.0, le=1.9)

    threat_label: str = parameter("wolf_sign", "class of the sign that is fled from")
    return_linear_speed: float = parameter(0.22, "speed of the way home", "m/s", gt=0.0, le=0.46)
    return_heading_gain: float = parameter(1.8, "yaw rate per bearing to home", "1/s", gt=0.0, le=20.0)
    return_yaw_drive_threshold: float = parameter(0.55, "bearing beyond which it only turns", "rad", gt=0.0, le=3.2)
    return_turn_slowdown: float = parameter(0.45, "share of speed that a full turn takes", "", ge=0.0, le=1.0)
    home_safe_radius: float = parameter(0.45, "at home within", "m", gt=0.0, le=5.0)
    home_arrival_radius: float = parameter(0.25, "arrived when this near", "m", gt=0.0, le=5.0)
    wander_radius: float = parameter(0.8, "wanders no further from home", "m", gt=0.0, le=20.0)
    energy_start: float = parameter(100.0, "energy at the start", "%", ge=0.0, le=100.0)
    wander_energy_drain_per_sec: float = parameter(0.6, "drain while wandering", "%/s", ge=0.0, le=100.0)
    return_energy_drain_per_sec: float = parameter(4.0, "drain while fleeing", "%/s", ge=0.0, le=100.0)
    rest_energy_gain_per_sec: float = parameter(15.0, "gain while resting", "%/s", gt=0.0, le=100.0)
    rest_resume_energy: float = parameter(60.0, "energy at which a rest ends", "%", gt=0.0, le=100.0)
