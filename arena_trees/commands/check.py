"""``arena-trees check``: says what is wrong where in a configuration, arena or scenario file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from arena_trees.robot.configuration.yaml_files import load_yaml
from arena_trees.robot.errors import ConfigError
from arena_trees.world.sections import find_sections

__all__ = ["check_file"]


def check_file(
    file: Annotated[Path, typer.Argument(help="Parameter file, arena or scenario.")],
    role: Annotated[str | None, typer.Option(help="Role of a parameter file, if its name does not say.")] = None,
) -> None:
    """Say what is wrong in a file, or that it is good."""
    values = load_yaml(file)
    if not isinstance(values, dict):
        raise ConfigError("must be a map of keys to values", file=file, value=values)
    print(f"{file}: good {_check(file, values, role)}")


def _check(file: Path, values: dict[str, Any], role: str | None) -> str:
    """Check a file of any kind; return what it is."""
    if "/**" in values:
        return _check_parameters(file, role)
    if "robots" in values:
        return _check_scenario(file)
    if any(key in values for key in ("starts", "fences", "walls", *find_sections())):
        return _check_arena(file)
    raise ConfigError(
        "is neither a scenario (key robots), nor an arena (key fences), nor a parameter file (key '/**')", file=file
    )


def _check_parameters(file: Path, role_name: str | None) -> str:
    from arena_trees.games.registry import find_role, role_names
    from arena_trees.robot.configuration.parameters import load_parameters

    if role_name is None:
        role_name = next((name for name in role_names() if file.stem == name or file.stem.startswith(f"{name}_")), None)
    if role_name is None:
        raise ConfigError(
            f"the file's name does not begin with a role; give --role, one of {', '.join(role_names())}", file=file
        )
    load_parameters(find_role(role_name, "--role").parameters, file)
    return f"parameters of the {role_name}"


def _check_arena(file: Path) -> str:
    from arena_trees.robot.random_streams import RandomStreams
    from arena_trees.world.arena_file import load_arena
    from arena_trees.world.layout import generate_layout

    arena = load_arena(file)
    try:
        generate_layout(arena, RandomStreams(0))
    except ConfigError as error:
        raise error.within(file) from error
    return "arena"


def _check_scenario(file: Path) -> str:
    from arena_trees.simulation.experiments.plan import make_plan
    from arena_trees.simulation.experiments.scenario import apply_changes, load_scenario

    scenario = load_scenario(file)
    make_plan(scenario, file, file.parent)
    for name, changes in scenario.variants.items():
        make_plan(apply_changes(scenario, changes), f"{file}: variants.{name}", file.parent)
    return "scenario"
