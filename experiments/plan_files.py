"""Files that a scenario names, and values that it changes in them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena_trees.robot.configuration.hints import did_you_mean
from arena_trees.robot.configuration.resources import ResourceNotFoundError, config_files, config_path
from arena_trees.robot.configuration.yaml_files import load_yaml
from arena_trees.robot.errors import ConfigError
from arena_trees.world.maps import map_files

__all__ = ["changed", "find_file", "find_map", "is_scenario"]


def changed(parameters: Any, changes: Mapping[str, Any], source: str | Path, key: str) -> Any:
    """Return parameters with changes; an error names their key under another one (``key``), and the source.

    Raises:
        ConfigError: a key is unknown or a value is refused
    """
    try:
        return parameters.with_changes(changes, source)
    except ConfigError as error:
        full = f"{key}.{error.key}" if error.key else key
        raise ConfigError(error.reason, file=source, key=full, value=error.value) from error


def find_file(name: str, shipped: tuple[str, ...], folder: Path | None, source: str | Path, key: str) -> Path:
    """Return a file next to the scenario, or else one that ships with the code.

    Args:
        name: of the file
        shipped: folder of those that ship, below each game's own
        folder: of the scenario
        source: named in the error
        key: named in the error

    Raises:
        ConfigError: there is no such file
    """
    for path in () if folder is None else (folder / name,):
        if os.path.isfile(path):
            return path
    if os.path.isabs(name) and os.path.isfile(name):
        return Path(name)
    try:
        # A shipped file goes by its name alone, too, as it does on ROS.
        return config_path(*shipped, name if Path(name).suffix else f"{name}.yaml")
    except ResourceNotFoundError as error:
        known = {path.name for path in config_files(*shipped).values()}
        known |= set() if folder is None else {path.name for path in folder.glob("*.yaml")}
        reason = f"there is no such file{did_you_mean(name, known)}"
        raise ConfigError(reason, file=source, key=key, value=name) from error


def is_scenario(path: Path) -> bool:
    """Return whether a file is a scenario.

    Raises:
        ConfigError: it is no YAML
    """
    values = load_yaml(path) if os.path.isfile(path) else None
    return isinstance(values, dict) and "robots" in values


def find_map(name: str, source: str | Path, folder: Path | None) -> Path:
    """Return the file of a map: next to the scenario, shipped, or at the given path.

    Args:
        name: name of a shipped map, or a file
        source: named in the error
        folder: of the scenario

    Raises:
        ConfigError: there is no such map
    """
    if folder is not None and os.path.isfile(folder / name):
        return (folder / name).absolute()
    try:
        return map_files.find_map(name).absolute()
    except ConfigError as error:
        raise ConfigError(error.reason, file=source, key="map", value=name) from error
