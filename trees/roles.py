"""Roles: which tree, parameters and sign a robot of a scenario has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import py_trees

from arena_trees.behaviours.crossroads.parameters import CrosserParameters
from arena_trees.behaviours.pacman.parameters import PacmanParameters
from arena_trees.behaviours.wolf_rabbit.parameters import RabbitParameters, WolfParameters
from arena_trees.games.crossroads.messages import CROSSING_CLAIM_TOPIC, CROSSING_REQUEST_TOPIC, CROSSING_TOPIC
from arena_trees.games.pacman.messages import PACMAN_STATUS_TOPIC, PACMAN_TOPIC
from arena_trees.games.wolf_rabbit.referee import CLAIM_TOPIC, GAME_TOPIC
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.parameters import Live, Parameters
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.trees.crossroads import crosser
from arena_trees.trees.pacman import pacman
from arena_trees.trees.wolf_rabbit import rabbit, wolf

__all__ = ["ROLES", "CreateRoot", "Role", "find_role"]

CreateRoot = Callable[[str, Live[Any], RandomStreams], py_trees.behaviour.Behaviour]
"""Makes a robot's tree from the robot's name, its live parameters and its random streams."""


@dataclass(frozen=True, slots=True)
class Role:
    """One role.

    Attributes:
        name: of the role; its parameters are in ``config/<name>.yaml``
        parameters: model of its parameters
        create_root: makes its tree for a robot
        sign: label of the sign that a robot of this role carries; empty where it carries none
        says: topics of the messages that its tree sends
        hears: topics of the messages that its tree reads
        navigates: whether its tree drives to goals, and ``create_root`` takes a ``navigator``
    """

    name: str
    parameters: type[Parameters]
    create_root: CreateRoot
    sign: str
    says: tuple[str, ...] = ()
    hears: tuple[str, ...] = ()
    navigates: bool = False


ROLES = {
    role.name: role
    for role in (
        Role(
            "crosser",
            CrosserParameters,
            crosser.create_root,
            "",
            says=(CROSSING_REQUEST_TOPIC, CROSSING_CLAIM_TOPIC),
            hears=(CROSSING_TOPIC,),
        ),
        Role(
            "pacman",
            PacmanParameters,
            pacman.create_root,
            "",
            says=(PACMAN_STATUS_TOPIC,),
            hears=(PACMAN_TOPIC,),
            navigates=True,
        ),
        Role("rabbit", RabbitParameters, rabbit.create_root, "rabbit_sign", hears=(GAME_TOPIC,)),
        Role("wolf", WolfParameters, wolf.create_root, "wolf_sign", says=(CLAIM_TOPIC,), hears=(GAME_TOPIC,)),
    )
}


def find_role(name: str, key: str = "role") -> Role:
    """Return a role.

    Args:
        name: of the role
        key: named in the error

    Raises:
        ConfigError: there is no such role
    """
    role = ROLES.get(name)
    if role is None:
        raise ConfigError(f"there is no such role; there are {', '.join(ROLES)}", key=key, value=name)
    return role
