"""Options of the commands that read a recording, as text: other topics, and where a LiDAR is mounted."""

from __future__ import annotations

import math

from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D

__all__ = ["parse_mounts", "parse_topics", "parse_truth_topics"]

_FARTHEST = 10.0
"""Greatest distance, m."""


def parse_topics(texts: list[str]) -> dict[str, str]:
    """Return what texts of the form ``scan=/lidar/scan`` name, by what they name it for.

    Raises:
        ConfigError: a text has another form, or names something twice
    """
    return _parted(texts, "--topic", "scan=/topic")


def parse_truth_topics(texts: list[str]) -> dict[str, str]:
    """Return what texts of the form ``robot_1=/vicon/robot_1/pose`` name, by robot.

    Raises:
        ConfigError: a text has another form, or names a robot twice
    """
    return _parted(texts, "--truth-topic", "robot=/topic")


def parse_mounts(texts: list[str]) -> dict[str, Pose2D]:
    """Return the poses (base_link) that texts of the form ``scan=X,Y,DEGREES`` give, by what they give them to.

    Raises:
        ConfigError: a text has another form, or names something twice
    """
    form = "scan=X,Y,DEGREES"
    mounts = {}
    for key, text in _parted(texts, "--mount", form).items():
        try:
            x, y, degrees = map(float, text.split(","))
        except ValueError:
            raise ConfigError(f"must have the form {form}", file="--mount", key=key, value=text) from None
        if not (math.isfinite(degrees) and abs(x) <= _FARTHEST and abs(y) <= _FARTHEST):
            reason = f"must be at most {_FARTHEST:g} m from the robot's middle"
            raise ConfigError(reason, file="--mount", key=key, value=text)
        mounts[key] = Pose2D(x, y, math.radians(math.remainder(degrees, 360.0)))
    return mounts


def _parted(texts: list[str], option: str, form: str) -> dict[str, str]:
    """Return what stands behind the sign ``=`` of each text, by what stands before it."""
    parted: dict[str, str] = {}
    for text in texts:
        key, sign, value = text.partition("=")
        if not (sign and key and value):
            raise ConfigError(f"must have the form {form}", file=option, value=text)
        if key in parted:
            raise ConfigError("is given twice", file=option, key=key)
        parted[key] = value
    return parted
