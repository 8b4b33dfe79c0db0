"""``arena-trees check``: reports what is wrong, and where, in a scenario, an arena, a map or a parameter file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from arena_trees.experiments.scenario import Scenario
from arena_trees.robot.configuration.hints import did_you_mean
from arena_trees.robot.configuration.parameters import Parameters
from arena_trees.robot.configuration.yaml_files import load_yaml
from arena_trees.robot.errors import ConfigError
from arena_trees.world.arena_file import ArenaFile
from arena_trees.world.maps.occupancy_map import MapFile
from arena_trees.world.sections import find_sections

__all__ = ["check_file"]


def check_file(
    file: Annotated[Path, typer.Argument(help="Parameter file, arena, map or scenario.")],
    role: Annotated[
        str | None, typer.Option(help="Role of a parameter file, if neither its name nor its keys say.")
    ] = None,
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
    if any(key in values for key in ("starts", "slots", "fences", "walls", *find_sections())):
        return _check_arena(file)
    if "image" in values:
        return _check_map(file)
    # No key that only one kind has: reported as errors of the kind that most of its keys belong to.
    kinds: tuple[tuple[type[Parameters], Callable[[Path], str]], ...] = (
        (Scenario, _check_scenario),
        (ArenaFile, _check_arena),
        (MapFile, _check_map),
    )
    model, check = max(kinds, key=lambda kind: len(values.keys() & kind[0].model_fields.keys()))
    if values.keys() & model.model_fields.keys():
        return check(file)
    names = [key for kind, _ in kinds for key in kind.model_fields]
    hint = next((hint for hint in (did_you_mean(str(key), names) for key in values) if hint), "")
    raise ConfigError(
        "is neither a scenario (key robots), nor an arena (key starts), nor a map (key image), nor a parameter file "
        f"(key '/**'){hint}",
        file=file,
    )


def _check_parameters(file: Path, role_name: str | None) -> str:
    from arena_trees.games.registry import find_role, role_names
    from arena_trees.robot.configuration.parameters import load_parameters

    if role_name is None:
        role_name = next((name for name in role_names() if file.stem == name or file.stem.startswith(f"{name}_")), None)
    if role_name is None:
        role_name = _role_of_keys(file)
    load_parameters(find_role(role_name, "--role").parameters, file)
    return f"parameters of the {role_name}"


def _role_of_keys(file: Path) -> str:
    """Return the role that has more of a parameter file's keys than every other.

    Raises:
        ConfigError: there is no such role
    """
    from arena_trees.games.registry import find_role, role_names

    inner = load_yaml(file)["/**"]
    values = inner.get("ros__parameters") if isinstance(inner, dict) else None
    keys = values.keys() if isinstance(values, dict) else set()
    counts = {name: len(keys & find_role(name).parameters.model_fields.keys()) for name in role_names()}
    best = [name for name, count in counts.items() if count == max(counts.values()) > 0]
    if len(best) != 1:
        fitting = f"its keys fit {' and '.join(best)}" if best else "its keys fit no role"
        reason = f"its name does not begin with a role, and {fitting}; give --role, one of {', '.join(role_names())}"
        raise ConfigError(reason, file=file)
    return best[0]


def _check_map(file: Path) -> str:
    from arena_trees.world.maps.map_files import start_pose
    from arena_trees.world.maps.occupancy_map import load_map

    start_pose(file, load_map(file))
    return "map"


def _check_arena(file: Path) -> str:
    from arena_trees.robot.random_streams import RandomStreams
    from arena_trees.world.arena_file import load_arena
    from arena_trees.world.layout import generate_layout

    arena = load_arena(file)
    try:
        generate_layout(arena.filled(), RandomStreams(0))
    except ConfigError as error:
        raise error.within(file) from error
    return "arena"


def _check_scenario(file: Path) -> str:
    from arena_trees.experiments.plan import make_plan
    from arena_trees.experiments.scenario import apply_changes, load_scenario

    scenario = load_scenario(file)
    make_plan(scenario, file, file.parent)
    for name, changes in scenario.variants.items():
        make_plan(apply_changes(scenario, changes), f"{file}: variants.{name}", file.parent)
    return "scenario"
