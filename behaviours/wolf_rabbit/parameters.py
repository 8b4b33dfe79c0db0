"""Parameters of the wolf and the rabbit, with the Wolf and Rabbit report's names where it gives one."""

from __future__ import annotations

from functools import cached_property
from typing import Literal

from arena_trees.behaviours.parameters import RoamParameters, TrackParameters
from arena_trees.control.pid import PidGains
from arena_trees.robot.configuration.parameters import parameter

__all__ = ["RabbitParameters", "WolfParameters"]

ConeCheck = Literal["always", "patrol"]


class WolfParameters(TrackParameters):
    """The wolf."""

    target_label: str = parameter("rabbit_sign", "class of the sign that is chased")
    chase_linear_speed: float = parameter(0.306, "speed of the chase", "m/s", gt=0.0, le=0.46)
    chase_kp: float = parameter(2.0, "proportional gain on the error in half images", "rad/s", ge=0.0, le=20.0)
    chase_kp_source: float = parameter(1.5, "the same (source strategy)", "rad/s", ge=0.0, le=20.0)
    chase_ki: float = parameter(0.0, "integral gain", "rad/s^2", ge=0.0, le=20.0)
    chase_kd: float = parameter(0.15, "derivative gain", "rad", ge=0.0, le=5.0)
    chase_derivative_alpha: float = parameter(0.6, "weight of the newest derivative", "", gt=0.0, le=1.0)
    chase_integral_limit: float = parameter(1.0, "largest integral of the error", "s", ge=0.0, le=10.0)
    chase_deadband: float = parameter(
        0.02, "error that counts as aimed; source commands no turn within it", "half images", ge=0.0, le=1.0
    )
    cone_check: ConeCheck = parameter(
        "always",
        "in which motions the forward cone is looked at: in chase and patrol, as in the report's safety statement, "
        "or in patrol's straight legs alone, as its code does (source strategy)",
        read_only=True,
    )
    chase_obstacle_distance: float = parameter(
        0.32, "obstacle ahead in a chase when nearer than this (source strategy)", "m", gt=0.17, le=3.0
    )
    chase_turn_slowdown: float = parameter(0.5, "share of speed that a full turn takes", "", ge=0.0, le=1.0)
    chase_warning_speed_scale: float = parameter(0.5, "share of speed in the warning band", "", gt=0.0, le=1.0)
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
    search_speed: float = parameter(0.306, "speed of the search (arena strategy)", "m/s", gt=0.0, le=0.46)
    search_target_speed: float = parameter(
        0.30, "greatest speed of who is searched for (arena strategy)", "m/s", gt=0.0, le=5.0
    )
    search_sight_reach: float = parameter(
        4.0, "a sign in plain view is seen within (arena strategy)", "m", gt=0.0, le=20.0
    )
    search_scan_reach: float = parameter(6.0, "the LiDAR is believed within (arena strategy)", "m", gt=0.0, le=50.0)
    search_clearance: float = parameter(
        0.24, "of ways between the hull's centre and obstacles (arena strategy)", "m", gt=0.0, le=2.0
    )
    search_cell: float = parameter(
        0.10,
        "side of the search's cells; larger where a row would have more than 80 (arena strategy)",
        "m",
        gt=0.02,
        le=5.0,
        read_only=True,
    )
    caught_radius: float = parameter(
        0.45, "a sign within this of where a rabbit was caught is not chased, where there are several", "m", ge=0.0,
        le=5.0,
    )  # fmt: skip
    pack: bool = parameter(
        False,
        "tells other wolves what it sees, and cuts the rabbit off while another one drives it (arena strategy)",
        read_only=True,
    )
    pack_ahead: float = parameter(0.9, "it cuts the rabbit off so far ahead of it", "m", gt=0.0, le=10.0)
    pack_period: float = parameter(0.2, "between two of its sightings", "s", gt=0.0, le=10.0)
    pack_memory_s: float = parameter(0.8, "a sighting older than this is none", "s", gt=0.0, le=60.0)

    @cached_property
    def gains(self) -> PidGains:
        """The chase's PID gains."""
        return self._gains(self.chase_kp)

    @cached_property
    def gains_source(self) -> PidGains:
        """The same of the source strategy."""
        return self._gains(self.chase_kp_source)

    def _gains(self, proportional: float) -> PidGains:
        return PidGains(
            proportional,
            self.chase_ki,
            self.chase_kd,
            self.chase_derivative_alpha,
            self.chase_integral_limit,
            self.max_angular_speed,
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

    manner: Literal["source", "keep_away", "hide"] = parameter(
        "source",
        "flees home from the wolf's sign as the report has it, or knows by LiDAR where robots are that move, and keeps "
        "away from them, or out of their sight",
        read_only=True,
    )
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
    forages: bool = parameter(
        False, "drives to carrots that it has seen, and eats them, when its energy is low", read_only=True
    )
    carrot_label: str = parameter("carrot", "class of the sign that it eats")
    carrot_size: float = parameter(0.15, "edge of a carrot's sign, which stands on the floor", "m", gt=0.0, le=2.0)
    carrot_hunger: float = parameter(70.0, "it forages with less energy than this", "%", ge=0.0, le=100.0)
    carrot_speed: float = parameter(0.15, "speed of the way to a carrot", "m/s", gt=0.0, le=0.46)
    carrot_reach: float = parameter(0.35, "it eats a carrot that is so near", "m", gt=0.0, le=5.0)
    carrot_eat_s: float = parameter(3.0, "time that it takes", "s", ge=0.0, le=60.0)
    carrot_energy: float = parameter(40.0, "energy that a carrot gives", "%", ge=0.0, le=100.0)
    carrot_regrow_s: float = parameter(60.0, "a carrot that was eaten is there again after", "s", ge=0.0, le=3600.0)
    threat_radius: float = parameter(0.17, "radius of a robot's hull (keep_away, hide)", "m", gt=0.0, le=1.0)
    threat_reach: float = parameter(3.5, "hulls are looked for so far (keep_away, hide)", "m", gt=0.0, le=20.0)
    threat_moved: float = parameter(
        0.15, "way by which a hull proves to be a robot (keep_away, hide)", "m", ge=0.0, le=5.0
    )
    threat_memory_s: float = parameter(
        2.5, "a robot out of sight is believed to go on for so long (keep_away, hide)", "s", ge=0.0, le=60.0
    )
    threat_speed: float = parameter(0.31, "at which robots are expected to follow", "m/s", gt=0.0, le=5.0)
    evade_distance: float = parameter(2.5, "it runs from robots that are nearer", "m", gt=0.0, le=20.0)
    evade_speed: float = parameter(0.306, "speed of its run", "m/s", gt=0.0, le=0.46)
    evade_turn_rate: float = parameter(1.9, "greatest yaw rate of its run", "rad/s", gt=0.0, le=1.9)
    evade_leg_s: float = parameter(3.0, "time of each of the two legs by which it plans", "s", gt=0.2, le=10.0)
    evade_open: float = parameter(0.2, "distance that a metre of free way ahead is worth", ge=0.0, le=10.0)
    evade_energy_drain_per_sec: float = parameter(0.0, "drain while it runs so", "%/s", ge=0.0, le=100.0)
    hide_worth: float = parameter(
        0.5, "distance that a place is worth in which nobody sees it (hide)", "m", ge=0.0, le=20.0
    )
