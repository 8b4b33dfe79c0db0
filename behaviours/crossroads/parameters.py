"""Parameters of a robot that crosses, with the Crossroads report's values where it gives one."""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from arena_trees.behaviours.parameters import Strategy
from arena_trees.control.lane_law import speed_in_turn
from arena_trees.games.crossroads.layout.plan import CrossingParameters
from arena_trees.games.crossroads.layout.round import Round
from arena_trees.games.crossroads.scheduling.protocol import ProtocolParameters
from arena_trees.robot.configuration.parameters import Parameters, parameter

__all__ = ["CrosserParameters", "TrespasserParameters"]

_STEP = 0.05
"""m."""


class CrosserParameters(Parameters):
    """A robot that follows lanes and crosses."""

    strategy: Strategy = parameter(
        "arena", "how it steers: ours, or the Crossroads report's proportional law", read_only=True
    )  # fmt: skip
    movement: Literal["random", "straight", "right", "left"] = parameter(
        "random", "which way it goes where that leads somewhere, else a random one"
    )
    urgency: Literal["normal", "priority", "emergency"] = parameter("normal", "class of its requests")
    cruise_speed: float = parameter(0.29, "speed on a straight way", "m/s", gt=0.0, le=0.46)
    wheel_speed: float = parameter(0.295, "greatest speed of a wheel, which limits the speed in turns", "m/s", gt=0.0)
    half_track: float = parameter(0.1165, "half the distance between the wheels", "m", gt=0.0, le=1.0)
    braking: float = parameter(0.5, "deceleration with which stops are planned", "m/s2", gt=0.0, le=5.0)
    reaction: float = parameter(0.1, "time until braking begins", "s", ge=0.0, le=2.0)
    aside_gain: float = parameter(6.0, "curvature for each metre that it is aside of its way", "1/m2", ge=0.0, le=100.0)
    turned_gain: float = parameter(5.0, "curvature for each radian that it is turned off its way", "1/m", ge=0.0)
    look_ahead_s: float = parameter(0.12, "it steers for where it is so much later", "s", ge=0.0, le=1.0)
    off_way: float = parameter(0.25, "farther aside than this it stands: it was carried, or is lost", "m", gt=0.0)
    traffic_width: float = parameter(
        0.24, "what is nearer to the middle of its way than this is in the way", "m", gt=0.0, le=1.0
    )
    traffic_reach: float = parameter(1.8, "how far ahead it looks for what is in its way", "m", gt=0.0, le=10.0)
    request_distance: float = parameter(0.5, "first in its lane, it may be let in from here", "m", gt=0.0, le=5.0)
    pause_s: float = parameter(0.0, "mean of the pauses before it turns round at the end of an arm", "s", ge=0.0)
    reserve_s: float = parameter(0.6, "added to the time that a crossing is expected to take", "s", ge=0.0, le=60.0)
    place_margin: float = parameter(
        0.05, "it reports that it has covered less than it believes, by this", "m", ge=0.0, le=0.5
    )  # fmt: skip
    pose_timeout: float = parameter(0.5, "a pose older than this is none", "s", gt=0.0, le=10.0)
    lane_timeout: float = parameter(0.5, "lines seen longer ago than this are lost", "s", gt=0.0, le=10.0)
    source_speed: float = parameter(0.075, "source: speed", "m/s", gt=0.0, le=0.46)
    source_right_speed: float = parameter(0.06, "source: speed in a right turn", "m/s", gt=0.0, le=0.46)
    source_gain: float = parameter(0.3, "source: yaw rate for an error of 100 px", "rad/s", ge=0.0, le=10.0)
    source_right_turn: Literal["arc", "red_line"] = parameter(
        "arc",
        "source: how it turns right, on the way's own arc, or as in the document by the crossing road's red line",
    )
    source_right_offset: float = parameter(
        50.0, "source: how far from that red line it keeps, in pixels of its own camera", "px", gt=0.0, le=400.0
    )
    source_left_rate: float = parameter(0.1875, "source: yaw rate in a left turn", "rad/s", gt=0.0, le=1.9)
    source_stop_range: float = parameter(
        0.6, "source: it stops where the mean of the ten nearest returns ahead on its right is longer; the document "
        "has 0.35 for its own walls", "m", gt=0.0, le=12.0,
    )  # fmt: skip
    plan: CrossingParameters = parameter(CrossingParameters(), "the crossing", read_only=True)
    times: ProtocolParameters = parameter(ProtocolParameters(), "the protocol's times", read_only=True)

    def speed_at(self, curvature: float) -> float:
        """Return the speed (m/s) on a way of a curvature (1/m)."""
        return min(self.cruise_speed, speed_in_turn(curvature, self.wheel_speed, self.half_track))

    def crossing_time(self, path: Round, progress: float = 0.0) -> float:
        """Return how long (s) the crossing takes from a progress (m) on, from standing, with the reserve."""
        time = self.reserve_s + self.cruise_speed / self.braking / 2.0
        while progress < path.movement.length:
            time += _STEP / self.speed_at(path.curvature(progress))
            progress += _STEP
        return time

    @model_validator(mode="after")
    def _wheels_can_cruise(self) -> CrosserParameters:
        if self.cruise_speed > self.wheel_speed:
            raise ValueError("cruise_speed must not be above wheel_speed")
        return self


class TrespasserParameters(CrosserParameters):
    """A robot that heeds no scheduler: it neither asks nor answers, and nothing holds it at its line."""

    manner: Literal["ignores_lease", "pushes_in", "stops_in_box", "strays"] = parameter(
        "ignores_lease",
        "it drives on at its line; or waits there until somebody is in the box; or drives on and stops in the middle;"
        " or weaves along its lane and drives on",
        read_only=True,
    )
    off_way: float = parameter(1.0, "farther aside than this it stands: it was carried, or is lost", "m", gt=0.0)
    push_s: float = parameter(15.0, "pushes_in: so long it waits for somebody at most", "s", ge=0.0, le=600.0)
    stop_s: float = parameter(8.0, "stops_in_box: so long it stands there", "s", ge=0.0, le=600.0)
    stray_m: float = parameter(0.15, "strays: so far it drives to either side of its way", "m", ge=0.0, le=0.22)
