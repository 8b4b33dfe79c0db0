"""Finds games: those of this package and those that other packages bring, by entry points alike."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.metadata import EntryPoint, entry_points

from arena_trees.games.game import Game, Role
from arena_trees.robot.configuration.hints import no_such
from arena_trees.robot.entry_points import loaded
from arena_trees.robot.errors import ConfigError

__all__ = ["find_game", "find_role", "game_names", "game_of_role", "load_games", "role_names"]

GROUP = "arena_trees.games"
"""Entry points of games: ``name = "package.module:GAME"``."""


def game_names() -> list[str]:
    """Return the names of all games, sorted; none is imported."""
    return sorted(_entries())


@cache
def find_game(name: str) -> Game:
    """Return a game.

    Raises:
        ConfigError: there is no such game, or it cannot be used
    """
    if name not in _entries():
        raise ConfigError(no_such("game", name, game_names()), key="game", value=name)
    return _checked(name, loaded(_entries()[name], "game"))


def load_games() -> Mapping[str, Game]:
    """Return all games by name.

    Raises:
        ConfigError: one cannot be used
    """
    return {name: find_game(name) for name in game_names()}


def find_role(name: str, key: str = "role") -> Role:
    """Return a role of any game.

    Args:
        name: of the role
        key: named in the error

    Raises:
        ConfigError: there is no such role
    """
    role = game_of_role(name, key).role(name)
    assert role is not None
    return role


def game_of_role(name: str, key: str = "role") -> Game:
    """Return the game that has a role.

    Args:
        name: of the role
        key: named in the error

    Raises:
        ConfigError: there is no such role
    """
    for game in load_games().values():
        if game.role(name) is not None:
            return game
    raise ConfigError(no_such("role", name, role_names()), key=key, value=name)


def role_names() -> list[str]:
    """Return the names of all roles of all games, sorted."""
    return sorted(role.name for game in load_games().values() for role in game.roles)


@lru_cache(maxsize=1)
def _entries() -> Mapping[str, EntryPoint]:
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=GROUP):
        if found.setdefault(entry.name, entry).value != entry.value:
            raise ConfigError("two packages bring a game of this name", key="game", value=entry.name)
    if not found:
        raise ConfigError("none is found: install arena_trees anew, for its entry points are missing", key="games")
    return found


def _checked(name: str, game: object) -> Game:
    """Return a value that is a game and does not contradict itself; refuse any other."""
    if not isinstance(game, Game):
        raise ConfigError("is no arena_trees Game", key="game", value=name)
    if game.name != name:
        raise ConfigError(f"calls itself {game.name!r}", key="game", value=name)
    topics = [message.topic for message in game.messages]
    if len(set(topics)) < len(topics) or not all(topics):
        raise ConfigError(f"every message needs a topic of its own, not {topics}", key="game", value=name)
    for role in game.roles:
        for message in (*role.publishes, *role.subscribes):
            if message not in game.messages:
                reason = f"role {role.name} has a topic {message.topic!r} that is none of the game's messages"
                raise ConfigError(reason, key="game", value=name)
    return game
