"""The file of the tags that cameras on the ceiling look for, where robots' names are parts of topics."""

from __future__ import annotations

from pathlib import Path

from arena_trees.perception.ceiling.parameters import CeilingParameters
from arena_trees.robot.configuration.resources import resource_path
from arena_trees.robot.configuration.yaml_files import load_model
from arena_trees.robot.errors import ConfigError

__all__ = ["load_tags"]


def load_tags(file: str | None) -> CeilingParameters:
    """Return the tags of a file; of the shipped one where None.

    Raises:
        ConfigError: it cannot be used, or has no robot, or one whose name cannot be part of a topic
    """
    path = resource_path("config", "ceiling.yaml") if file is None else Path(file)
    tags = load_model(CeilingParameters, path)
    if not tags.robots:
        raise ConfigError("no robot has a tag", file=path, key="robots")
    for name in tags.robots:
        if not (name.isascii() and name.isidentifier()):
            raise ConfigError("must be a plain word, as it is in topics", file=path, key="robots", value=name)
    return tags
