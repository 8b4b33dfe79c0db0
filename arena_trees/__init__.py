"""Behaviour trees for small robots that play together, in an embedded arena and on TurtleBot 4.

The rooms of the house stand at the root of the repository and are imported from here:
``arena_trees.robot``, ``arena_trees.control`` and so on. What one needs to write a behaviour, a tree or
a game, and to play it, is offered here directly, as ``__init__.pyi`` lists it for type checkers and editors.
Each name is imported from its home there when it is first used, so that importing this package costs nothing
and a robot needs no arena.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__version__ = "0.2.0"


@lru_cache(maxsize=1)
def _homes() -> Mapping[str, str]:
    """Return every name that is offered, and the module that has it."""
    import ast
    from pathlib import Path

    stub = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = (node for node in stub.body if isinstance(node, ast.ImportFrom) and node.module is not None)
    return {name.name: str(node.module) for node in imports for name in node.names if name.asname is not None}


def __getattr__(name: str) -> Any:
    # Names that begin so are asked for by Python itself.
    module = None if name.startswith("__") else _homes().get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(module), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_homes()})
