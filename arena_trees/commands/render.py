"""``arena-trees render``: draws the tree of a role."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena_trees.commands.console import Force
from arena_trees.robot.configuration.output_files import check_ending, place_files
from arena_trees.robot.errors import ConfigError

if TYPE_CHECKING:
    from py_trees.behaviour import Behaviour

__all__ = ["draw", "render_tree", "role_tree"]

_FORMATS = {".txt": "text", ".dot": "dot", ".svg": "svg"}
"""File suffix to format."""


def render_tree(
    role: Annotated[str, typer.Argument(help="Role of a robot.")],
    form: Annotated[
        str | None, typer.Option("--format", help="text, dot or svg; what the file's ending says if absent, else text.")
    ] = None,
    strategy: Annotated[str, typer.Option("--strategy", help="arena or source, for roles that have both.")] = "arena",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File: .txt, .dot or .svg; standard output if absent.")
    ] = None,
    force: Force = False,
) -> None:
    """Draw the tree of a role."""
    if form not in (None, "text", "dot", "svg"):
        raise ConfigError("must be text, dot or svg", key="--format", value=form)
    if output is not None:
        endings = [ending for ending, kind in _FORMATS.items() if form in (None, kind)]
        ending = check_ending(output, endings, "--output")
        form = form or _FORMATS[ending]
    text = draw(role, form or "text", strategy)
    if output is None:
        print(text)
        return
    from arena_trees.robot.configuration.files import write_atomically

    (place,) = place_files([output], force)
    write_atomically(place, lambda stream: stream.write(text.encode() + b"\n"))


def draw(role_name: str, form: str, strategy: str) -> str:
    """Return the picture of a role's tree: text, dot or svg.

    Raises:
        ConfigError: there is no such role or strategy
    """
    import py_trees

    from arena_trees.commands.tree_svg import tree_svg
    from arena_trees.games.registry import find_role

    with role_tree(role_name, strategy) as root:
        if form == "svg":
            has_strategies = "strategy" in find_role(role_name).parameters.model_fields
            return tree_svg(root, f"{role_name}, strategy {strategy}" if has_strategies else role_name)
        if form == "dot":
            return str(py_trees.display.dot_tree(root).to_string()).rstrip()
        return str(py_trees.display.unicode_tree(root)).rstrip()


@contextmanager
def role_tree(role_name: str, strategy: str, choices: Mapping[str, Any] = MappingProxyType({})) -> Iterator[Behaviour]:
    """Yield a role's tree, made to be looked at; its blackboard clients are gone afterwards.

    Args:
        role_name: of the role
        strategy: ``arena`` or ``source``, where the role has both
        choices: values of other parameters

    Raises:
        ConfigError: there is no such role or strategy, or a value is refused
    """
    from arena_trees.games.registry import find_role
    from arena_trees.robot.configuration.parameters import Live
    from arena_trees.robot.random_streams import RandomStreams

    role = find_role(role_name)
    changes = {"strategy": strategy} if "strategy" in role.parameters.model_fields else {}
    changes |= choices
    root = role.create_root(role_name, Live(role.parameters().with_changes(changes, "--strategy")), RandomStreams(0))
    try:
        yield root
    finally:
        for node in root.iterate():
            for client in node.blackboards:
                client.unregister(clear=True)
