"""Loads what entry points name."""

from __future__ import annotations

from importlib.metadata import EntryPoint

from arena_trees.robot.errors import ConfigError

__all__ = ["loaded"]


def loaded(entry: EntryPoint, kind: str) -> object:
    """Return the object that an entry point names.

    Args:
        entry: of any package
        kind: of object, such as ``game``; the key in the error

    Raises:
        ConfigError: it cannot be imported, for whatever reason
    """
    try:
        return entry.load()
    except Exception as error:
        # Whatever a foreign package raises while it is imported, the user must know whose fault it is.
        reason = f"cannot be loaded from {entry.value}: {type(error).__name__}: {error}"
        raise ConfigError(reason, key=kind, value=entry.name) from error
