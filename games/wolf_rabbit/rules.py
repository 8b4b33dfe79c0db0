"""Rules of wolf and rabbit that a scenario may change."""

from __future__ import annotations

from arena_trees.robot.configuration.parameters import Parameters, parameter

__all__ = ["Recovery", "WolfRabbitRules"]


class Recovery(Parameters):
    """Success of a trial that begins outside the fence."""

    robot: str = parameter("wolf", "who must come back")
    inside: float = parameter(0.2, "its centre must be this far inside its fence", "m", ge=0, le=5)
    within_s: float = parameter(8.0, "in this time", "s", gt=0, le=3600)


class WolfRabbitRules(Parameters):
    """Rules of the game."""

    catch_distance: float = parameter(
        0.60, "a claim is accepted up to this true distance between the robots' centres", "m", gt=0, le=5
    )
    publish_period: float = parameter(0.1, "the state of the game is repeated this often", "s", ge=0.02, le=1)
    escape_time: float = parameter(
        5.0, "the rabbit has escaped for good after this time outside its fence without a break", "s", gt=0, le=3600
    )
    home_safe_s: float = parameter(
        0.0, "so long after it came home no claim on the rabbit is accepted there; home is where it begins", "s", ge=0,
        le=3600,
    )  # fmt: skip
    home_radius: float = parameter(0.45, "the rabbit's centre is at home within", "m", gt=0, le=5)
    home_again_s: float = parameter(
        5.0, "it must have been away for so long to be safe at home again", "s", ge=0, le=3600
    )
    after_catch_s: float = parameter(1.5, "a confirmed catch is followed for this long", "s", ge=0, le=60)
    recovery: Recovery | None = parameter(None, "a trial is over when the robot is back, or has not come back in time")
