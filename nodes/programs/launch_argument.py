"""Arguments of launch files, as plain data, and the values that they are given.

Imported by the Python of ``ros2 launch``, which need not be the one that the nodes run in: nothing but the standard
library and PyYAML may be imported here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import yaml

from arena_trees.robot.errors import ConfigError

__all__ = [
    "Argument",
    "name_in",
    "number_in",
    "pose_in",
    "positive_in",
    "robot_arguments",
    "switch",
    "words_in",
    "yes_in",
]


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a launch file.

    Attributes:
        name: of it
        default: where nothing is given; None where something must be
        description: what it means
        choices: what may be given; anything if empty
    """

    name: str
    default: str | None
    description: str
    choices: tuple[str, ...] = ()


def switch(name: str, default: str, description: str) -> Argument:
    """Return an argument that is true or false."""
    return Argument(name, default, description, ("true", "false"))


def yes_in(given: Mapping[str, str], key: str) -> bool:
    """Return whether a switch is on."""
    return given[key] == "true"


def words_in(given: Mapping[str, str], key: str, between: str) -> list[str]:
    """Return the parts of a text that stand between those signs."""
    return [part.strip() for part in given[key].split(between) if part.strip()]


def number_in(given: Mapping[str, str], key: str, least: int, most: int) -> int:
    """Return a whole number.

    Raises:
        ConfigError: it is none from the least to the most
    """
    text = given[key]
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if not least <= number <= most:
        raise ConfigError(f"must be a whole number from {least} to {most}", key=key, value=text)
    return number


def positive_in(given: Mapping[str, str], key: str) -> float:
    """Return a number above zero.

    Raises:
        ConfigError: it is none
    """
    text = given[key]
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0.0 < number < math.inf:
        raise ConfigError("must be a number above 0", key=key, value=text)
    return number


def pose_in(given: Mapping[str, str], key: str) -> list[float]:
    """Return x, y (m) and yaw (rad).

    Raises:
        ConfigError: it is no list of three numbers
    """
    text = given[key]
    try:
        values = yaml.safe_load(text)
    except yaml.YAMLError:
        values = None
    numbers = [value for value in values if type(value) in (int, float)] if isinstance(values, list) else []
    if len(numbers) != 3 or numbers != values or not all(map(math.isfinite, numbers)):
        raise ConfigError("must be [x, y, yaw], in m and rad", key=key, value=text)
    return [float(number) for number in numbers]


def name_in(given: Mapping[str, str], key: str) -> str:
    """Return the full name of a namespace: / and words; / alone where nothing is given.

    Raises:
        ConfigError: it is none
    """
    text = given[key]
    name = text.strip("/")
    if name and not all(part.isascii() and part.isidentifier() for part in name.split("/")):
        raise ConfigError("must be / and a plain word", key=key, value=text)
    return f"/{name}"


def robot_arguments(localiser: str, spheres: str) -> tuple[Argument, ...]:
    """Return the arguments that every launch file of robots has.

    Args:
        localiser: whether localisers are started where nothing else is asked for, true or false
        spheres: the same of sphere detectors
    """
    return (
        Argument(
            "stamped_cmd_vel",
            "auto",
            "Whether cmd_vel is TwistStamped; auto: as its subscriber wants.",
            ("auto", "true", "false"),
        ),
        Argument(
            "command_topic",
            "cmd_vel_raw",
            "Where trees send commands; another one if a multiplexer or a collision monitor stands between "
            "a tree and its gate's cmd_vel_raw.",
        ),
        Argument(
            "navigation",
            "",
            "Who plans the way of robots that drive to goals; as the parameters say if empty.",
            ("", "embedded", "nav2"),
        ),
        switch("tree", "true", "Start the trees."),
        switch("gate", "true", "Start the velocity gates; when one ends, the whole launch ends."),
        switch("allow_loose_gate", "false", "Let limits of velocity gates be looser than by default."),
        switch("detector", "true", "Start the sign detectors, of roles that see signs."),
        switch("spheres", spheres, "Start the sphere detectors, of roles that look for spheres."),
        switch("geofence", "true", "Start the geofence supervisors, of robots with a fence."),
        switch("localiser", localiser, "Start the localisers, of roles that have one of their own."),
        switch("feedback", "true", "Start lights and sounds of real robots."),
        switch("record", "true", "Trees and gates publish what a recording holds: tree, ticks, decisions of the gate."),
        switch("undock", "false", "Take robots off their docks first; their other nodes start when that is done."),
        switch("respawn_tree", "false", "Start a tree again when it dies; its gate stays latched until it is reset."),
    )
