"""``arena-trees explain``: prints what a name means that the program reads or prints, from its declaration."""

from __future__ import annotations

from typing import Annotated

import typer

from arena_trees.robot.configuration.hints import did_you_mean
from arena_trees.robot.errors import ConfigError

__all__ = ["explain_name"]


def explain_name(
    name: Annotated[
        str, typer.Argument(help="A key, metric, gate reason, outcome, behaviour, role, game, scenario or the like.")
    ],
) -> None:
    """Say what a name means, and where it is read."""
    from arena_trees.commands.glossary import Glossary

    glossary = Glossary()
    found = glossary.find(name)
    if not found:
        hint = did_you_mean(name, glossary.names) or "; `arena-trees list` and docs/parameters.md name most"
        raise ConfigError(f"nothing is called so{hint}", key="explain", value=name)
    print("\n\n".join("\n".join([f"{one.name}: {one.kind}", *(f"  {line}" for line in one.lines())]) for one in found))
