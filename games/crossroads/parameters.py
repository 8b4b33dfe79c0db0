"""The rules of a crossing's scenario: its traffic, its protocol, its floor, and who dies."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from arena_trees.games.crossroads.layout.floor import FloorParameters
from arena_trees.games.crossroads.layout.plan import CrossingParameters
from arena_trees.games.crossroads.localisation.parameters import LocaliserParameters
from arena_trees.games.crossroads.scheduling.protocol import ProtocolParameters
from arena_trees.robot.configuration.parameters import Parameters, parameter

__all__ = ["CrossroadsRules", "Death"]


class Death(Parameters):
    """A death: of a robot's computer, or of the scheduler."""

    dies: Literal["robot", "scheduler"] = parameter("robot", "who")
    robot: str | None = parameter(
        None, "which robot, as soon as it drives; the first one that is in the box where not given"
    )
    at_s: float = parameter(0.0, "not before this time", "s", ge=0, le=86_400)
    for_s: float | None = parameter(
        None,
        "then the robot is carried away, one that drives for good, or the scheduler starts anew and knows nothing; "
        "never where not given",
        "s",
        gt=0,
        le=86_400,
    )

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Death:
        if self.dies == "scheduler" and self.robot is not None:
            raise ValueError("either the scheduler dies or a robot, not both")
        return self


class CrossroadsRules(Parameters):
    """A crossing, its traffic and its protocol."""

    sensing: Literal["kinematic", "lidar", "rendered"] = parameter(
        "kinematic",
        "robots are points on their lanes, without sensors; or they drive, by LiDAR and odometry, or by rendered "
        "cameras as well",
    )
    arrivals_per_min: float = parameter(
        12.0, "robots that arrive, a Poisson process; 0: each robot drives again at once", "1/min", ge=0, le=1000
    )
    protocol: Literal["arena", "source"] = parameter("arena", "arena, or source: the Crossroads report's scheduler")
    speed: float = parameter(0.306, "of the robots, where they are points", "m/s", gt=0, le=2)
    acceleration: float = parameter(0.9, "of the robots, where they are points", "m/s2", gt=0, le=20)
    request_distance: float = parameter(0.3, "first in its lane, a point is let in from here", "m", gt=0, le=5)
    priority_share: float = parameter(0.0, "of points' trips that are of class PRIORITY", ge=0, le=1)
    emergency_share: float = parameter(0.0, "of points' trips that are of class EMERGENCY", ge=0, le=1)
    roster: bool = parameter(True, "whether the scheduler knows the names of all robots, for its restarts")
    plan: CrossingParameters = parameter(CrossingParameters(), "the crossing")
    times: ProtocolParameters = parameter(ProtocolParameters(), "the protocol's times")
    floor: FloorParameters = parameter(FloorParameters(), "lines, walls and markers, for robots that drive")
    localiser: LocaliserParameters = parameter(LocaliserParameters(), "how robots that drive know where they are")
    deaths: list[Death] = Field(default_factory=list, description="who dies, and when")
