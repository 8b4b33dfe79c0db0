"""Parameters of the chaser, for both strategies."""

from __future__ import annotations

import math
from functools import cached_property

from pydantic import model_validator

from arena_trees.behaviours.parameters import Strategy
from arena_trees.control.target_tracker import TrackRules
from arena_trees.robot.configuration.parameters import Parameters, parameter

__all__ = ["ChaserParameters"]


class ChaserParameters(Parameters):
    """The chaser. Unless stated otherwise, a parameter is used by both strategies."""

    strategy: Strategy = parameter("arena", "rules: ours, or the source system's as written", read_only=True)

    target_radius: float = parameter(0.17, "of the evader's hull", "m", gt=0.02, le=1.0)
    ball_diameter: float = parameter(0.30, "of the evader's ball", "m", gt=0.0, le=2.0)
    ball_height: float = parameter(0.345, "of the ball's centre above the floor", "m", gt=0.0, le=5.0)

    speed: float = parameter(0.30, "greatest speed", "m/s", gt=0.0, le=5.0)
    turn_rate: float = parameter(1.5, "greatest yaw rate of the base", "rad/s", gt=0.0, le=20.0)
    scan_rate: float = parameter(1.0, "yaw rate while it looks round", "rad/s", gt=0.0, le=20.0)
    home_tolerance: float = parameter(0.02, "at home within", "m", gt=0.0, le=1.0)
    home_yaw_tolerance_deg: float = parameter(1.0, "at home within", "deg", gt=0.0, le=90.0)

    target_speed: float = parameter(0.20, "greatest speed of the evader (arena strategy)", "m/s", gt=0.0, le=5.0)
    target_acceleration: float = parameter(
        0.9, "greatest acceleration of the evader (arena strategy)", "m/s2", gt=0.0, le=50.0
    )
    range_share: float = parameter(0.01, "deviation of ranges beyond that of the radius (arena)", "", gt=0.0, le=0.5)
    quality_min: float = parameter(0.3, "a circle with less quality is no ball (arena)", "", ge=0.0, le=1.0)
    height_gate: float = parameter(4.0, "a ball's height may be off by so many deviations (arena)", "", gt=0.0, le=50.0)
    detection: float = parameter(0.8, "probability that an image shows a ball in view (arena)", "", gt=0.0, lt=1.0)
    clutter: float = parameter(0.02, "false circles per image, radian and metre (arena)", "", gt=0.0, le=10.0)
    confirm_score: float = parameter(6.0, "log-likelihood at which a track is believed (arena)", "", gt=0.0, le=100.0)
    score_cap: float = parameter(10.0, "greatest log-likelihood of a track (arena)", "", gt=0.0, le=1000.0)
    silent_s: float = parameter(
        1.0, "a track that no image has shown for so long is lost (arena)", "s", gt=0.0, le=10.0
    )
    sight_reach: float = parameter(8.0, "the camera shows a ball within (arena)", "m", gt=0.0, le=100.0)

    aim_gain: float = parameter(8.0, "turn rate per error of the aim (arena)", "1/s", gt=0.0, le=50.0)
    aim_lead_s: float = parameter(
        0.04, "after which base and turret follow their commands (arena)", "s", ge=0.0, le=1.0
    )
    aim_sigma_deg: float = parameter(0.25, "deviation of the barrel's own direction (arena)", "deg", gt=0.0, le=10.0)
    fire_probability: float = parameter(0.98, "it fires when a hit is as likely as this (arena)", "", gt=0.0, lt=1.0)
    fire_shown: float = parameter(
        0.6, "it fires when so much of the ball's edge is seen (arena)", "", ge=0.0, le=1.0
    )  # fmt: skip
    fire_patience_s: float = parameter(
        4.0,
        "within reach without a shot, that falls to one half in this time (arena)",
        "s",
        gt=0.0,
        le=60.0,
    )
    fire_margin: float = parameter(
        0.05, "between the estimated range and the laser's reach (arena)", "m", ge=0.0, le=2.0
    )
    standoff: float = parameter(1.2, "the base comes no nearer to the evader's axis (arena)", "m", gt=0.0, le=10.0)

    room_half: float = parameter(4.0, "half the side of the square room about home (arena)", "m", gt=0.0, le=100.0)
    room_cell: float = parameter(0.2, "side of the search's cells (arena)", "m", gt=0.02, le=5.0, read_only=True)
    clearance: float = parameter(0.24, "of ways between the hull's centre and obstacles (arena)", "m", gt=0.0, le=2.0)
    range_reach: float = parameter(6.0, "range sensors are believed within (arena)", "m", gt=0.0, le=50.0)

    source_standoff: float = parameter(1.2, "it comes no nearer to the ball (source)", "m", gt=0.0, le=10.0)
    gain_near: float = parameter(
        0.005, "K_near: turn rate per pixel of its own camera at d_near (source)", "rad/s/px", ge=0.0, le=1.0
    )
    gain_far: float = parameter(0.005, "K_far: the same at d_far (source)", "rad/s/px", ge=0.0, le=1.0)
    gain_most: float = parameter(0.005, "cap of the gain (source)", "rad/s/px", ge=0.0, le=1.0)
    distance_near: float = parameter(2.0, "d_near (source)", "m", gt=0.0, le=100.0)
    distance_far: float = parameter(10.0, "d_far (source)", "m", gt=0.0, le=100.0)
    source_scan_rate: float = parameter(
        0.4, "yaw rate of Scanning: slow enough for the vote to be won (source)", "rad/s", gt=0.0, le=20.0
    )
    chassis_gain: float = parameter(
        2.0, "yaw rate per angle between barrel and chassis (source)", "1/s", gt=0.0, le=20.0
    )
    source_diameter: float = parameter(
        0.30, "diameter of the ball that its distance is computed with (source)", "m", gt=0.0, le=2.0
    )
    vote_length: int = parameter(50, "images in the vote (source)", "", ge=1, le=1000)
    vote_needed: int = parameter(25, "more of them must show a circle (source)", "", ge=0, le=999)
    engage_range: float = parameter(3.5, "it fires within this distance (source)", "m", gt=0.0, le=100.0)
    engage_px: float = parameter(
        8.0, "and within so many pixels of its own camera's of the barrel's (source)", "px", gt=0.0, le=1000.0
    )
    avoid_trigger: float = parameter(
        0.2, "a front sensor that reads less starts Avoiding (source)", "m", gt=0.0, le=5.0
    )
    avoid_clear: float = parameter(0.6, "a back sensor that reads more ends it (source)", "m", gt=0.0, le=5.0)
    align_tolerance: float = parameter(0.03, "sensors of a side agree within (source)", "m", gt=0.0, le=1.0)
    align_rate: float = parameter(0.6, "yaw rate of Avoiding aligning (source)", "rad/s", gt=0.0, le=20.0)
    lidar_rays_deg: float = parameter(
        45.0, "direction of the LiDAR's sectors that stand for missing ToF sensors, off ahead and astern (source)",
        "deg", gt=0.0, lt=90.0,
    )  # fmt: skip

    @model_validator(mode="after")
    def _is_possible(self) -> ChaserParameters:
        if self.vote_needed >= self.vote_length:
            raise ValueError("vote_needed must be less than vote_length")
        if self.distance_near >= self.distance_far:
            raise ValueError("distance_near must be less than distance_far")
        return self

    @cached_property
    def home_yaw_tolerance(self) -> float:
        """At home within, rad."""
        return math.radians(self.home_yaw_tolerance_deg)

    @cached_property
    def track_rules(self) -> TrackRules:
        """How circles become a track."""
        return TrackRules(
            acceleration=self.target_acceleration,
            speed=self.target_speed,
            detection=self.detection,
            clutter=self.clutter,
            confirm=self.confirm_score,
            cap=self.score_cap,
            silent_s=self.silent_s,
        )
