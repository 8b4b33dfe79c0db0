"""Sections of arena files that not every arena has: what stands and lies where, under a key of its own.

A section is a subclass of :class:`ArenaSection` that an entry point of the group ``arena_trees.arena_sections`` names,
of this package or another one; the name of the entry point is its key.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib.metadata import entry_points
from types import MappingProxyType

from arena_trees.robot.configuration.parameters import Parameters
from arena_trees.robot.errors import ConfigError
from arena_trees.world.decor import Decor
from arena_trees.world.footprint import Solid

__all__ = ["ArenaSection", "find_sections"]

GROUP = "arena_trees.arena_sections"
"""Entry points of sections: ``key = "package.module:SECTION"``."""


class ArenaSection(Parameters):
    """What an arena has besides walls, boxes, fences and starts; nothing, unless a subclass specifies it."""

    def solids(self) -> tuple[Solid, ...]:
        """Return what stands in every trial; no wall, box or robot may have the name of one of them.

        Raises:
            ConfigError: it cannot be made
        """
        return ()

    def loose(self) -> tuple[tuple[str, ...], ...]:
        """Return the names of the solids that may stand elsewhere than the map has them, by what moves as one piece.

        What decor hangs on does not, for decor stays.
        """
        return ()

    def decor(self) -> Decor | None:
        """Return pictures for cameras alone, or None."""
        return None


@lru_cache(maxsize=1)
def find_sections() -> Mapping[str, type[ArenaSection]]:
    """Return the models of all sections, by key.

    Raises:
        ConfigError: one cannot be used
    """
    found: dict[str, object] = {}
    for entry in entry_points(group=GROUP):
        try:
            found.setdefault(entry.name, entry.load())
        except Exception as error:
            # Whatever a foreign package raises while it is imported, the user must know whose fault it is.
            reason = f"cannot be loaded from {entry.value}: {type(error).__name__}: {error}"
            raise ConfigError(reason, key=entry.name) from error
    return MappingProxyType({key: _checked(key, model) for key, model in found.items()})


def _checked(key: str, model: object) -> type[ArenaSection]:
    if not isinstance(model, type) or not issubclass(model, ArenaSection):
        raise ConfigError("is no ArenaSection", key=key, value=model)
    return model
