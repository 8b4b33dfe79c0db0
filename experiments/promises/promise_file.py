"""Files with promises: scenarios, and files that have nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field

from arena_trees.experiments.promises.promise import Promise
from arena_trees.experiments.scenario import load_scenario
from arena_trees.robot.configuration.parameters import Parameters
from arena_trees.robot.configuration.yaml_files import load_yaml, validate
from arena_trees.robot.errors import ConfigError

__all__ = ["load_promises"]


class _PromiseFile(Parameters):
    """A file with promises alone."""

    promises: dict[str, Promise] = Field(description="by name")


def load_promises(path: Path, values: Any = None) -> Mapping[str, Promise]:
    """Return the promises of a file: of a scenario, or under the key ``promises`` alone.

    Args:
        path: of the file
        values: what is in it, where that is known

    Raises:
        ConfigError: the file or its values cannot be used, or there are no promises
    """
    values = load_yaml(path) if values is None else values
    if isinstance(values, dict) and "game" in values:
        promises: Mapping[str, Promise] = load_scenario(path).promises
    else:
        promises = validate(_PromiseFile, values, path).promises
    if not promises:
        raise ConfigError("has no promises", file=path, key="promises")
    return promises
