"""``arena-trees render``: draws the tree of a role."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from arena_trees.robot.errors import ConfigError

if TYPE_CHECKING:
    from py_trees.behaviour import Behaviour

__all__ = ["draw", "render_tree", "role_tree"]

Format = Literal["text", "dot", "svg"]


def render_tree(
    role: Annotated[str, typer.Argument(help="Role of a robot.")],
    form: Annotated[str, typer.Option("--format", help="text, dot or svg.")] = "text",
    strategy: Annotated[str, typer.Option("--strategy", help="arena or source, for roles that have both.")] = "arena",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File; standard output if absent.")] = None,
) -> None:
    """Draw the tree of a role."""
    if form not in ("text", "dot", "svg"):
        raise ConfigError("must be text, dot or svg", key="--format", value=form)
    text = draw(role, form, strategy)
    if output is None:
        print(text)
        return
    from arena_trees.robot.configuration.files import write_atomically

    write_atomically(output, lambda stream: stream.write(text.encode() + b"\n"))


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
