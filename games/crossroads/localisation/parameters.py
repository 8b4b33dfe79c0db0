"""Parameters of the localiser at a crossing."""

from __future__ import annotations

from arena_trees.robot.configuration.parameters import Parameters, parameter

__all__ = ["LocaliserParameters"]


class LocaliserParameters(Parameters):
    """What a pose at a crossing is made of, and how far each is trusted."""

    lines: bool = parameter(True, "whether lane lines are used")
    stop_line: bool = parameter(True, "whether stop lines are used")
    walls: bool = parameter(True, "whether walls that the LiDAR sees are used")
    markers: bool = parameter(True, "whether markers are used")
    start_sigma: float = parameter(0.1, "standard deviation of where the robot was put", "m", gt=0, le=1)
    start_yaw_sigma: float = parameter(0.09, "standard deviation of how it was turned", "rad", gt=0, le=1)
    along_walk: float = parameter(0.02, "error of odometry's distance in one metre", "m", gt=0, le=1)
    yaw_walk: float = parameter(0.012, "error of odometry's yaw in one metre", "rad", gt=0, le=1)
    turn_walk: float = parameter(0.02, "error of odometry's yaw in one radian turned", "rad", gt=0, le=1)
    renewal: float = parameter(
        0.004, "doubt that each second brings while something is measured, m and rad", "m", ge=0, le=0.1
    )
    line_floor: float = parameter(0.004, "no line's offset is known better", "m", gt=0, le=0.1)
    line_yaw_sigma: float = parameter(0.01, "standard deviation of lines' heading", "rad", gt=0, le=1)
    stop_sigma: float = parameter(0.01, "standard deviation of a stop line's distance", "m", gt=0, le=1)
    stop_sigma_behind: float = parameter(0.015, "the same with something close ahead", "m", gt=0, le=1)
    marker_sigma: float = parameter(0.1, "standard deviation of a marker's distance", "m", gt=0, le=1)
    marker_bearing_sigma: float = parameter(0.005, "standard deviation of its bearing", "rad", gt=0, le=1)
    gate: float = parameter(3.5, "standard deviations beyond which a measurement is not believed", gt=0, le=10)
    doubt: float = parameter(
        0.03, "doubt that each scan brings that does not fit the walls, m and rad", "m", ge=0, le=1
    )
    line_doubt: float = parameter(
        0.015, "doubt that each image brings whose lines do not fit, m and rad", "m", ge=0, le=1
    )
    lost_sigma: float = parameter(0.15, "no pose is published that is known less well", "m", gt=0, le=1)
    max_speed: float = parameter(0.6, "odometry that is faster has jumped", "m/s", gt=0, le=10)
    max_rate: float = parameter(4.0, "odometry that turns faster has jumped", "rad/s", gt=0, le=20)
