"""The parameters of a robot as a ROS 2 parameter file, to be kept and to be taken back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from arena_trees.games.registry import find_role
from arena_trees.robot.configuration.hints import no_such
from arena_trees.robot.configuration.parameter_fields import nested_values, values_of
from arena_trees.robot.configuration.parameters import parameters_of
from arena_trees.robot.configuration.yaml_files import parse_yaml
from arena_trees.robot.errors import ConfigError

__all__ = ["parameter_text", "parameters_from"]


def parameter_text(sheet: Mapping[str, Any]) -> str:
    """Return the parameter file of a robot.

    Args:
        sheet: of the robot, see :meth:`~arena_trees.console.tuning.Tuning.sheets`
    """
    values = nested_values(sheet["values"])
    return yaml.safe_dump({"/**": {"ros__parameters": values}}, sort_keys=False, allow_unicode=True)


def parameters_from(text: str, robot: str, sheets: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a parameter file changes of a robot, by key; what it does not name is as the role has it by default.

    Args:
        text: of the file
        robot: name of the robot
        sheets: of the game's robots

    Raises:
        ConfigError: there is no such robot, or the file is none of its role
    """
    if robot not in sheets:
        raise ConfigError(no_such("robot", robot, sheets), key="robot", value=robot)
    role = find_role(sheets[robot]["role"])
    values = values_of(parameters_of(role.parameters, parse_yaml(text, "parameters"), "parameters"))
    now = sheets[robot]["values"]
    return {key: value for key, value in values.items() if now.get(key) != value}
