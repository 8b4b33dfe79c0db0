"""Assignments: ``key=value`` texts, by which the command line and launch files change values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from arena_trees.robot.configuration.yaml_files import parse_yaml, split_key
from arena_trees.robot.errors import ConfigError

__all__ = ["parse_assignments"]


def parse_assignments(assignments: Iterable[str], source: str = "--set") -> dict[str, Any]:
    """Return the changes that ``key=value`` texts ask for; values are read as YAML.

    Args:
        assignments: the texts
        source: named in errors

    Raises:
        ConfigError: a text is no assignment, or its value is not YAML
    """
    changes: dict[str, Any] = {}
    for text in assignments:
        key, sign, value = text.partition("=")
        key = key.strip()
        if not sign or not key:
            raise ConfigError("must have the form key=value", file=source, value=text)
        try:
            split_key(key)
        except ConfigError as error:
            raise error.within(source) from error
        if key in changes:
            raise ConfigError("is given twice", file=source, key=key)
        try:
            changes[key] = parse_yaml(value, source)
        except ConfigError as error:
            raise ConfigError(error.reason, file=source, key=key, value=value) from error
    return changes
