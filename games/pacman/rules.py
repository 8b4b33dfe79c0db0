"""The rules of PacMan as parameters."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import field_validator, model_validator

from arena_trees.robot.configuration.parameters import FROM_LIST, Parameters, parameter

__all__ = ["GhostEntry", "GhostKind", "GhostRules", "PacmanRules", "PelletRules"]

GhostKind = Literal["clyde_source", "chase", "puppy_guard", "blinky", "pinky", "inky", "clyde", "ambusher"]

_MOST_GHOSTS = 64
_GHOST_TEXT = re.compile(r"(?P<name>.+?):(?P<kind>[a-z_]+)(:(?P<x>[^:]+):(?P<y>[^:]+))?")


class GhostEntry(Parameters):
    """One ghost of a game; as text, where no more than that can be given, ``NAME:KIND`` or ``NAME:KIND:X:Y``."""

    name: str = parameter("clyde", "unique name", min_length=1, max_length=64)
    kind: GhostKind = parameter("clyde_source", "how it hunts: the kinds of docs/pacman.md")
    start: Annotated[tuple[float, float], FROM_LIST] | None = parameter(
        None, "x, y of the place where it appears, map frame; random if absent", "m"
    )

    def __str__(self) -> str:
        place = "" if self.start is None else f":{self.start[0]!r}:{self.start[1]!r}"
        return f"{self.name}:{self.kind}{place}"

    @model_validator(mode="before")
    @classmethod
    def _read_text(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        found = _GHOST_TEXT.fullmatch(value)
        if found is None:
            raise ValueError("a ghost is written NAME:KIND or NAME:KIND:X:Y")
        place = None if found["x"] is None else (float(found["x"]), float(found["y"]))
        return {"name": found["name"], "kind": found["kind"], "start": place}


class PelletRules(Parameters):
    """Where pellets stand."""

    spacing: float = parameter(2.0, "distance of neighbouring candidates", "m", gt=0, le=100)
    wall_clearance: float = parameter(0.30, "a pellet is at least that far from walls", "m", ge=0, le=10)
    free_threshold: float = parameter(
        250.0, "a pixel above it, of 255 for surely free, can bear a pellet", ge=0, lt=255
    )
    power_pellets: int = parameter(0, "that many are power pellets: the ones far from the start and each other", ge=0)


class GhostRules(Parameters):
    """How all ghosts move."""

    base_speed: float = parameter(0.25, "speed in round 1", "m/s", gt=0, le=2)
    speed_step: float = parameter(0.05, "faster by that in each further round", "m/s", ge=0, le=1)
    wall_clearance: float = parameter(0.25, "a ghost's centre keeps that far from walls", "m", ge=0, le=5)
    spawn_distance: float = parameter(
        2.0, "a ghost appears no nearer to the robot, where the map has room for that", "m", ge=0, le=100
    )
    replan_period: float = parameter(0.5, "a ghost that looks at the robot thinks anew that often", "s", gt=0, le=60)
    shy_distance: float = parameter(
        3.0,
        "clyde turns to his corner when the robot is nearer: 8 of the arcade's 28 tiles of width",
        "m",
        ge=0,
        le=100,
    )
    lead_distance: float = parameter(
        1.5, "pinky goes so far ahead of the robot: 4 of the arcade's tiles; inky reckons with half", "m", ge=0, le=100
    )
    waves: Annotated[tuple[float, ...], FROM_LIST] = parameter(
        (),
        "how long the arcade's four scatter, hunt, scatter and so on, in each life; without, they hunt always."
        " The arcade's first level: 7, 20, 7, 20, 5, 20, 5",
        "s",
    )
    guard_radius: float = parameter(1.5, "a puppy guard stays that near to its pellet", "m", gt=0, le=100)
    fright_factor: float = parameter(0.6, "a frightened ghost's speed, as a share of its own", gt=0, le=1)
    fright_time: float = parameter(8.0, "ghosts flee that long after a power pellet", "s", gt=0, le=600)

    @field_validator("waves")
    @classmethod
    def _waves_last(cls, waves: tuple[float, ...]) -> tuple[float, ...]:
        if not all(0.0 < wave <= 3600.0 for wave in waves):
            raise ValueError("each must last more than 0 and at most 3600 s")
        return waves

    def speed(self, round: int) -> float:
        """Return a ghost's speed (m/s) in a round, counted from 1: base + (round - 1) step (the PacMan report)."""
        return self.base_speed + (round - 1) * self.speed_step


class PacmanRules(Parameters):
    """The rules of PacMan; the defaults are the PacMan report's."""

    pickup_radius: float = parameter(0.25, "the robot's centre collects a pellet within it", "m", gt=0, le=5)
    death_radius: float = parameter(0.25, "a ghost catches the robot's centre within it", "m", gt=0, le=5)
    lives: int = parameter(1, "deaths until the game is over", ge=1, le=99)
    first_round: int = parameter(1, "round of a new game; a higher one has faster ghosts", ge=1, le=99)
    publish_period: float = parameter(0.1, "the state of the game is repeated this often", "s", ge=0.02, le=1)
    theatrics_limit: float = parameter(
        20.0, "the game goes on without the robot's word that start or death were shown", "s", gt=0, le=600
    )
    ghosts: Annotated[tuple[GhostEntry, ...], FROM_LIST] = parameter((GhostEntry(),), "the ghosts")
    pellets: PelletRules = parameter(PelletRules(), "where pellets stand")
    motion: GhostRules = parameter(GhostRules(), "how ghosts move")

    @field_validator("ghosts")
    @classmethod
    def _names_differ(cls, ghosts: tuple[GhostEntry, ...]) -> tuple[GhostEntry, ...]:
        if len(ghosts) > _MOST_GHOSTS:
            raise ValueError(f"there can be {_MOST_GHOSTS} ghosts")
        if len({ghost.name for ghost in ghosts}) < len(ghosts):
            raise ValueError("two ghosts have the same name")
        return ghosts
