"""Parameter files that launch files are given for many nodes: whether every section is about one of them.

Imported by the Python of ``ros2 launch``, which need not be the one that the nodes run in: nothing but the standard
library and PyYAML may be imported here.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from arena_trees.nodes.programs.program import PARTS, UNDOCK, node_name

__all__ = ["check_parameter_file", "keys_for_all", "robot_nodes"]

_VALUES = "ros__parameters"


def robot_nodes(namespace: str) -> list[str]:
    """Return the full names of all nodes that a robot may have."""
    return [f"{namespace.rstrip('/')}/{node_name(module)}" for module in (*PARTS.values(), UNDOCK)]


def check_parameter_file(file: str, nodes: Collection[str], others: Collection[str] = ()) -> None:
    """Refuse a parameter file that is missing, has a section about no node, or is about other nodes alone.

    ROS itself takes such a file, and a robot then drives by its defaults.

    Args:
        file: path of the file
        nodes: full names of the nodes that are started
        others: full names of nodes that it may be about, too, such as those of the game's other robots

    Raises:
        RuntimeError: it cannot be read, is no parameter file, or is about none of them; names file, section and nodes
    """
    known, ours = ", ".join(sorted(nodes)), False
    for section, _ in _sections(file):
        pattern = _pattern(section)
        if any(pattern.fullmatch(node) for node in nodes):
            ours = True
        elif not any(pattern.fullmatch(node) for node in others):
            raise RuntimeError(f"params_file: {file}: {section}: is about none of {known}")
    if not ours:
        raise RuntimeError(f"params_file: {file}: has no section about any of {known}")


def keys_for_all(arguments: Sequence[str]) -> set[str]:
    """Return the keys that a process is given in sections for every node, such as ``/**`` and ``/robot/*``.

    Args:
        arguments: command line of the process, with ROS arguments

    Raises:
        RuntimeError: a parameter file cannot be read, or is none
    """
    files = [file for flag, file in itertools.pairwise(arguments) if flag == "--params-file"]
    return {
        key for file in files for section, values in _sections(file) if section.endswith("*") for key in _dotted(values)
    }


def _sections(file: str) -> list[tuple[str, Any]]:
    """Return the sections of a file, by their names with their wildcards.

    Raises:
        RuntimeError: it cannot be read, or is no parameter file
    """
    try:
        content = yaml.safe_load(Path(file).read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise RuntimeError(f"params_file: {file}: {getattr(error, 'strerror', None) or error}") from error
    return list(_below(file, content, ()))


def _below(file: str, content: Any, above: Sequence[str]) -> Iterator[tuple[str, Any]]:
    name = "/".join(above) or "the file"
    if not isinstance(content, dict) or not content:
        raise RuntimeError(f"params_file: {file}: {name}: must be a map of nodes with {_VALUES}")
    for key, inner in content.items():
        if key == _VALUES:
            if not above:
                raise RuntimeError(f"params_file: {file}: {_VALUES}: must stand below the name of a node")
            yield f"/{name.strip('/')}", inner
        else:
            yield from _below(file, inner, (*above, str(key).strip("/")))


def _dotted(values: Any, prefix: str = "") -> Iterator[str]:
    for key, value in values.items() if isinstance(values, dict) else ():
        if isinstance(value, dict):
            yield from _dotted(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}"


def _pattern(section: str) -> re.Pattern[str]:
    """Return what the full names of a section's nodes look like (rcl_yaml_param_parser: * a part, ** any number)."""
    parts = {"**": "(/[^/]+)*", "*": "/[^/]+"}
    return re.compile("".join(parts.get(part, "/" + re.escape(part)) for part in section.split("/") if part))
